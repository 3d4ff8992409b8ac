// What a rule could not deal with, set aside so that the others go on.
//
// If a rule fails on an event, its cursor moves on, and the event's subject is
// set aside for this rule only: `aside/<rule>/<key>`. An aside is a little
// cursor of its own: `at` is the event it stands before. It is tried again when
// due, with growing pauses; each success moves it to the next event of its key,
// until it has caught up with the rule and is cleared. After `rule_tries_max`
// failures it is stuck, visible, until somebody retries or skips it (F14).
// Events of one subject so reach a rule in order and once, set aside or not.
// Events about asides are shown to no rule: one that fails would feed on them.

#pragma once

#include <cstdint>
#include <string>

#include "core/change.h"
#include "core/event.h"
#include "core/kind.h"
#include "core/view.h"

namespace tyer::engine {

[[nodiscard]] core::Kind aside_kind();

// The name under which a subject whose timer failed is set aside; `at` is then
// the subject's revision, or 0 once it was skipped.
inline constexpr std::string_view timer_rule = "timer";

// Readable, unless the subject's key is too long to be part of another one.
[[nodiscard]] std::string aside_key(const std::string& rule, const std::string& subject);

struct Aside {
  std::string rule;
  std::string subject;
  std::uint64_t at = 0;  // The next event to try; what is before it is done.
  int tries = 0;         // Failures at `at`.
  std::string error;
  std::string status;
};

// The aside of `rule` and `subject`, if there is one that is not cleared.
[[nodiscard]] Result<std::optional<Aside>> find_aside(const core::View& view,
                                                      const std::string& rule,
                                                      const std::string& subject);
[[nodiscard]] Result<Aside> decode_aside(const core::Subject& subject);

// Drafts that record what happened.
[[nodiscard]] core::Draft aside_failed(const Aside& aside, const Error& error, Time now);
[[nodiscard]] core::Draft aside_passed(const Aside& aside, std::uint64_t next, Time now);
[[nodiscard]] core::Draft aside_cleared(const Aside& aside);

// For people: try a stuck one again now; or leave its event out for good.
[[nodiscard]] Result<core::Change> retry_aside(const core::View& view, const std::string& key,
                                               Time now);
[[nodiscard]] Result<core::Change> skip_aside(const core::View& view, const std::string& key,
                                              Time now);

}  // namespace tyer::engine
