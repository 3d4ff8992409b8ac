// Parts of a test that need a process of their own.

#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/time.h"
#include "env/fd.h"

namespace tyer::testing {

// Never reached where all is well.
inline constexpr Span give_up_after = 60s;

// The one who reads an end of file knows that everybody who had the pipe is gone.
struct Pipe {
  Pipe();

  env::Fd out;
  env::Fd in;

  [[nodiscard]] std::string line() const;
  // All that still comes until nobody has it open for writing; we close it first.
  [[nodiscard]] std::string rest();
};

// A copy of the test that runs `body` and ends with its code.
class Forked {
 public:
  explicit Forked(const std::function<int()>& body);
  ~Forked();
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Waits for its end: its code, or 128 + n for a signal.
  [[nodiscard]] int code();

 private:
  pid_t pid_;
  bool is_reaped_ = false;
};

// Runs `body` in a copy of the test; what it finds fails this test. For what
// would change this process, or end its children.
void in_a_copy(const std::function<void()>& body);

// In such a copy: has no rights from now on, if they were root's.
void become_nobody();

// Waits until process `pid`, whoever its parent is, has ended.
[[nodiscard]] bool has_ended(pid_t pid);

// Whether this process has no child, not even one to be reaped.
[[nodiscard]] bool is_childless();

}  // namespace tyer::testing
