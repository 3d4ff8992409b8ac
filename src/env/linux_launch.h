// Becoming another program, step by step, as posix_spawn(3) does it, with a gate before the last.
//
// The child borrows the memory of the thread that starts it, which stands still meanwhile: nothing
// is copied, however much there is. So the child may only do what is done in linux_launch.cc.

#pragma once

#include <sys/types.h>

#include <array>
#include <vector>

#include "env/processes.h"

namespace tyer::env {

struct Launch {
  const char* program;
  std::vector<char*> arguments;  // With a null at the end, as are the variables.
  std::vector<char*> variables;
  const char* directory;         // None: ours.
  std::array<int, 3> streams{};  // Become 0, 1 and 2; above these, and closed by exec.
  std::vector<int> ignored;      // Signals that stay ignored if they are; others are as by default.
  const Gate* gate = nullptr;
  pid_t parent = 0;  // We.

  // An errno if it has not become the program. `ECANCELED`: it was not let through the gate.
  int problem = 0;

  // In a session of its own, with no signal blocked. If there is a problem the child, if there is
  // one (not 0), has ended and is to be waited for.
  [[nodiscard]] pid_t start();
};

}  // namespace tyer::env
