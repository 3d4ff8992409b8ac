#include "sim/machine.h"

#include <csignal>

#include <fmt/format.h>

namespace tyer::sim {
namespace {

class MachineChild final : public env::Child {
 public:
  MachineChild(Machine& machine, std::int64_t pid)
      : machine_(machine), pid_(pid), start_(machine.start_of(pid)) {}

  std::int64_t pid() const override { return pid_; }
  std::int64_t pid_start() const override { return start_; }
  int fd() const override { return -1; }

  Result<std::optional<env::Exit>> wait(Span) override {
    if (machine_.start_of(pid_) == start_) return std::nullopt;
    return env::Exit{.code = 0, .signal = signal_};
  }

  Result<> signal_group(int signal) override {
    if (machine_.start_of(pid_) != start_ || signal == 0) return {};
    signal_ = signal;
    machine_.end_process(pid_);
    return {};
  }

  // It stays in the table in any case.
  void let_go() override {}

 private:
  Machine& machine_;
  const std::int64_t pid_;
  const std::int64_t start_;
  int signal_ = SIGKILL;
};

}  // namespace

Machine::Machine(std::string host, const TrueTime& time, bool hides_start_times)
    : host_(std::move(host)), time_(time), hides_start_times_(hides_start_times) {
  restart();
}

void Machine::restart() {
  boot_ = fmt::format("{}-boot{}", host_, ++boots_);
  booted_at_ = time_.now;
  slept_ = {};
  suspended_at_.reset();
  last_pid_ = 100;
  starts_.clear();
}

void Machine::suspend() {
  if (!suspended_at_) suspended_at_ = time_.now;
}

void Machine::resume() {
  if (suspended_at_) slept_ += time_.now - *suspended_at_;
  suspended_at_.reset();
}

Span Machine::mono() const {
  const Time until = suspended_at_.value_or(time_.now);
  return until - booted_at_ - slept_ + Span(1s);
}

std::int64_t Machine::start_process(std::int64_t pid) {
  if (pid == 0) pid = ++last_pid_;
  // Ticks of a hundredth of a second; a reused pid starts later than its predecessor.
  starts_[pid] = boot_time() / 10ms;
  return pid;
}

core::ProcessFacts Machine::facts(std::int64_t pid) const {
  const auto found = starts_.find(pid);
  if (found == starts_.end()) return {core::ProcessFacts::Presence::absent, 0};
  return {core::ProcessFacts::Presence::present, hides_start_times_ ? 0 : found->second};
}

std::int64_t Machine::start_of(std::int64_t pid) const {
  const auto found = starts_.find(pid);
  return found == starts_.end() ? 0 : found->second;
}

bool Machine::is_running(const core::Holder& holder) const {
  return holder.place == place() && start_of(holder.pid) == holder.pid_start;
}

core::Sight MachineProcesses::look(const core::Holder& holder) const {
  return core::assess(holder, machine_.place(), machine_.mono(), machine_.facts(holder.pid));
}

core::Holder MachineProcesses::self(std::string run) const {
  return {machine_.place(), pid_, machine_.start_of(pid_), std::move(run)};
}

Result<core::Holder> MachineProcesses::holder(std::int64_t pid, std::string run) const {
  if (machine_.start_of(pid) == 0)
    return fail(Fault::not_found, fmt::format("there is no process {}", pid));
  return core::Holder{machine_.place(), pid, machine_.start_of(pid), std::move(run)};
}

Result<std::unique_ptr<env::Child>> MachineProcesses::spawn(const env::Spawn& spawn) {
  if (spawn.argv.empty()) return fail(Fault::invalid, "a process needs a program");
  return std::make_unique<MachineChild>(machine_, machine_.start_process());
}

}  // namespace tyer::sim
