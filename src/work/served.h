// What a worker has of each key that it serves with, and how its keepers ended.

#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "work/worker.h"

namespace tyer::work {

struct Worker::Served {
  Served(env::Env& env, const Identity& whose, lock::HubClient asker)
      : identity(whose),
        client(std::move(asker)),
        listener(env, whose.hub, fmt::format("{}", fmt::join(whose.agents, ",")),
                 fmt::format("{}", fmt::join(whose.sessions, ","))) {}

  const Identity& identity;
  lock::HubClient client;
  Listener listener;
  std::optional<Offering> offering;
  Span offer_pause{};  // After one that failed.
  bool has_looked = false;
  bool is_refused = false;
};

[[nodiscard]] Ended read_exit(const env::Exit& exit);

// The beginning of what it said last.
[[nodiscard]] std::string complaint_of(const env::Fd& errors);

}  // namespace tyer::work
