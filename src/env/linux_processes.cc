#include "env/linux_processes.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "env/bell.h"
#include "env/fd.h"
#include "env/linux_child.h"
#include "env/os_error.h"
#include "env/proc_stat.h"

namespace tyer::env {
namespace {

std::string read_host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::string read_boot_id() {
  const Fd fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  std::array<char, 64> text;
  const ssize_t got = uninterrupted([&] { return ::read(fd.get(), text.data(), text.size()); });
  if (got <= 0) return {};
  const std::string_view line(text.data(), static_cast<std::size_t>(got));
  return std::string(line.substr(0, line.find('\n')));
}

// The number in "pid:[4026531836]".
std::string read_pid_namespace() {
  std::array<char, 64> target;
  const ssize_t length = readlink("/proc/self/ns/pid", target.data(), target.size());
  if (length > 0) {
    std::string_view text(target.data(), static_cast<std::size_t>(length));
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']');
    if (open < close && close != std::string_view::npos) {
      return std::string(text.substr(open + 1, close - open - 1));
    }
  }
  // An empty one would mean "wherever you are" and have our pid probed by strangers.
  return fmt::format("unknown, of pid {}", getpid());
}

core::ProcessFacts probe(std::int64_t pid) {
  using Presence = core::ProcessFacts::Presence;
  if (pid <= 0 || pid > std::numeric_limits<pid_t>::max()) return {};
  const bool permitted = kill(static_cast<pid_t>(pid), 0) == 0;
  if (!permitted && errno != EPERM) return {};
  const std::optional<ProcStat> stat = read_proc_stat(pid);
  if (stat && stat->is_over()) return {};
  // It has ended between the two calls. Else it is there, and does not let us see its start.
  if (!stat && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return {};
  return {permitted ? Presence::present : Presence::hidden, stat ? stat->start : 0};
}

}  // namespace

LinuxProcesses::LinuxProcesses(const Clock& clock)
    : clock_(clock), here_{read_host_name(), read_boot_id(), read_pid_namespace()} {}

core::Sight LinuxProcesses::look(const core::Holder& holder) const {
  core::ProcessFacts facts;
  if (core::may_probe(holder, here_)) facts = probe(holder.pid);
  return core::assess(holder, here_, clock_.mono(), facts);
}

core::Holder LinuxProcesses::self(std::string run) const {
  const std::int64_t pid = getpid();
  // After a fork it is another one.
  if (own_pid_ != pid) {
    const std::optional<ProcStat> stat = read_own_proc_stat();
    own_start_ = stat ? stat->start : 0;
    own_pid_ = pid;
  }
  return {here_, pid, own_start_, std::move(run)};
}

Result<core::Holder> LinuxProcesses::holder(std::int64_t pid, std::string run) const {
  const core::ProcessFacts facts = probe(pid);
  if (facts.presence == core::ProcessFacts::Presence::absent) {
    return fail(Fault::not_found, fmt::format("there is no process {} on this machine", pid));
  }
  return core::Holder{here_, pid, facts.start, std::move(run)};
}

Result<std::unique_ptr<Child>> LinuxProcesses::spawn(const Spawn& spawn) {
  return start_child(spawn);
}

Result<std::optional<Fd>> LinuxProcesses::watch_end(const core::Holder& holder) const {
  const std::int64_t pid = holder.pid;
  if (!core::may_probe(holder, here_) || holder.pid_start == 0) return std::nullopt;
  if (pid <= 0 || pid > std::numeric_limits<pid_t>::max()) return std::nullopt;
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  // EINVAL and ENOENT: it is the number of a thread by now.
  if (!pidfd && (errno == ESRCH || errno == EINVAL || errno == ENOENT)) return std::nullopt;
  if (!pidfd) return std::unexpected(os_error(errno, "watch", fmt::format("process {}", pid)));
  // Looked at only now: what has this start time is what the descriptor is of.
  const std::optional<ProcStat> stat = read_proc_stat(pid);
  if (!stat || stat->is_over() || stat->start != holder.pid_start) return std::nullopt;
  return pidfd;
}

void LinuxProcesses::ring(const std::string& bell) const {
  env::ring(bell);
}

}  // namespace tyer::env
