#include "env/process_tree.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <utility>

#include "env/fd.h"
#include "env/limits.h"
#include "env/linux_clock.h"
#include "env/os_error.h"
#include "env/proc_stat.h"

namespace tyer::env {
namespace {

using Members = std::vector<ProcEntry>;
using Known = std::set<std::pair<std::int64_t, std::int64_t>>;  // By pid and start.

void reap(std::int64_t pid) {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | __WALL);
}

// The living, parents first. A zombie has no children: they were adopted.
Members scan(const Exempt& exempt) {
  std::multimap<std::int64_t, ProcEntry> by_parent;
  for (const ProcEntry& entry : read_proc_table()) by_parent.emplace(entry.stat.parent, entry);
  const std::int64_t self = getpid();
  Members members;
  std::int64_t parent = self;
  for (std::size_t next = 0;; parent = members[next++].pid) {
    const auto [begin, end] = by_parent.equal_range(parent);
    for (auto i = begin; i != end; ++i) {
      const ProcEntry& entry = i->second;
      if (entry.pid == self || std::ranges::count(exempt.spared, entry.pid) != 0) continue;
      if (!entry.stat.is_over()) {
        members.push_back(entry);
      } else if (parent == self && entry.pid != exempt.unreaped) {
        reap(entry.pid);
      }
    }
    if (next == members.size()) return members;
  }
}

// Asks for stopped children only: then those that have ended count for none, and
// ECHILD means that no other is there.
bool has_living_child() {
  siginfo_t info{};
  const int done =
      uninterrupted([&] { return waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | WNOWAIT | __WALL); });
  return done == 0 || errno != ECHILD;
}

bool is_alone(const Exempt& exempt) {
  if (!has_living_child()) {
    for (const std::int64_t pid : children()) {
      const bool is_ours = pid != exempt.unreaped && std::ranges::count(exempt.spared, pid) == 0;
      if (is_ours) reap(pid);
    }
    return true;
  }
  return !exempt.spared.empty() && scan(exempt).empty();
}

// Nothing if it has ended, even if its number is somebody else's by now.
Fd open_member(const ProcEntry& member) {
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(member.pid), 0)));
  if (!pidfd) return pidfd;
  const std::optional<ProcStat> stat = read_proc_stat(member.pid);
  if (!stat || stat->start != member.stat.start || stat->is_over()) return Fd();
  return pidfd;
}

bool send(const Fd& pidfd, const ProcEntry& member, int signal) {
  if (pidfd) return syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0;
  // Also if there is no descriptor to be had: a child keeps its number until we reap it.
  errno = ESRCH;
  return member.stat.parent == getpid() && kill(static_cast<pid_t>(member.pid), signal) == 0;
}

// Reaches those too that were forked since the scan. A group below us in a session that is
// neither ours nor that of others is of descendants only.
void send_to_groups(const Members& members, const Exempt& exempt, int signal) {
  const pid_t own_session = getsid(0);
  std::set<std::int64_t> groups;
  for (const ProcEntry& member : members) {
    const std::int64_t session = member.stat.session;
    if (session != own_session && session != exempt.session && member.stat.group > 1) {
      groups.insert(member.stat.group);
    }
  }
  for (const std::int64_t group : groups) kill(static_cast<pid_t>(-group), signal);
}

void wait_until(std::vector<pollfd> entries, Span until) {
  const LinuxClock clock;
  while (true) {
    std::erase_if(entries, [](const pollfd& entry) { return entry.revents != 0; });
    const Span left = until - clock.mono();
    if (entries.empty() || left <= Span::zero()) return;
    const timespec timeout{.tv_sec = left / 1s, .tv_nsec = (left % 1s) / 1us * 1000};
    if (ppoll(entries.data(), entries.size(), &timeout, nullptr) < 0 && errno != EINTR) return;
  }
}

// Until all of them are gone.
void wait_for(const std::vector<Fd>& pidfds, Span until) {
  std::vector<pollfd> entries;
  for (const Fd& pidfd : pidfds) entries.push_back({.fd = pidfd.get(), .events = POLLIN});
  wait_until(std::move(entries), until);
}

// For when nobody could be waited for: they come and go, or cannot be seen.
void pause_briefly() {
  const LinuxClock clock;
  wait_until({{.fd = -1, .events = 0}}, clock.mono() + limits::tree_pause);
}

