#include "cli/input.h"

#include <unistd.h>

#include <fmt/format.h>

#include "env/fd.h"

namespace tyer::cli {

Result<std::string> read_all(int fd, std::size_t bytes_max, std::string_view what) {
  std::string text;
  while (text.size() <= bytes_max) {
    const std::size_t before = text.size();
    text.resize(before + (64 << 10));
    const ssize_t got =
        env::uninterrupted([&] { return ::read(fd, text.data() + before, 64 << 10); });
    if (got < 0) return fail(Fault::unavailable, fmt::format("{} cannot be read", what));
    text.resize(before + static_cast<std::size_t>(got));
    if (got == 0) return text;
  }
  return fail(Fault::limit, fmt::format("{} is longer than {} bytes", what, bytes_max));
}

}  // namespace tyer::cli
