// A child process by pidfd.
//
// A child that has ended is not reaped before its Child goes. Until then the
// kernel gives its number to nobody else, neither as a pid nor as a process
// group, so `signal_group` cannot hit a stranger however late it comes. The
// price is a zombie for as long as the Child is kept.
//
// A Child that goes before its end was seen takes the whole group along if it is
// its own, unless it was let go.

#pragma once

#include "env/fd.h"
#include "env/processes.h"

namespace tyer::env {

class LinuxChild final : public Child {
 public:
  // `pid` is a child of ours and not reaped yet; if it `leads`, of its own group.
  LinuxChild(pid_t pid, Fd pidfd, bool leads);
  ~LinuxChild() override;
  LinuxChild(const LinuxChild&) = delete;
  LinuxChild& operator=(const LinuxChild&) = delete;

  [[nodiscard]] std::int64_t pid() const override { return pid_; }
  [[nodiscard]] std::int64_t pid_start() const override;
  [[nodiscard]] int fd() const override { return pidfd_.get(); }
  [[nodiscard]] Result<std::optional<Exit>> wait(Span at_most) override;
  [[nodiscard]] Result<> signal_group(int signal) override;
  void let_go() override { is_let_go_ = true; }

 private:
  pid_t pid_;
  Fd pidfd_;
  bool leads_;
  std::optional<Exit> exit_;
  bool is_let_go_ = false;
  bool is_ours_ = true;  // Until somebody else reaps it: then its number means nothing.
};

// Starts it. `not_found`, with the name, if there is no such program or directory.
[[nodiscard]] Result<std::unique_ptr<Child>> start_child(const Spawn& spawn);

struct Twin {
  pid_t pid = 0;  // In the copy: 0.
  Fd pidfd;
};

// Goes on twice from here, in this process and in a child that is its copy. Only
// the thread that calls it is copied, so there must be no other.
[[nodiscard]] Result<Twin> fork_twin();

}  // namespace tyer::env
