#include "cli/stop_signals.h"

#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace tyer::cli {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

}  // namespace

StopSignals::StopSignals() {
  sigemptyset(&wanted_);
  sigaddset(&wanted_, SIGINT);
  sigaddset(&wanted_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &wanted_, &before_);
  fd_ = env::Fd(signalfd(-1, &wanted_, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
  // One that came too late to be asked about is answered by ending anyway.
  const timespec no_time{};
  while (sigtimedwait(&wanted_, nullptr, &no_time) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool StopSignals::arrived() const {
  sigset_t pending{};
  sigpending(&pending);
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

env::Fd watch_ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : ending_signals) sigaddset(&set, signal);
  return env::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int pending_ending_signal() {
  sigset_t pending{};
  sigpending(&pending);
  const auto is_pending = [&](int signal) { return sigismember(&pending, signal) == 1; };
  const auto found = std::ranges::find_if(ending_signals, is_pending);
  return found == ending_signals.end() ? 0 : *found;
}

}  // namespace tyer::cli
