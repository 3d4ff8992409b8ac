// Becoming another program, step by step, as posix_spawn(3) does it, and not beginning with it.
//
// The child borrows the memory of the thread that starts it, which only waits for it: nothing
// is copied, however much there is. So the child may only do what is done in linux_launch.cc.

#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <vector>

#include "env/linux_hold.h"

namespace tyer::env {

struct Launch {
  const char* program;
  std::vector<char*> arguments;  // With a null at the end, as are the variables.
  std::vector<char*> variables;
  const char* directory;         // None: ours.
  std::array<int, 3> streams{};  // Become 0, 1 and 2; above these, and closed by exec.
  std::vector<int> ignored;      // Signals that stay ignored if they are; others are as by default.
  pid_t group = 0;               // The process group to join; 0: a session of its own.
  pid_t parent = 0;              // We.

  // An errno if it has not become the program.
  int problem = 0;

  // With no signal blocked. If there is a problem the child, if there is
  // one (not 0), has ended and is to be waited for.
  [[nodiscard]] pid_t start();
  // The same, but it is held. Nothing: it cannot be, for whatever reason, and there is no child.
  // It cannot if it is a script, has rights of its own, or the system forbids it.
  [[nodiscard]] std::optional<LinuxHold> start_held();

  // Whether the child is to stop before it becomes the program.
  bool is_held = false;
};

}  // namespace tyer::env
