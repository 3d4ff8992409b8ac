// Becoming another program, step by step, as posix_spawn(3) does it, with a gate on the way.
//
// The child borrows the memory of the thread that starts it, which only waits for it: nothing
// is copied, however much there is. So the child may only do what is done in linux_launch.cc.
//
// A gate is best waited at when all is done: the child has become the program, and is held, by
// ptrace(2), before its first step. It ends with who holds it. Where that cannot be (a script, a
// program with rights of its own, a system that forbids it), the child waits before it becomes it.

#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
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

  // Whether it is held yet: what the child waits for, if it is to be.
  enum class Hold : std::uint32_t { none, asked, taken, failed };
  std::atomic<Hold> hold = Hold::none;

 private:
  [[nodiscard]] pid_t start_held(void* stack_end);
};

}  // namespace tyer::env
