#include "env/linux_child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "env/find_program.h"
#include "env/limits.h"
#include "env/os_error.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

Result<> check_spawn(const Spawn& spawn) {
  const auto has_nul = [](std::string_view text) { return text.contains('\0'); };
  if (spawn.argv.empty()) return fail(Fault::invalid, "there is no command to run");
  for (const std::string& argument : spawn.argv) {
    if (has_nul(argument)) {
      return fail(Fault::invalid, fmt::format("an argument of {} has a NUL byte in it",
                                              printable(spawn.argv.front())));
    }
  }
  for (const auto& [name, value] : spawn.environment) {
    if (name.empty() || name.contains('=') || has_nul(name) || has_nul(value)) {
      return fail(Fault::invalid, fmt::format("the environment variable '{}' cannot be passed on",
                                              printable(name)));
    }
  }
  if (spawn.directory.empty()) return {};
  if (has_nul(spawn.directory)) return fail(Fault::invalid, "a directory has a NUL byte in it");
  struct stat status{};
  int failed = stat(spawn.directory.c_str(), &status) == 0 ? 0 : errno;
  if (failed == 0 && !S_ISDIR(status.st_mode)) failed = ENOTDIR;
  if (failed == 0) return {};
  return std::unexpected(os_error(failed, "run a command in", spawn.directory));
}

// An ignored SIGCHLD, inherited from whoever started us, makes the kernel throw
// away exit codes and free pids under our feet.
void keep_ended_children() {
  struct sigaction action{};
  if (sigaction(SIGCHLD, nullptr, &action) != 0) return;
  if (action.sa_handler != SIG_IGN && (action.sa_flags & SA_NOCLDWAIT) == 0) return;
  if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
  action.sa_flags &= ~SA_NOCLDWAIT;
  sigaction(SIGCHLD, &action, nullptr);
}

// Descriptors for the child's 0, 1 and 2. A source below 3 would be overwritten by an earlier
// target, so it is moved up first.
Result<std::array<Fd, 3>> take_streams(const Spawn& spawn) {
  const std::array<int, 3> sources{spawn.input, spawn.output, spawn.errors};
  std::array<Fd, 3> moved;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const int flags = (i == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC;
    Fd source = sources[i] < 0 ? Fd(::open("/dev/null", flags)) : Fd();
    const int from = source ? source.get() : sources[i];
    moved[i] = Fd(fcntl(from, F_DUPFD_CLOEXEC, 3));
    if (!moved[i]) {
      return std::unexpected(
          os_error(errno, "pass on", fmt::format("the file descriptor {}", from)));
    }
  }
  return moved;
}

