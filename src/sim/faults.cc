#include "sim/faults.h"

#include <fmt/format.h>

#include "sim/process.h"

namespace tyer::sim {

World::Faults::Faults(World& world)
    : world_(world), rng_(world.rng_), store_clock_jumps_(world.rng_.one_in(4)) {
  world_.store_clock_jumped_ = store_clock_jumps_;
}

void World::Faults::step() {
  std::erase_if(undo_, [&](const Undo& due) {
    if (due.at > world_.time_.now) return false;
    due.undo();
    return true;
  });
  // A machine that sleeps wakes only by this, so time must not stand still for it.
  if (undo_.size() >= world_.machines_.size() + 2) {
    world_.time_.now += 1s;
    return;
  }
  if (rng_.one_in(12)) break_something();
}

void World::Faults::stop() {
  for (const Undo& due : undo_) due.undo();
  undo_.clear();
  for (Weather& weather : world_.weather_) weather = {};
  for (const auto& machine : world_.machines_) machine->resume();
  for (const auto& process : world_.processes_) process->stalled_until = {};
  tell("faults stop");
}

void World::Faults::break_something() {
  switch (rng_.below(9)) {
    case 0: return kill(false);
    case 1: return kill(true);
    case 2: return stall();
    case 3: return rng_.one_in(3) ? restart_machine() : kill(true);
    case 4: return suspend_machine();
    case 5: return change_clock();
    case 6: return store_clock_jumps_ ? change_store_clock() : change_clock();
    case 7: return cut_machine();
    default: return bad_weather();
  }
}

// SIGKILL. With `reuse_pid` the kernel gives the pid to somebody else at once.
void World::Faults::kill(bool reuse_pid) {
  Process& process = some_process();
  if (!process.is_running()) return;
  const std::int64_t pid = process.pid;
  process.die(world_.time_.now + rng_.between(Span(0), Span(2min)));
  tell(fmt::format("kill {} on {}{}", process.name, process.machine.host(),
                   reuse_pid ? ", pid reused" : ""));
  if (!reuse_pid) return;
  world_.time_.now += 20ms;
  process.machine.start_process(pid);
}

// SIGSTOP, or a starved machine: the process lives and does nothing.
void World::Faults::stall() {
  Process& process = some_process();
  process.stalled_until = world_.time_.now + rng_.between(Span(1s), Span(6min));
  tell(fmt::format("stall {} on {}", process.name, process.machine.host()));
}

void World::Faults::restart_machine() {
  Machine& machine = *world_.machines_[some_machine()];
  for (const auto& process : world_.processes_) {
    if (&process->machine == &machine)
      process->die(world_.time_.now + rng_.between(Span(10s), Span(2min)));
  }
  machine.restart();
  tell("restart " + machine.host());
}

void World::Faults::suspend_machine() {
  Machine& machine = *world_.machines_[some_machine()];
  if (machine.is_suspended()) return;
  machine.suspend();
  tell("suspend " + machine.host());
  later(rng_.between(Span(5s), Span(30min)), [this, &machine] {
    machine.resume();
    tell("resume " + machine.host());
  });
}

void World::Faults::change_clock() {
  Machine& machine = *world_.machines_[some_machine()];
  machine.set_clock_error(rng_.between(Span(-1h), Span(1h)));
  tell("clock of " + machine.host() + " jumps");
}

void World::Faults::change_store_clock() {
  world_.database_->set_clock_error(rng_.between(Span(-3min), Span(3min)));
  tell("clock of the store jumps");
}

void World::Faults::cut_machine() {
  const std::size_t machine = some_machine();
  world_.weather_[machine].cut = true;
  tell(fmt::format("m{} is cut off", machine));
  later(rng_.between(Span(1s), Span(8min)), [this, machine] {
    world_.weather_[machine].cut = false;
    tell(fmt::format("m{} is back", machine));
  });
}

void World::Faults::bad_weather() {
  const std::size_t machine = some_machine();
  world_.weather_[machine].one_in = rng_.between(2, 20);
  tell(fmt::format("bad weather for m{}", machine));
  later(rng_.between(Span(1s), Span(2min)),
        [this, machine] { world_.weather_[machine].one_in = 0; });
}

void World::Faults::later(Span after, std::function<void()> undo) {
  undo_.push_back({world_.time_.now + after, std::move(undo)});
}

std::size_t World::Faults::some_machine() {
  return rng_.below(world_.machines_.size());
}

World::Process& World::Faults::some_process() {
  return *world_.processes_[rng_.below(world_.processes_.size())];
}

void World::Faults::tell(const std::string& what) const {
  if (world_.options_.trace) world_.options_.trace("           -- " + what);
}

}  // namespace tyer::sim
