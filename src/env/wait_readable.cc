#include "env/wait_readable.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "env/limits.h"
#include "env/linux_clock.h"
#include "env/os_error.h"

namespace tyer::env {

Result<bool> wait_readable(int fd, Span at_most) {
  return wait_any({&fd, 1}, at_most);
}

Result<bool> wait_any(std::span<const int> fds, Span at_most) {
  std::vector<pollfd> entries;
  for (const int fd : fds) entries.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  const LinuxClock clock;
  const Span until = clock.mono() + std::clamp(at_most, Span::zero(), limits::poll_wait_max);
  while (true) {
    const Span left = std::max(Span::zero(), until - clock.mono());
    const timespec timeout{.tv_sec = left / 1s, .tv_nsec = (left % 1s) / 1us * 1000};
    const int ready = ppoll(entries.data(), entries.size(), &timeout, nullptr);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return std::unexpected(os_error(errno, "wait for", "a file descriptor"));
  }
}

}  // namespace tyer::env
