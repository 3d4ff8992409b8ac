#include "env/linux_child.h"

#include <fcntl.h>
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
#include "env/linux_launch.h"
#include "env/os_error.h"
#include "env/proc_stat.h"
#include "env/processor.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

// What posix_spawnp takes when there is no PATH.
constexpr std::string_view default_path = "/bin:/usr/bin";

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

// Kills `pid`, which is not reaped yet, and the group that it leads if it does; reaps it.
void end_child(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  siginfo_t info{};
  uninterrupted([&] { return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED); });
}

// What a launch points to.
struct Start {
  std::string program;
  std::array<Fd, 3> streams;
  std::vector<std::string> arguments;
  std::vector<std::string> variables;

  [[nodiscard]] static Result<Start> make(const Spawn& spawn) {
    TYER_TRY_OK(check_spawn(spawn));
    const auto path = spawn.environment.find("PATH");
    Start start{.arguments = spawn.argv};
    TYER_TRY(start.program,
             find_program(spawn.argv.front(),
                          path == spawn.environment.end() ? default_path : path->second,
                          spawn.directory));
    TYER_TRY(start.streams, take_streams(spawn));
    for (const auto& [name, value] : spawn.environment) {
      start.variables.push_back(name + "=" + value);
    }
    keep_ended_children();
    return start;
  }

  [[nodiscard]] Launch launch(const Spawn& spawn) {
    return {.program = program.c_str(),
            .arguments = pointers(arguments),
            .variables = pointers(variables),
            .directory = spawn.directory.empty() ? nullptr : spawn.directory.c_str(),
            .streams = {streams[0].get(), streams[1].get(), streams[2].get()},
            .ignored = spawn.ignored,
            .group = spawn.group};
  }
};

// The child is ours and not reaped, so its number cannot have been reused.
Result<std::unique_ptr<LinuxChild>> watch_child(pid_t pid, const std::string& program, bool leads) {
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const int refusal = errno;
    end_child(pid);
    return std::unexpected(os_error(refusal, "watch", program));
  }
  return std::make_unique<LinuxChild>(pid, std::move(pidfd), leads);
}

// The child ends with it unless it was let go.
class HeldChild final : public Held {
 public:
  HeldChild(LinuxHold hold, std::unique_ptr<LinuxChild> child, std::unique_ptr<Patient> patient)
      : hold_(hold), child_(std::move(child)), patient_(std::move(patient)) {}

  [[nodiscard]] Result<std::unique_ptr<Child>> start() override {
    patient_->release(static_cast<int>(child_->pid()));
    if (!hold_.let_go()) return fail(Fault::denied, "a process that is held cannot be let go");
    patient_.reset();
    // It comes first: what we have to do can wait. It runs: nothing may be an error any more.
    (void)wait_readable(child_->fd(), limits::head_start);
    return std::move(child_);
  }

 private:
  LinuxHold hold_;
  std::unique_ptr<LinuxChild> child_;
  std::unique_ptr<Patient> patient_;  // Until it runs, neither of us is in anybody's way.
};

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
  TYER_TRY(Start start, Start::make(spawn));
  Launch launch = start.launch(spawn);
  const pid_t pid = launch.start();
  if (launch.problem == 0) return watch_child(pid, start.program, spawn.group == 0);
  if (pid != 0) {
    siginfo_t info{};
    uninterrupted([&] { return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED); });
  }
  return std::unexpected(spawn_error(launch.problem, start.program, spawn.directory));
}

Result<std::unique_ptr<Held>> hold_child(const Spawn& spawn) {
  TYER_TRY(Start start, Start::make(spawn));
  Launch launch = start.launch(spawn);
  auto patient = std::make_unique<Patient>();
  const std::optional<LinuxHold> hold = launch.start_held();
  if (!hold) return nullptr;
  TYER_TRY(auto child, watch_child(hold->pid(), start.program, spawn.group == 0));
  return std::make_unique<HeldChild>(*hold, std::move(child), std::move(patient));
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
