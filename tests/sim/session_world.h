// Simulated worlds of people who write, agents that are spoken to, and keepers that run them: the
// whole way from a comment to its answer, by the decisions of src/feed, on the real engine.
//
//   person    writes posts and comments that mention sessions, and deletes a session now and then
//   keeper    takes a session that has something to do, holds its lease while its agent works, and
//             tells what came of it: an answer, none, a failure, a service that wants to wait
//   daemon    rules, timers and the sweeper, on every machine
//
// Beside the laws of every world:
//   - a session has one run at a time, and it holds the session's lease when it begins;
//   - nothing is written for a session but by the run that holds it, and no item is answered twice;
//   - no item is woken for more often than it may be;
//   - once the faults stop, whatever is to be answered is answered or given up, and every run has
//     ended.

#pragma once

#include <cstdint>

#include "sim/world.h"

namespace tyer::testing {

// A protection that is taken out, to show that the worlds notice.
enum class SessionFlaw : std::uint8_t {
  none,
  lost_runs_stay,        // Nobody ends a run whose lease has ended without it.
  begins_beside_others,  // Who takes a session does not see the run that had it before.
  no_end_of_wakes,       // An item is woken for again and again.
};

[[nodiscard]] sim::Broken run_session_world(const sim::WorldOptions& options,
                                            SessionFlaw flaw = SessionFlaw::none);

}  // namespace tyer::testing
