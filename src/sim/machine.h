// A simulated machine: a clock that can jump and sleep, and a process table
// that reuses pids.
//
// True time is the world's. A machine's wall clock is true time plus an error;
// its monotonic clock runs only while the machine does. What it answers about
// processes goes through core::assess, as on a real machine.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "env/clock.h"
#include "env/processes.h"

namespace tyer::sim {

// True time, moved by the world alone.
struct TrueTime {
  Time now{};
};

class Machine {
 public:
  Machine(std::string host, const TrueTime& time, bool hides_start_times);

  // Power. A restart ends every process, and the monotonic clock begins anew.
  void restart();
  void suspend();
  void resume();
  [[nodiscard]] bool is_suspended() const { return suspended_at_.has_value(); }

  // The wall clock is wrong by `error` from now on.
  void set_clock_error(Span error) { clock_error_ = error; }
  [[nodiscard]] Time wall() const { return time_.now + clock_error_; }
  [[nodiscard]] Span boot_time() const { return time_.now - booted_at_ + Span(1s); }
  [[nodiscard]] Span mono() const;

  // Processes. A pid of 0 takes the next free one; another value reuses that pid.
  std::int64_t start_process(std::int64_t pid = 0);
  void end_process(std::int64_t pid) { starts_.erase(pid); }
  [[nodiscard]] core::ProcessFacts facts(std::int64_t pid) const;
  [[nodiscard]] std::int64_t start_of(std::int64_t pid) const;
  [[nodiscard]] bool is_running(const core::Holder& holder) const;

  [[nodiscard]] core::Place place() const { return {host_, boot_, "ns"}; }
  [[nodiscard]] const std::string& host() const { return host_; }

 private:
  const std::string host_;
  const TrueTime& time_;
  const bool hides_start_times_;

  std::string boot_;
  int boots_ = 0;
  Time booted_at_{};
  Span slept_{};
  std::optional<Time> suspended_at_;
  Span clock_error_{};
  std::int64_t last_pid_ = 100;
  std::map<std::int64_t, std::int64_t> starts_;  // Pid to start time, of running processes.
};

class MachineClock final : public env::Clock {
 public:
  explicit MachineClock(const Machine& machine) : machine_(machine) {}
  [[nodiscard]] Time now() const override { return machine_.wall(); }
  [[nodiscard]] Span mono() const override { return machine_.mono(); }
  [[nodiscard]] Span boot_time() const override { return machine_.boot_time(); }

 private:
  const Machine& machine_;
};

// The processes of a machine, as one of them sees them.
class MachineProcesses final : public env::Processes {
 public:
  MachineProcesses(Machine& machine, std::int64_t pid) : machine_(machine), pid_(pid) {}

  [[nodiscard]] core::Sight look(const core::Holder& holder) const override;
  [[nodiscard]] core::Place here() const override { return machine_.place(); }
  [[nodiscard]] core::Holder self(std::string run) const override;
  [[nodiscard]] Result<core::Holder> holder(std::int64_t pid, std::string run) const override;

  // A process of the table that runs until it is signalled or the machine restarts.
  [[nodiscard]] Result<std::unique_ptr<env::Child>> spawn(const env::Spawn& spawn) override;

  // There is nothing to wait on in a world of steps.
  [[nodiscard]] Result<std::optional<env::Fd>> watch_end(const core::Holder&) const override {
    return std::nullopt;
  }
  void ring(const std::string&) const override {}

 private:
  Machine& machine_;
  const std::int64_t pid_;
};

}  // namespace tyer::sim
