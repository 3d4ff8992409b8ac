// The keeper of an agent's runs: it creates the run, holds its lease, starts the
// agent, reads it, beats, ends it, and writes what came of it.
//
// It runs behind a front (env/front.h) in a session of its own, so it outlives
// whoever started it. If it is killed, its front ends the agent; if both are, the
// next command that looks at runs does (settle.h). What may be tried again is, in a
// run with an id of its own (backend::decide_next).

#pragma once

#include <functional>
#include <optional>

#include "backend/backend.h"
#include "engine/engine.h"
#include "engine/keeper.h"
#include "env/front.h"
#include "run/job.h"
#include "run/record.h"

namespace tyer::run {

// What is to be done before an agent starts, once, such as making its worktree. `stop_fd`
// is readable when the run is to end; then it returns `cancelled`.
using Preparation = std::function<Result<>(int stop_fd)>;

// What else there is to a run, for whoever has a share in it.
struct Share {
  engine::Keeper* leases = nullptr;  // The run beats for these as well, and ends if one is lost.
  std::function<void(const backend::Note&)> on_note = {};
  // A wait that its service asks for, if it is long, is for whoever started it: see Kept::wait.
  bool passes_waits_on = false;
};

// What came of it in the end.
struct Kept {
  Conclusion last;        // Of the last attempt.
  bool is_anew = false;   // The conversation it was given is one no more.
  backend::Usage usage;   // Of all attempts.
  bool was_left = false;  // Whoever started it was leaving, and had it stopped.
  Span wait{};  // It ended because its service said so: it is to be tried again after this.
  // What came of it could not be recorded: whoever settles runs will say that it was lost.
  std::optional<Error> unrecorded = {};
};

// Returns when the last attempt has ended. An error means that the run was refused (claim.h), or
// that it could not even be recorded that it began.
[[nodiscard]] Result<Kept> keep(engine::Engine& engine, const env::Front& front,
                                const backend::Environment& environment, Job job,
                                const Preparation& preparation = {}, Share share = {});

}  // namespace tyer::run
