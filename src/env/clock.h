// Where time comes from. As wide as tyer's need: what is stored uses wall time,
// because deadlines outlive processes; what measures life uses monotonic time,
// because it neither jumps nor runs while the machine is suspended.

#pragma once

#include "base/time.h"

namespace tyer::env {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Time now() const = 0;

  // Time since boot without suspension (CLOCK_MONOTONIC).
  [[nodiscard]] virtual Span mono() const = 0;

  // Time since boot with suspension (CLOCK_BOOTTIME). Less mono(): how long the
  // machine has slept.
  [[nodiscard]] virtual Span boot_time() const = 0;
};

}  // namespace tyer::env
