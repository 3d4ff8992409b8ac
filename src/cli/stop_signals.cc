#include "cli/stop_signals.h"

#include <sys/signalfd.h>

#include <ctime>

namespace tyer::cli {

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

}  // namespace tyer::cli
