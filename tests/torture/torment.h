// One torture: workers fight for the keys of a store while they are killed,
// stopped, and have their clocks set.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace tyer::torture {

struct Options {
  std::string store = "all";
  std::uint64_t seconds = 60;
  std::uint64_t stampedes = 500;
  std::uint64_t raids = 200;
  std::uint64_t seed = 0;
  std::uint64_t processes = 16;
  std::uint64_t keys = 20;
  bool show = false;  // Progress, on a terminal.
};

struct Verdict {
  bool good = false;
  std::string summary;  // A line for people, and after it one for each problem.
};

// On the fresh store at `url`. `cancelled` once `stop_fd` is readable.
[[nodiscard]] Result<Verdict> torment(const Options& options, const std::string& url, int stop_fd);

}  // namespace tyer::torture
