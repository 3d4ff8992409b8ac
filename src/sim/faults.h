// What goes wrong in a world, drawn from its seed (P17).

#pragma once

#include <functional>
#include <vector>

#include "sim/world.h"

namespace tyer::sim {

class World::Faults {
 public:
  explicit Faults(World& world);

  // Perhaps something breaks; perhaps something that broke is well again.
  void step();

  // Everything is well from now on. What is lost stays lost.
  void stop();

 private:
  void break_something();
  void kill(bool reuse_pid);
  void stall();
  void restart_machine();
  void suspend_machine();
  void change_clock();
  void change_store_clock();
  void cut_machine();
  void bad_weather();

  // Undoes a fault once true time has come this far.
  void later(Span after, std::function<void()> undo);
  [[nodiscard]] std::size_t some_machine();
  [[nodiscard]] Process& some_process();
  void tell(const std::string& what) const;

  World& world_;
  Rng& rng_;
  const bool store_clock_jumps_;
  struct Undo {
    Time at{};
    std::function<void()> undo;
  };
  std::vector<Undo> undo_;
};

}  // namespace tyer::sim
