// One agent process from its start until nothing of it is left.
//
// It has a session and a process group of its own. Its prompt is written as it is
// read: one that never reads holds nobody up. When it has to end it is asked, its
// output is still read for a while, and then everything that it started is killed.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/task.h"
#include "env/env.h"
#include "run/job.h"
#include "run/plan.h"

namespace tyer::run {

// Why we end it.
enum class Cut : std::uint8_t {
  asked,
  wall,        // Its time is over.
  idle,        // It said nothing for too long.
  output,      // It said too much.
  hopeless,    // Going on is of no use.
  lost,        // Its lease is no longer ours.
  front_gone,  // Nobody would end it if we died.
};

struct Watching {
  std::vector<int> fds;                     // Readable: ask for a reason.
  std::function<std::optional<Cut>()> cut;  // Whether there is one to end it.
  std::function<void(std::string_view)> output;
  std::function<void(std::string_view)> errors;
};

struct Finished {
  env::Exit exit;
  std::optional<Cut> cut;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  std::size_t killed = 0;  // Processes that did not end by themselves.
};

// This process must adopt orphans and have no other children. An error means that
// it was not started; the fault is that of Processes::spawn.
[[nodiscard]] Result<Finished> run_agent(env::Env& env, const Plan& plan, const Bounds& bounds,
                                         Span grace, const Watching& watching);

}  // namespace tyer::run
