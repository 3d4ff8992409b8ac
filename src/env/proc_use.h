// What a process and all that is below it have used so far.

#pragma once

#include <cstdint>

#include "base/time.h"

namespace tyer::env {

struct Use {
  std::size_t processes = 0;  // That live.
  std::size_t stopped = 0;    // Of them, by a signal or a debugger.
  Span cpu{};                 // Of those that live now.
  std::uint64_t io = 0;       // Bytes that they read and wrote, as far as we may know.

  friend bool operator==(const Use&, const Use&) = default;
};

// Of all processes below `pid`, without itself.
[[nodiscard]] Use use_below(std::int64_t pid);

}  // namespace tyer::env