Error spawn_error(int number, const std::string& program, const std::string& directory) {
  const std::string shown = printable(program);
  switch (number) {
    case ENOENT:
      return {Fault::not_found,
              fmt::format("cannot run {}: the interpreter it names does not exist", shown)};
    case ENOEXEC:
      return {Fault::invalid,
              fmt::format("cannot run {}: it is no program; a script starts with #!", shown)};
    case E2BIG:
      return {Fault::limit,
              fmt::format("cannot run {}: arguments and environment are too long", shown)};
    case EAGAIN:
      return {Fault::unavailable,
              fmt::format("cannot run {}: there are too many processes; see ulimit -u", shown)};
    case EACCES:
      return {Fault::denied, fmt::format("cannot run {}: permission denied to execute it{}", shown,
                                         directory.empty() ? "" : " or to enter its directory")};
    default: return os_error(number, "run", program);
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// How posix_spawn is told what the child is to be like.
class SpawnSetup {
 public:
  SpawnSetup() {
    check(posix_spawn_file_actions_init(&actions_));
    check(posix_spawnattr_init(&attributes_));
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  // `streams` become 0, 1 and 2, and no other descriptor stays.
  void set_files(const Spawn& spawn, const std::array<Fd, 3>& streams) {
    for (int i = 0; i < 3; ++i) {
      const int from = streams[static_cast<std::size_t>(i)].get();
      check(posix_spawn_file_actions_adddup2(&actions_, from, i));
    }
    check(posix_spawn_file_actions_addclosefrom_np(&actions_, 3));
    if (spawn.directory.empty()) return;
    check(posix_spawn_file_actions_addchdir_np(&actions_, spawn.directory.c_str()));
  }

  void set_process(const Spawn& spawn) {
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigfillset(&usual);
    for (const int signal : spawn.ignored) sigdelset(&usual, signal);
    check(posix_spawnattr_setsigmask(&attributes_, &none));
    check(posix_spawnattr_setsigdefault(&attributes_, &usual));
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (spawn.group == 0) {
      flags |= POSIX_SPAWN_SETSID;
    } else {
      flags |= POSIX_SPAWN_SETPGROUP;
      check(posix_spawnattr_setpgroup(&attributes_, spawn.group));
    }
    check(posix_spawnattr_setflags(&attributes_, static_cast<short>(flags)));
  }

  // An errno, or 0.
  [[nodiscard]] int start(pid_t& pid, const std::string& program,
                          std::vector<std::string> arguments,
                          std::vector<std::string> variables) const {
    return posix_spawn(&pid, program.c_str(), &actions_, &attributes_, pointers(arguments).data(),
                       pointers(variables).data());
  }

 private:
  static void check(int problem) {
    TYER_CHECK(problem == 0, "there is memory to describe a child");
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Kills `pid`, which is not reaped yet, and the group that it leads if it does; reaps it.
void end_child(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  siginfo_t info{};
  uninterrupted([&] { return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED); });
}

}  // namespace

LinuxChild::LinuxChild(pid_t pid, Fd pidfd, bool leads)
    : pid_(pid), pidfd_(std::move(pidfd)), leads_(leads) {}

std::int64_t LinuxChild::pid_start() const {
  const std::optional<ProcStat> stat = read_proc_stat(pid_);
  return stat ? stat->start : 0;
}

LinuxChild::~LinuxChild() {
  if (!is_ours_ || (is_let_go_ && !exit_)) return;
  if (!exit_) {
    kill(leads_ ? -pid_ : pid_, SIGKILL);
    // One that hangs in the kernel is left to init.
    static_cast<void>(wait_readable(pidfd_.get(), limits::reap_wait_max));
  }
  siginfo_t info{};
  uninterrupted(
      [&] { return waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG); });
}

Result<std::optional<Exit>> LinuxChild::wait(Span at_most) {
  if (exit_) return exit_;
  TYER_TRY(const bool ended, wait_readable(pidfd_.get(), at_most));
  if (!ended) return std::nullopt;

  siginfo_t info{};
  const int done = uninterrupted([&] {
    return waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG | WNOWAIT);
  });
  if (done != 0 && errno == ECHILD) {
    is_ours_ = false;
    return fail(
        Fault::broken,
        fmt::format("the exit of process {} is lost: another part of this program took it", pid_));
  }
  if (done != 0)
    return std::unexpected(os_error(errno, "wait for", fmt::format("process {}", pid_)));
  if (info.si_pid == 0) return std::nullopt;
  exit_ =
      info.si_code == CLD_EXITED ? Exit{.code = info.si_status} : Exit{.signal = info.si_status};
  return exit_;
}

Result<> LinuxChild::signal_group(int signal) {
  if (!is_ours_ || kill(leads_ ? -pid_ : pid_, signal) == 0 || errno == ESRCH) return {};
  return std::unexpected(os_error(
      errno, "send a signal to", fmt::format("{} {}", leads_ ? "process group" : "process", pid_)));
}

Result<std::unique_ptr<Child>> start_child(const Spawn& spawn) {
  TYER_TRY_OK(check_spawn(spawn));
  const auto path = spawn.environment.find("PATH");
  TYER_TRY(const std::string program,
           find_program(spawn.argv.front(),
                        path == spawn.environment.end() ? default_search : path->second,
                        spawn.directory));
  TYER_TRY(const auto streams, take_streams(spawn));
  SpawnSetup setup;
  setup.set_files(spawn, streams);
  setup.set_process(spawn);
  std::vector<std::string> variables;
  for (const auto& [name, value] : spawn.environment) variables.push_back(name + "=" + value);
  keep_ended_children();
  pid_t pid = 0;
  const int problem = setup.start(pid, program, spawn.argv, std::move(variables));
  if (problem != 0) return std::unexpected(spawn_error(problem, program, spawn.directory));
  // The child is ours and not reaped, so its number cannot have been reused.
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const int refusal = errno;
    end_child(pid);
    return std::unexpected(os_error(refusal, "watch", program));
  }
  return std::make_unique<LinuxChild>(pid, std::move(pidfd), spawn.group == 0);
}

Result<Twin> fork_twin() {
  keep_ended_children();
  const pid_t pid = fork();
  if (pid == 0) return Twin{};
  if (pid < 0) return std::unexpected(spawn_error(errno, "a copy of this process", ""));
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd) return Twin{pid, std::move(pidfd)};
  const int refusal = errno;
  kill(pid, SIGKILL);
  end_child(pid);
  return std::unexpected(os_error(refusal, "watch", "a copy of this process"));
}

}  // namespace tyer::env
