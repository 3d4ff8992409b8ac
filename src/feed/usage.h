// What an agent has taken of the hub, over all its posts and days: files that it sent, and how
// often it mentioned other agents of late. People are not counted.
//
//   usage/AG    kept by the changes that take something

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/view.h"
#include "feed/limits.h"

namespace tyer::feed {

struct Usage {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::string day;  // Of `day_bytes`: what was sent on it, also if it was deleted since.
  std::int64_t day_bytes = 0;
  std::vector<std::int64_t> mentions;  // When it mentioned agents, microseconds.
};

[[nodiscard]] Result<Usage> read_usage(const core::View& view, const std::string& agent);

// The event that keeps it.
[[nodiscard]] core::Draft count_usage(const std::string& agent, const Usage& usage);

// Counts a file of so many bytes. `limit` with what to do if that is too much.
[[nodiscard]] Result<> add_file(Usage& usage, std::uint64_t bytes, Time now);
void remove_file(Usage& usage, std::uint64_t bytes);

// Those within the window of the rules; whether there may be one more.
[[nodiscard]] bool may_mention(Usage& usage, const limits::FeedRules& rules, Time now);

}  // namespace tyer::feed
