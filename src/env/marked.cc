#include "env/marked.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "env/fd.h"
#include "env/limits.h"
#include "env/linux_clock.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

// Nothing if there is no such process, or if we may not look into it.
std::optional<std::string> read_environment_once(std::int64_t pid) {
  const Fd fd(::open(fmt::format("/proc/{}/environ", pid).c_str(), O_RDONLY | O_CLOEXEC));
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
std::string read_environment_of(std::int64_t pid) {
  const LinuxClock clock;
  const Span until = clock.mono() + limits::exec_wait_max;
  while (true) {
    const auto text = read_environment_once(pid);
    if (!text) return {};
    if (!text->empty() || clock.mono() > until) return *text;
    const auto stat = read_proc_stat(pid);
    if (!stat || stat->has_no_environment) return {};
    std::this_thread::yield();
  }
}

bool has_mark(std::int64_t pid, const std::string& mark) {
  const std::string text = read_environment_of(pid);
  const std::string whole = mark + '\0';
  return text.starts_with(whole) || text.contains('\0' + whole);
}

// The descriptor first: what has the mark after that is what it is of.
Fd open_marked(std::int64_t pid, const std::string& mark) {
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  return pidfd && has_mark(pid, mark) ? std::move(pidfd) : Fd();
}

}  // namespace

std::vector<std::int64_t> marked_processes(const std::string& mark) {
  std::vector<std::int64_t> pids;
  for (const std::int64_t pid : read_pids()) {
    if (pid != getpid() && has_mark(pid, mark)) pids.push_back(pid);
  }
  return pids;
}

TreeEnd end_marked(const std::string& mark) {
  const LinuxClock clock;
  const Span until = clock.mono() + limits::reap_wait_max;
  std::set<std::int64_t> killed;
  while (true) {
    std::vector<Fd> pidfds;
    for (const std::int64_t pid : marked_processes(mark)) {
      Fd pidfd = open_marked(pid, mark);
      if (!pidfd) continue;
      // Stopped first: so nobody can answer the end of another by starting a new one.
      syscall(SYS_pidfd_send_signal, pidfd.get(), SIGSTOP, nullptr, 0);
      killed.insert(pid);
      pidfds.push_back(std::move(pidfd));
    }
    if (pidfds.empty()) return {killed.size(), 0};
    for (const Fd& pidfd : pidfds) {
      syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
    }
    for (const Fd& pidfd : pidfds) {
      const Span left = until - clock.mono();
      if (left <= Span::zero()) return {killed.size(), pidfds.size()};
      (void)wait_readable(pidfd.get(), left);
    }
  }
}

}  // namespace tyer::env
