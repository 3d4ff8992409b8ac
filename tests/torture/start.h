// Starting this program again in one of its other roles.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/time.h"

namespace tyer::torture {

struct Start {
  std::vector<std::string> words;           // Without the program.
  std::vector<int> fds = {};                // That it inherits under their numbers.
  std::vector<std::string> variables = {};  // Besides ours, "NAME=value".
};

// The pid. It is killed when the thread that starts it ends, and keys on the
// terminal do not reach it.
[[nodiscard]] pid_t start(const Start& start);

// Whether it ended within `at_most`; it is still to be reaped.
[[nodiscard]] bool ends_within(pid_t pid, Span at_most);

// Kills and reaps it.
void end(pid_t pid);

// Removes what a reaped process with a fake clock may have left in shared memory.
void clear_away(pid_t pid);

// The variables under which a process reads its wall clock with the offset that
// stands in the file `offset_path`, "-30". Empty if that cannot be done:
// libfaketime is not there, or we are built with a sanitizer.
[[nodiscard]] std::vector<std::string> fake_clock(const std::string& offset_path);

}  // namespace tyer::torture
