// A simulated world: machines with processes on one real store, moved one step
// at a time in an order drawn from the seed.
//
// The engine, the rules, the stores' transactions are the real ones. What is
// simulated is what lies around them: time, processes, and the way to the
// store. Workloads are actors in processes; faults happen between and inside
// their steps; the laws are checked after every step. After the faults stop the
// world must settle. One seed decides everything, so a failure is repeated by
// its number.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "sim/disk.h"
#include "sim/flaky_store.h"
#include "sim/laws.h"
#include "sim/machine.h"
#include "sim/rng.h"

namespace tyer::sim {

struct WorldOptions {
  std::uint64_t seed = 1;
  Flaw flaw = Flaw::none;
  int steps = 400;  // With faults; settling comes after.
  std::function<void(const std::string&)> trace = {};
};

// Where an actor lives: its process.
struct Home {
  engine::Engine& engine;
  Machine& machine;
  Rng& rng;
  Flaw flaw;
  const bool& settling;  // No new work: finish what is begun.
};

// Something that runs in a simulated process.
class Actor {
 public:
  virtual ~Actor() = default;

  // Does what can be done now and says when it wants to be called again.
  [[nodiscard]] virtual Result<Time> step(Time now) = 0;

  // One word or two for the trace: what the last step did.
  [[nodiscard]] virtual std::string doing() const { return ""; }

  // A truth about this actor and the world, checked after each of its steps.
  [[nodiscard]] virtual Broken check(const Laws&) { return std::nullopt; }

  // Whether its last step was a whole sweep over the leases.
  [[nodiscard]] virtual bool swept() const { return false; }

  // Whether this actor believes that it may act on `key` now.
  [[nodiscard]] virtual bool trusts(const std::string&) const { return false; }
};

using ActorFactory = std::function<std::unique_ptr<Actor>(const Home&)>;

class World {
 public:
  // `settled` says what is still missing when the world should be at rest.
  World(const WorldOptions& options, const core::Catalog& catalog,
        std::function<Broken(const core::View&, const Laws&)> settled);
  ~World();

  // An actor in a process of its own on one of the machines, started again when it dies.
  void employ(const std::string& name, std::size_t machine, ActorFactory factory);

  void observe(Laws::Observer observer) { laws_->observe(std::move(observer)); }
  [[nodiscard]] std::size_t machine_count() const { return machines_.size(); }
  [[nodiscard]] Rng& rng() { return rng_; }

  // Runs to the end. Nothing if every law held and the world settled.
  [[nodiscard]] Broken run();

 private:
  struct Process;
  class Faults;

  // For judging the judges: when a live lease was granted and last renewed, by
  // the monotonic clock of its holder's machine.
  struct Heard {
    std::uint64_t token = 0;
    Time heard_at{};
    std::optional<Span> heard_mono;
    Span mono{};
    Span granted_mono{};
  };

  [[nodiscard]] Broken step_one();
  [[nodiscard]] Broken settle();
  [[nodiscard]] Broken check_after(Process& process, bool succeeded);
  [[nodiscard]] Broken check_committed();
  [[nodiscard]] Broken check_verdict(const core::Event& event);
  [[nodiscard]] Broken check_dead_holders(const Process& sweeper);
  [[nodiscard]] Broken check_trust();
  [[nodiscard]] core::Judgement judge(const core::Lease& lease) const;
  [[nodiscard]] Machine* machine_of(const std::string& host) const;
  void trace(const Process& process, const std::string& what) const;

  const WorldOptions options_;
  Rng rng_;
  TrueTime time_;
  Disk disk_;
  SimFiles files_{disk_};
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<Weather> weather_;  // One way to the store per machine.
  const std::unique_ptr<Machine> database_;
  MachineClock database_clock_;
  MachineProcesses database_processes_;
  env::Env database_env_;
  std::unique_ptr<store::Store> store_;
  std::uint64_t commits_ = 0;
  std::uint64_t checked_ = 0;  // As many of them.
  const core::Catalog& catalog_;
  const std::function<Broken(const core::View&, const Laws&)> settled_;
  std::unique_ptr<Laws> laws_;
  std::vector<std::unique_ptr<Process>> processes_;
  bool settling_ = false;
  bool store_clock_jumped_ = false;
  std::map<std::string, Heard> heard_;
  std::map<std::uint64_t, int> outlived_;  // Sweeps, by token, since the holder was gone.
};

}  // namespace tyer::sim
