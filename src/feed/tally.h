// What is used, by day (UTC), agent and session, and how much there may be (W17).
//
//   tally/DAY/AG/SS    kept by the changes that use something
//
// A run counts when it begins, what it cost when it ends: a budget of money can be passed by as
// much as the runs cost that are under way.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "core/change.h"
#include "core/view.h"

namespace tyer::feed {

[[nodiscard]] std::string day_of(Time time);   // "2026-11-15"
[[nodiscard]] Time next_day_after(Time time);  // When the next one begins.

struct Use {
  std::int64_t runs = 0;
  std::int64_t failed = 0;
  std::int64_t input = 0;  // Tokens.
  std::int64_t output = 0;
  std::int64_t cached = 0;
  std::int64_t cost = 0;  // Millionths of a US dollar.

  Use& operator+=(const Use& other);
};

// Of this day so far.
[[nodiscard]] Result<Use> used_by_session(const core::View& view, const std::string& day,
                                          const std::string& agent, const std::string& session);
[[nodiscard]] Result<Use> used_by_agent(const core::View& view, const std::string& day,
                                        const std::string& agent);
[[nodiscard]] Result<Use> read_use(const core::Subject& tally);

// The event that adds `more`.
[[nodiscard]] Result<core::Draft> count(const core::View& view, const std::string& agent,
                                        const std::string& session, const Use& more, Time now);

// A budget of an agent that is used up.
struct Spent {
  std::string limit;  // Which and how much: as long as that is the same, who was told knows it.
  std::string why;    // For people.
};

// Nothing: it may begin a run.
[[nodiscard]] Result<std::optional<Spent>> spent_budget(const core::View& view,
                                                        const core::Subject& agent,
                                                        const std::string& session, Time now);

// Whether the session was told of this limit today.
[[nodiscard]] Result<bool> was_told(const core::View& view, const std::string& agent,
                                    const std::string& session, const Spent& spent, Time now);
// The event that says it was.
[[nodiscard]] core::Draft tell(const std::string& agent, const std::string& session,
                               const Spent& spent, Time now);

}  // namespace tyer::feed
