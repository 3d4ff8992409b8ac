// Signals that end a server or a worker, each of which is read, so that a second one counts.
//
// While one of these lives, SIGINT, SIGTERM and SIGHUP do not end the process. A SIGHUP that is
// ignored stays so. Make it before anything starts a thread: threads inherit what is blocked.

#pragma once

#include <csignal>

#include "env/fd.h"

namespace tyer::cli {

class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // A signalfd.
  [[nodiscard]] int fd() const { return fd_.get(); }

  // The next that has come; 0: none has.
  [[nodiscard]] int take() const;

  // Whether the terminal that we were started on is closed: then a SIGHUP means this, and whoever
  // sat there wants us to end. Without a terminal it never does.
  [[nodiscard]] bool has_lost_terminal() const;

 private:
  sigset_t before_{};
  env::Fd fd_;
  const bool had_terminal_;
};

}  // namespace tyer::cli