void watch(std::vector<Fd>& pidfds, Fd pidfd) {
  if (pidfd && pidfds.size() < limits::tree_watch_max) pidfds.push_back(std::move(pidfd));
}

// One that was started meanwhile is asked only when all others are gone: until
// then it may be what another needs to end well.
void ask(Span grace, const Exempt& exempt) {
  const LinuxClock clock;
  const Span until = clock.mono() + std::min(grace, limits::poll_wait_max);
  Known asked;
  while (clock.mono() < until && !is_alone(exempt)) {
    if (!asked.empty()) pause_briefly();
    std::vector<Fd> pidfds;
    for (const ProcEntry& member : scan(exempt)) {
      Fd pidfd = open_member(member);
      if (asked.emplace(member.pid, member.stat.start).second) {
        send(pidfd, member, SIGTERM);
        send(pidfd, member, SIGCONT);
      }
      watch(pidfds, std::move(pidfd));
    }
    if (pidfds.empty()) pause_briefly();
    wait_for(pidfds, until);
  }
}

struct Round {
  std::vector<Fd> pidfds;
  std::size_t reached = 0;
  std::size_t refused = 0;
};

// Stopped first: so nobody can answer the end of another by starting a new one.
Round kill_once(const Members& members, const Exempt& exempt, Known& killed) {
  Round round;
  send_to_groups(members, exempt, SIGSTOP);
  for (const ProcEntry& member : members) send(open_member(member), member, SIGSTOP);
  for (const ProcEntry& member : members) {
    Fd pidfd = open_member(member);
    if (send(pidfd, member, SIGKILL)) {
      ++round.reached;
      killed.emplace(member.pid, member.stat.start);
    } else if (errno == EPERM) {
      ++round.refused;
    }
    watch(round.pidfds, std::move(pidfd));
  }
  send_to_groups(members, exempt, SIGKILL);
  return round;
}

// For one that has another number each time we look, by forking and ending in
// turn: what is newest is seen first and hit at once. It is a child of ours,
// because what forked it has ended.
void kill_newest_children(const Exempt& exempt, Known& killed) {
  std::vector<std::int64_t> pids = read_pids();
  std::ranges::reverse(pids);
  for (const std::int64_t pid : pids) {
    if (std::ranges::count(exempt.spared, pid) != 0) continue;
    const Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
    const std::optional<ProcStat> stat = read_proc_stat(pid);
    if (!pidfd || !stat || stat->parent != getpid() || stat->is_over()) continue;
    if (send(pidfd, {pid, *stat}, SIGKILL)) killed.emplace(pid, stat->start);
  }
}

TreeEnd kill_all(const Exempt& exempt) {
  const LinuxClock clock;
  const Span until = clock.mono() + limits::reap_wait_max;
  Known killed;
  while (!is_alone(exempt)) {
    const Members members = scan(exempt);
    const Round round = kill_once(members, exempt, killed);
    const bool nobody_may_be_killed = !members.empty() && round.refused == members.size();
    if (nobody_may_be_killed || clock.mono() >= until) {
      return {killed.size(), std::max<std::size_t>(members.size(), 1)};
    }
    wait_for(round.pidfds, until);
    if (round.reached == 0) kill_newest_children(exempt, killed);
    if (members.empty()) pause_briefly();
  }
  return {killed.size(), 0};
}

}  // namespace

Result<> adopt_orphans() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) return {};
  return std::unexpected(os_error(errno, "look after", "processes without a parent"));
}

std::vector<std::int64_t> children() {
  std::vector<std::int64_t> pids;
  siginfo_t info{};
  const int any =
      uninterrupted([&] { return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL); });
  if (any != 0 && errno == ECHILD) return pids;
  if (auto listed = read_own_children()) return *std::move(listed);
  for (const ProcEntry& entry : read_proc_table()) {
    if (entry.stat.parent == getpid()) pids.push_back(entry.pid);
  }
  return pids;
}

std::vector<std::int64_t> descendants(const Exempt& exempt) {
  std::vector<std::int64_t> pids;
  for (const ProcEntry& member : scan(exempt)) pids.push_back(member.pid);
  return pids;
}

TreeEnd end_descendants(Span grace, const Exempt& exempt) {
  if (is_alone(exempt)) return {};
  ask(grace, exempt);
  return kill_all(exempt);
}

}  // namespace tyer::env
