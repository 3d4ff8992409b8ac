// Inputs that are almost like known ones. For a run everywhere, without a compiler's help.

#pragma once

#include <random>
#include <span>
#include <string>

namespace tyer::fuzz {

inline constexpr std::size_t mutant_bytes_max = 4096;

// One of `corpus` after a few changes: bytes, numbers and words put in, taken out, doubled, or
// taken from another one.
[[nodiscard]] std::string mutant(std::span<const std::string> corpus, std::mt19937_64& dice);

}  // namespace tyer::fuzz
