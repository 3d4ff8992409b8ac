// Where chance comes from: ids, jitter.

#pragma once

#include <cstdint>
#include <span>

#include "base/id.h"

namespace tyer::env {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;

  // Evenly from 0 to bound - 1. Requires bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  [[nodiscard]] RandomBits bits();
};

}  // namespace tyer::env
