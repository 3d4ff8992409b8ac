#include "env/file_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "env/limits.h"
#include "env/linux_clock.h"
#include "env/os_error.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

// What comes and goes in a directory. Not what is written there: a busy file beside ours would
// wake us each time.
constexpr std::uint32_t parent_mask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                      IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD;
// Not IN_CLOSE_WRITE: everybody who takes a lock on a file opens it for writing.
constexpr std::uint32_t own_mask = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                   IN_DELETE_SELF | IN_MOVE_SELF | IN_MASK_ADD;

// Both mean something else here than they mean to a file.
Error watch_error(int number, const std::string& path) {
  if (number == ENOSPC || number == EMFILE) {
    return {
        Fault::unavailable,
        fmt::format("cannot watch {}: too many files are watched; raise fs.inotify.{}",
                    printable(path), number == ENOSPC ? "max_user_watches" : "max_user_instances")};
  }
  return os_error(number, "watch", path);
}

// Writes to what a link leads to are seen in the directory of that.
std::filesystem::path resolved(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  const std::filesystem::path real = std::filesystem::weakly_canonical(absolute, failed);
  const std::filesystem::path& best = failed ? absolute : real;
  return best.has_filename() ? best : best.parent_path();
}

}  // namespace

FileWatch::FileWatch(Fd fd) : fd_(std::move(fd)) {}

Result<std::unique_ptr<FileWatch>> FileWatch::open(std::vector<std::string> paths) {
  Fd fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return std::unexpected(watch_error(errno, paths.empty() ? "files" : paths.front()));
  std::unique_ptr<FileWatch> watch(new FileWatch(std::move(fd)));
  for (const std::string& path : paths) TYER_TRY_OK(watch->add(path));
  return watch;
}

Result<bool> FileWatch::wait(Span at_most) {
  const LinuxClock clock;
  const Span until = clock.mono() + std::clamp(at_most, Span::zero(), limits::poll_wait_max);
  while (true) {
    TYER_TRY(const bool readable, wait_readable(fd_.get(), until - clock.mono()));
    if (!readable) return false;
    TYER_TRY(const bool happened, drain());
    if (happened) return true;
    if (clock.mono() >= until) return false;
  }
}

Result<> FileWatch::add(const std::string& path) {
  const std::filesystem::path real = resolved(path);
  Watched watched{.path = real.string(), .name = real.filename().string()};
  const std::string parent = real.parent_path().string();
  watched.parent = inotify_add_watch(fd_.get(), parent.c_str(), parent_mask);
  if (watched.parent < 0) return std::unexpected(watch_error(errno, parent));
  watch_itself(watched);
  all_.push_back(std::move(watched));
  return {};
}

void FileWatch::watch_itself(Watched& watched) {
  watched.own = inotify_add_watch(fd_.get(), watched.path.c_str(), own_mask);
}

Result<bool> FileWatch::drain() {
  bool happened = false;
  alignas(inotify_event) std::array<char, 16 << 10> buffer;
  for (int i = 0; i < limits::watch_reads_max; ++i) {
    const ssize_t got =
        uninterrupted([&] { return ::read(fd_.get(), buffer.data(), buffer.size()); });
    if (got < 0 && errno != EAGAIN) return std::unexpected(watch_error(errno, "files"));
    if (got <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      // The name is padded with NUL bytes.
      const char* name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      happened |= concerns_us(event.wd, event.mask, name);
      at += sizeof event + event.len;
    }
  }
  return happened;
}

bool FileWatch::concerns_us(int watch, unsigned mask, std::string_view name) {
  if ((mask & IN_Q_OVERFLOW) != 0) return true;
  bool ours = false;
  for (Watched& watched : all_) {
    if (watch == watched.own) {
      ours = true;
      if ((mask & IN_IGNORED) != 0) watched.own = -1;
    }
    if (watch == watched.parent && (name == watched.name || name.empty())) {
      ours = true;
      if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0) watch_itself(watched);
    }
  }
  return ours;
}

}  // namespace tyer::env
