// The process table of this machine.
//
// Where we are (host, boot, pid namespace) is read once: none of it changes
// while a process lives, but for a host name that somebody sets anew, and
// then one name for one process is the better answer. A holder in another
// place is never probed, because its pid means somebody else here.

#pragma once

#include <atomic>

#include "env/clock.h"
#include "env/processes.h"

namespace tyer::env {

class LinuxProcesses final : public Processes {
 public:
  explicit LinuxProcesses(const Clock& clock);

  [[nodiscard]] core::Sight look(const core::Holder& holder) const override;
  [[nodiscard]] core::Place here() const override { return here_; }
  [[nodiscard]] core::Holder self(std::string run) const override;
  [[nodiscard]] Result<core::Holder> holder(std::int64_t pid, std::string run) const override;
  [[nodiscard]] Result<std::unique_ptr<Child>> spawn(const Spawn& spawn) override;
  [[nodiscard]] Result<std::optional<Fd>> watch_end(const core::Holder& holder) const override;
  void ring(const std::string& bell) const override;

 private:
  const Clock& clock_;
  core::Place here_;
  // Our own, once they are known; the start is right where the pid is.
  mutable std::atomic<std::int64_t> own_pid_ = 0;
  mutable std::atomic<std::int64_t> own_start_ = 0;
};

}  // namespace tyer::env
