// Waiting for locks (L8): first come, first served, and woken rather than polling.
//
// What ends a wait: a commit in the store (release, break), the end of the
// holder's process if it is on this machine, the moment at which the holder would
// be judged silent or overdue, and the end of the patience. Who waits keeps its
// ticket alive meanwhile.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lock/locks.h"

namespace tyer::lock {

// One who waits here for a process that may be elsewhere. It comes back under the name of its
// place if the connection between the two breaks.
struct Proxy {
  std::string place;   // The id of its tickets.
  core::Holder waits;  // By whose life they are judged.
  // Called after each look that did not get them, at least every `limits::wait_look_every`.
  std::function<void(const Outcome& outcome)> on_look;
};

struct Patience {
  Span at_most{};                   // How long it is willing to wait; zero: not at all.
  std::vector<int> stop_fds;        // One readable: give up, `cancelled`.
  std::optional<Proxy> proxy = {};  // Its place is kept when it is told to stop.
};

// The locks, or who has them when the patience is over. Without patience it
// still waits a moment for one whose turn it is to take a free lock or not.
[[nodiscard]] Result<Outcome> acquire(Locks& locks, store::Store& store, const Request& request,
                                      const Patience& patience);

}  // namespace tyer::lock
