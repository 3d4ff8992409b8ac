// Waiting for one file descriptor.

#pragma once

#include "base/error.h"
#include "base/time.h"

namespace tyer::env {

// Whether `fd` is readable now or becomes so within `at_most`, by the monotonic
// clock. Signals do not shorten the wait.
[[nodiscard]] Result<bool> wait_readable(int fd, Span at_most);

}  // namespace tyer::env
