#include "cli/end_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <fcntl.h>

namespace tyer::cli {
namespace {

bool has_terminal() {
  return static_cast<bool>(env::Fd(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)));
}

// As under nohup(1): whoever started us does not want us to end by it.
bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

EndSignals::EndSignals() : had_terminal_(has_terminal()) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&set, signal);
  if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  fd_ = env::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

EndSignals::~EndSignals() {
  // What came too late to be attended to ends us anyway.
  while (take() != 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int EndSignals::take() const {
  signalfd_siginfo info{};
  return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

bool EndSignals::has_lost_terminal() const {
  return had_terminal_ && !has_terminal();
}

}  // namespace tyer::cli
