#include "env/kin.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "env/fd.h"
#include "env/limits.h"
#include "env/linux_clock.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

constexpr std::size_t line_bytes = 40;

std::vector<std::int64_t> children_of(std::int64_t pid) {
  std::vector<std::int64_t> pids;
  std::error_code gone;
  const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid), gone);
  for (auto at = threads; !gone && at != std::filesystem::directory_iterator();
       at.increment(gone)) {
    std::ifstream file(at->path() / "children");
    for (std::int64_t child = 0; file >> child;) pids.push_back(child);
  }
  return pids;
}

// The descriptor first: what has that start after it is what it is of.
Fd open_kin(const Kin& kin) {
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(kin.pid), 0)));
  const auto stat = read_proc_stat(kin.pid);
  return pidfd && stat && stat->start == kin.start && !stat->is_over() ? std::move(pidfd) : Fd();
}

// Stopped before any is killed: so nobody can answer the end of another by starting a new one.
// Returns those that are there, and all that is below them.
std::vector<Kin> stop_kin(const std::vector<Kin>& kin) {
  std::vector<Kin> stopped;
  std::vector<Kin> all = kin;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Fd pidfd = all[i].pid == getpid() ? Fd() : open_kin(all[i]);
    if (!pidfd) continue;
    syscall(SYS_pidfd_send_signal, pidfd.get(), SIGSTOP, nullptr, 0);
    // One that was known may be below another.
    if (seen.insert(all[i].pid).second) stopped.push_back(all[i]);
    if (i >= kin.size()) continue;  // Found below one that was known, with all below itself.
    const std::vector<Kin> below = kin_below(all[i].pid);
    all.insert(all.end(), below.begin(), below.end());
  }
  return stopped;
}

TreeEnd kill_some(std::span<const Kin> kin, Span until) {
  const LinuxClock clock;
  TreeEnd end;
  std::vector<Fd> pidfds;
  for (const Kin& each : kin) {
    Fd pidfd = open_kin(each);
    if (!pidfd) continue;
    syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
    pidfds.push_back(std::move(pidfd));
    ++end.killed;
  }
  for (const Fd& pidfd : pidfds) {
    const Span left = std::max<Span>(until - clock.mono(), Span::zero());
    if (!wait_readable(pidfd.get(), left).value_or(false)) ++end.left;
  }
  return end;
}

}  // namespace

std::vector<Kin> kin_below(std::int64_t pid) {
  std::vector<Kin> all;
  std::vector<std::int64_t> parents{pid};
  for (std::size_t i = 0; i < parents.size() && all.size() < limits::kin_max; ++i) {
    for (const std::int64_t child : children_of(parents[i])) {
      const auto stat = read_proc_stat(child);
      if (!stat || stat->is_over()) continue;
      all.push_back({child, stat->start});
      parents.push_back(child);
    }
  }
  return all;
}

std::string encode(const std::vector<Kin>& kin) {
  std::string text;
  for (const Kin& each : kin) {
    text += fmt::format("{:<{}}\n", fmt::format("{} {}", each.pid, each.start), line_bytes - 1);
  }
  return text;
}

std::vector<Kin> decode_kin(std::string_view text) {
  std::vector<Kin> all;
  for (; text.size() >= line_bytes; text.remove_prefix(line_bytes)) {
    std::istringstream words{std::string(text.substr(0, line_bytes))};
    Kin kin;
    if (words >> kin.pid >> kin.start && kin.pid > 1) all.push_back(kin);
  }
  return all;
}

TreeEnd end_kin(const std::vector<Kin>& kin) {
  const LinuxClock clock;
  const Span until = clock.mono() + limits::reap_wait_max;
  const std::vector<Kin> all = stop_kin(kin);
  TreeEnd end;
  // Some at a time: there may be more than we may have descriptors.
  for (std::span<const Kin> left = all; !left.empty();) {
    const auto some = left.first(std::min(left.size(), limits::tree_watch_max));
    left = left.subspan(some.size());
    const TreeEnd ended = kill_some(some, until);
    end.killed += ended.killed;
    end.left += ended.left;
  }
  return end;
}

}  // namespace tyer::env
