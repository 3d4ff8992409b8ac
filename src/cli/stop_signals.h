// Ctrl+C and `kill` as something to ask about, for a command that ends by them.
//
// While one of these lives, SIGINT and SIGTERM do not end the process. Make it
// before anything starts a thread: threads inherit what is blocked.

#pragma once

#include <csignal>

#include "env/fd.h"

namespace tyer::cli {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Whether one has come.
  [[nodiscard]] bool arrived() const;

  // Readable once one has come.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  sigset_t before_{};
  sigset_t wanted_{};
  env::Fd fd_;
};

// For one that has blocked all signals that ask a process to end: INT, TERM, HUP and QUIT. Readable
// once one has come, which stays pending.
[[nodiscard]] env::Fd watch_ending_signals();

// Which of them is pending; 0: none.
[[nodiscard]] int pending_ending_signal();

}  // namespace tyer::cli
