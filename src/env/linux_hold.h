// A program that is held by ptrace(2) between its exec and its first step.
//
// Most of what a program takes to start is not its own doing: its loader finds its libraries and
// binds them. That much may be done before it is let go, up to the address at which the loader
// hands over to it. What libraries do when they are loaded is done by then.

#pragma once

#include <sys/types.h>

#include <optional>

namespace tyer::env {

class LinuxHold {
 public:
  // `pid` is one that we trace, and is stopped because it has become its program.
  explicit LinuxHold(pid_t pid) : pid_(pid) {}

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Lets it go as far as its entry, where it is known how to stop it there.
  void load();
  // From there, or wherever it is on the way. What it was sent meanwhile, it gets. False: it does
  // not let us; it is held as before.
  [[nodiscard]] bool let_go();

 private:
  struct Stop {
    unsigned long address = 0;
    unsigned long byte = 0;  // What stands there.
  };
  [[nodiscard]] bool is_behind_stop() const;
  // The signal that it still is to get. Nothing: it could not be done.
  [[nodiscard]] std::optional<int> take_stop_away();

  pid_t pid_;
  std::optional<Stop> stop_;
};

}  // namespace tyer::env
