// The kernel's random numbers: good enough for keys, and a fork never repeats
// those of its parent.

#pragma once

#include "env/random.h"

namespace tyer::env {

class LinuxRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace tyer::env
