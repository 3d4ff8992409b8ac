// One run for a session, from taking it to what came of it, in the process of its keeper (W10).
//
// The keeper holds the session's lease on the hub in the name of its front, which is the last to
// go: while anything of the run may be left, nobody else can have the session. If the lease is
// lost, the run ends before anybody else may start.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "backend/task.h"
#include "engine/engine.h"
#include "env/front.h"
#include "feed/shifts.h"
#include "lock/desk.h"
#include "run/keeper.h"
#include "work/assignment.h"
#include "work/order.h"

namespace tyer::work {

enum class Served : std::uint8_t {
  done,     // There was a run, whatever came of it.
  nothing,  // There is nothing to do.
  busy,     // Somebody else does it.
  limit,    // There is no budget left today.
  put_off,  // Its service asked to be called later.
};

struct Serving {
  engine::Engine& engine;  // Of the store with the run's records.
  const env::Front& front;
  const backend::Environment& environment;  // Of the worker.
  lock::HubAddress hub;
  std::string program;  // This one: the demo agent is in it.
  // Of one that offers itself: readable if it is not to wait any more.
  std::vector<int> stop_fds;
  std::function<void(const Given&)> on_given;
  // Writes what came of the run into the hub's own store, where that is `engine`'s as well: see
  // Order::own_hub. The session's lease is renewed there then. Null: only the hub can be told.
  std::function<Result<>(const feed::Finish&)> finish_here = {};
  // Puts the run into a worktree of its own, if the agent wants one.
  std::function<Result<run::Preparation>(const Assignment& given, run::Job& job)> choose_tree;
};

// `wait` returns which session it is for, if it does not offer itself; nothing: none any more.
[[nodiscard]] Result<Served> serve(const Serving& serving, const Order& order,
                                   const std::function<Result<std::optional<Call>>()>& wait);

// What of the worker's environment a run sees (W2): what every program needs, what its own agent
// program needs, and what the agent's settings name. Never the worker's key.
[[nodiscard]] backend::Environment clean_environment(const backend::Environment& outer,
                                                     const Assignment& given);

}  // namespace tyer::work
