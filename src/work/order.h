// What the keeper of a session's run is told: which session of which hub, and where the run's own
// records go. The key for the hub is no part of it: it is in the environment.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "run/job.h"

namespace tyer::work {

// A keeper is told in two lines: the first when it starts, the second when there is something to
// do. In between it waits, with its store open and the hub's instructions at hand.
struct Order {
  std::string hub;  // URL.
  // Its run's, as far as they are known before the hub has said what there is to do: id, store and
  // the like, and the directory of agents that have none.
  run::Job job;
};

struct Call {
  std::string session;  // Its id.
  std::string run;      // Of now: runs sort by when they began, however long their keepers waited.
  bool all = false;     // See feed::Begin.
};

[[nodiscard]] std::string encode(const Order& order);
[[nodiscard]] Result<Order> decode_order(std::string_view text);
[[nodiscard]] std::string encode(const Call& call);
[[nodiscard]] Result<Call> decode_call(std::string_view text);

}  // namespace tyer::work
