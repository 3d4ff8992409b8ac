// A simulated process: an actor, its way to the store, and its place in a
// machine's process table.

#pragma once

#include <memory>
#include <string>

#include "sim/world.h"

namespace tyer::sim {

struct World::Process {
  Process(std::string its_name, Machine& its_machine, const Weather& its_weather,
          ActorFactory its_factory)
      : name(std::move(its_name)),
        machine(its_machine),
        weather(its_weather),
        factory(std::move(its_factory)) {}

  // Everything that lives and dies with the process. Later members use earlier ones.
  struct Life {
    Life(Machine& machine, std::int64_t pid, store::Store& real, std::uint64_t& commits, Rng& rng,
         const Weather& weather, Flaw flaw, const core::Catalog& catalog, env::Files& files,
         std::function<void()> die)
        : clock(machine),
          processes(machine, pid),
          env{clock, files, processes, rng},
          store(real, commits, rng, weather, flaw, std::move(die)),
          engine(env, store, catalog) {}

    MachineClock clock;
    MachineProcesses processes;
    env::Env env;
    FlakyStore store;
    engine::Engine engine;
  };

  void start(store::Store& real, std::uint64_t& commits, Rng& rng, const core::Catalog& catalog,
             env::Files& files, Flaw flaw, const bool& settling) {
    pid = machine.start_process();
    dying = false;
    life = std::make_unique<Life>(machine, pid, real, commits, rng, weather, flaw, catalog, files,
                                  [this] { dying = true; });
    actor = factory({life->engine, machine, rng, flaw, settling});
  }

  // Gone from the process table, and started again at `again`.
  void die(Time again) {
    if (is_running()) machine.end_process(pid);
    actor.reset();
    life.reset();
    dying = false;
    next = again;
  }

  [[nodiscard]] bool is_running() const { return actor != nullptr; }

  // When it can be given its next turn, as far as is known at `now`.
  [[nodiscard]] Time ready_at(Time now) const {
    if (machine.is_suspended()) return never;
    return std::max({next, stalled_until, now});
  }

  const std::string name;
  Machine& machine;
  const Weather& weather;
  const ActorFactory factory;

  std::int64_t pid = 0;
  std::unique_ptr<Life> life;
  std::unique_ptr<Actor> actor;
  bool dying = false;
  Time next{};
  Time stalled_until{};
};

}  // namespace tyer::sim
