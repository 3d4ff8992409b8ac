// One of those who fight for the keys: it takes locks, works under them, and
// does to them all that processes do to locks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/time.h"

namespace tyer::torture {

// Short, so that leases really expire.
inline constexpr Span silence = 1500ms;
inline constexpr Span hold = 3s;

struct WorkerCall {
  std::string url;
  std::uint64_t seed = 0;
  std::size_t keys = 0;
  int board = -1;
  int stop = -1;  // At its end it is time to end.
};

// The exit code: 0 when it was told to end.
[[nodiscard]] int run_worker(const WorkerCall& call);

}  // namespace tyer::torture
