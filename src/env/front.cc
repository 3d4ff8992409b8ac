#include "env/front.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <utility>

#include "env/linux_child.h"
#include "env/os_error.h"
#include "env/process_tree.h"

namespace tyer::env {
namespace {

constexpr std::array passed_signals{SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                    SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};

// A descriptor below 3 would be taken for a standard stream later on.
Result<> open_standard_streams() {
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest that is free is this one.
    if (::open("/dev/null", O_RDWR) < 0)
      return std::unexpected(os_error(errno, "open", "/dev/null"));
  }
  return {};
}

std::vector<int> ignored_signals() {
  std::vector<int> ignored;
  for (const int signal : passed_signals) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
      ignored.push_back(signal);
    }
  }
  return ignored;
}

// An ignored one must not be blocked: the kernel would keep it for us.
sigset_t all_but(const std::vector<int>& ignored) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : passed_signals) {
    if (std::ranges::count(ignored, signal) == 0) sigaddset(&signals, signal);
  }
  return signals;
}

// Made before the fork, which it outlives: a signalfd has the signals of whoever
// reads it, and the pidfd of the front cannot be that of a later process.
Result<Front> make_front(std::vector<int> ignored, int group) {
  const sigset_t signals = all_but(ignored);
  Fd gone(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!gone) return std::unexpected(os_error(errno, "watch", "this process"));
  Fd to_read(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!to_read) return std::unexpected(os_error(errno, "receive", "signals"));
  return Front(std::move(to_read), std::move(gone), std::move(ignored), group);
}

// What the terminal sends to the whole group has come to the command, or before that is there to
// the keeper.
void pass_on(const Twin& keeper, const Signal& signal) {
  if (signal.is_everybodys) return;
  syscall(SYS_pidfd_send_signal, keeper.pidfd.get(), signal.number, nullptr, 0);
}

// When a terminal goes away, the kernel tells the leader of its session, and nobody else. Another
// time would do no harm.
bool is_for_leader(const Signal& signal) {
  return (signal.number == SIGHUP || signal.number == SIGCONT) && ::getsid(0) == ::getpid();
}

// As if we had not blocked it. Where nobody could continue us the kernel does not
// stop us either, and then the keeper must not wait for it.
void stop_with(const Twin& keeper, const Signal& signal) {
  pass_on(keeper, signal);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&pending, SIGCONT) == 0) pass_on(keeper, {SIGCONT});
}

int wait_before(const Twin& keeper, const Front& front) {
  while (true) {
    std::array<pollfd, 2> entries{pollfd{.fd = keeper.pidfd.get(), .events = POLLIN},
                                  pollfd{.fd = front.signals_fd(), .events = POLLIN}};
    uninterrupted([&] { return poll(entries.data(), entries.size(), -1); });
    if (entries[0].revents != 0) break;
    while (std::optional<Signal> signal = front.take_signal()) {
      if (front.group() == 0 || is_for_leader(*signal)) signal->is_everybodys = false;
      signal->number == SIGTSTP ? stop_with(keeper, *signal) : pass_on(keeper, *signal);
    }
  }
  siginfo_t info{};
  const auto pidfd = static_cast<id_t>(keeper.pidfd.get());
  uninterrupted([&] { return waitid(P_PIDFD, pidfd, &info, WEXITED); });
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

// Our process group, if there is a terminal that it can be on.
int group_on_terminal() {
  const Fd terminal(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  return terminal ? ::getpgrp() : 0;
}

// In the keeper. What it says is shown also where a terminal stops who is in the background.
void leave_session(bool shares_terminal) {
  if (shares_terminal) {
    std::signal(SIGTTOU, SIG_IGN);
  } else {
    setsid();
  }
}

}  // namespace

// The kernel says itself that it was the terminal.
std::optional<Signal> Front::take_signal() const {
  signalfd_siginfo info{};
  const ssize_t got = uninterrupted([&] { return ::read(signals_.get(), &info, sizeof info); });
  if (got != sizeof info) return std::nullopt;
  return Signal{.number = static_cast<int>(info.ssi_signo),
                .is_everybodys = info.ssi_code == SI_KERNEL};
}

std::vector<Signal> Front::take_signals() const {
  std::vector<Signal> signals;
  while (const std::optional<Signal> signal = take_signal()) signals.push_back(*signal);
  return signals;
}

std::optional<int> Front::next_signal() const {
  const std::optional<Signal> signal = take_signal();
  return signal ? std::optional(signal->number) : std::nullopt;
}

Result<int> run_behind_front(const std::function<int(const Front&)>& keeper, Terminal terminal) {
  TYER_TRY_OK(open_standard_streams());
  TYER_TRY_OK(adopt_orphans());
  // Whoever replaced itself by us may have left us children of its own.
  const Exempt exempt{.spared = children()};
  const int group = terminal == Terminal::shared ? group_on_terminal() : 0;
  TYER_TRY(const Front front, make_front(ignored_signals(), group));
  const sigset_t signals = all_but(front.ignored());
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  std::fflush(nullptr);  // Or both would write what is buffered.
  auto twin = fork_twin();
  if (!twin) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return std::unexpected(std::move(twin).error());
  }
  if (twin->pid == 0) {
    leave_session(group != 0);
    const bool adopts = adopt_orphans().has_value();
    const int code = adopts ? keeper(front) : info(Fault::unavailable).exit_code;
    std::fflush(nullptr);
    _exit(code);
  }
  give_up_input();
  const int code = wait_before(*twin, front);
  end_descendants(Span::zero(), exempt);
  return code;
}

void give_up_input() {
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) dup2(null.get(), 0);
}

}  // namespace tyer::env
