// Bounds a system call that has no bound of its own, such as flock(2).
//
//   Interrupt interrupt(30s);
//   while (flock(fd, LOCK_EX) != 0) if (errno != EINTR || interrupt.is_over()) …
//
// Once the time is over, the calling thread is sent a signal whose handler does
// nothing, again and again until the Interrupt goes, so that a call that was
// about to begin is interrupted as well.

#pragma once

#include <ctime>

#include "base/time.h"

namespace tyer::env {

class Interrupt {
 public:
  explicit Interrupt(Span at_most);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Whether the time has passed; also true if no timer could be had.
  [[nodiscard]] bool is_over() const;

 private:
  timer_t timer_{};
  bool armed_ = false;
};

}  // namespace tyer::env
