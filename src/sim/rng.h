// The one source of chance in a simulated world: everything that happens is
// decided by its seed.

#pragma once

#include <cstdint>

#include "env/random.h"

namespace tyer::sim {

// splitmix64: small, quick, and good enough to draw faults from.
class Rng final : public env::Random {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(next());
  }

  // True once in `times` on average.
  bool one_in(std::uint64_t times) { return next() % times == 0; }

  // Evenly from `low` to `high`.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + next() % (high - low + 1);
  }
  Span between(Span low, Span high) {
    return low + Span(static_cast<std::int64_t>(
                     next() % static_cast<std::uint64_t>((high - low).count() + 1)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace tyer::sim
