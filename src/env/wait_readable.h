// Waiting for file descriptors.

#pragma once

#include <span>

#include "base/error.h"
#include "base/time.h"

namespace tyer::env {

// Whether `fd` is readable now or becomes so within `at_most`, by the monotonic
// clock. Signals do not shorten the wait.
[[nodiscard]] Result<bool> wait_readable(int fd, Span at_most);

// The same for whichever comes first; negative ones are none.
[[nodiscard]] Result<bool> wait_any(std::span<const int> fds, Span at_most);

}  // namespace tyer::env
