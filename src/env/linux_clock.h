// The machine's clocks. A read is a call into the vDSO, some 20 ns, not a
// system call; it cannot fail.

#pragma once

#include "env/clock.h"

namespace tyer::env {

class LinuxClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override;
  [[nodiscard]] Span mono() const override;
  [[nodiscard]] Span boot_time() const override;
};

}  // namespace tyer::env
