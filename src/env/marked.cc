#include "env/marked.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "env/fd.h"
#include "env/kin.h"
#include "env/limits.h"
#include "env/linux_clock.h"
#include "env/proc_stat.h"

namespace tyer::env {
namespace {

bool is_of_our_user(std::int64_t pid) {
  struct stat status{};
  return ::stat(fmt::format("/proc/{}", pid).c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// Nothing if there is no such process, or if we may not look into it.
std::optional<std::string> read_marks_once(std::int64_t pid) {
  Fd fd(::open(fmt::format("/proc/{}/environ", pid).c_str(), O_RDONLY | O_CLOEXEC));
  const bool is_hidden = !fd && (errno == EACCES || errno == EPERM) && is_of_our_user(pid);
  if (is_hidden) {
    fd = Fd(::open(fmt::format("/proc/{}/cmdline", pid).c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (!fd) return std::nullopt;
  std::string text;
  while (text.size() < limits::environment_bytes_max) {
    const std::size_t before = text.size();
    text.resize(before + (64 << 10));
    const ssize_t got =
        uninterrupted([&] { return ::read(fd.get(), text.data() + before, 64 << 10); });
    text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got <= 0) break;
  }
  return text;
}

// One in the middle of its exec shows none for a moment: it is looked at again.
std::string read_marks_of(std::int64_t pid) {
  const LinuxClock clock;
  const Span until = clock.mono() + limits::exec_wait_max;
  while (true) {
    const auto text = read_marks_once(pid);
    if (!text) return {};
    if (!text->empty() || clock.mono() > until) return *text;
    const auto stat = read_proc_stat(pid);
    if (!stat || stat->has_no_environment) return {};
    std::this_thread::yield();
  }
}

// The start first: what has the mark after it and is somebody else by then is not ended for it.
std::vector<Kin> marked_kin(const std::string& mark, const std::string& also) {
  std::vector<Kin> marked;
  for (const std::int64_t pid : marked_processes(mark)) {
    const auto stat = read_proc_stat(pid);
    const bool is_it = stat && !stat->is_over() && has_mark(pid, mark);
    if (is_it && (also.empty() || has_mark(pid, also))) marked.push_back({pid, stat->start});
  }
  return marked;
}

}  // namespace

bool has_mark(std::int64_t pid, const std::string& mark) {
  const std::string text = read_marks_of(pid);
  const std::string whole = mark + '\0';
  return text.starts_with(whole) || text.contains('\0' + whole);
}

std::vector<std::int64_t> marked_processes(const std::string& mark) {
  std::vector<std::int64_t> pids;
  for (const std::int64_t pid : read_pids()) {
    if (pid != getpid() && has_mark(pid, mark)) pids.push_back(pid);
  }
  return pids;
}

TreeEnd end_marked(const std::string& mark, const std::string& also) {
  const LinuxClock clock;
  const Span until = clock.mono() + limits::reap_wait_max;
  TreeEnd all;
  while (true) {
    const std::vector<Kin> marked = marked_kin(mark, also);
    if (marked.empty()) return all;
    const TreeEnd end = end_kin(marked);
    all.killed += end.killed;
    if (end.left == 0 && clock.mono() < until) continue;
    all.left = std::max<std::size_t>(end.left, 1);
    return all;
  }
}

}  // namespace tyer::env
