#include "env/random.h"

#include <cstring>

#include "base/check.h"

namespace tyer::env {

std::uint64_t Random::below(std::uint64_t bound) {
  TYER_CHECK(bound > 0, "below(0) has no answer");
  // Numbers past the last whole multiple of `bound` would favour small results.
  const std::uint64_t past = (0 - bound) % bound;
  while (true) {
    std::uint64_t number = 0;
    std::uint8_t bytes[sizeof number];
    fill(bytes);
    std::memcpy(&number, bytes, sizeof number);
    if (number >= past) return number % bound;
  }
}

RandomBits Random::bits() {
  RandomBits bits{};
  fill(bits);
  return bits;
}

}  // namespace tyer::env
