// The parts that a hub or worker keeps running, as one simulated process.

#pragma once

#include <array>

#include "engine/pump.h"
#include "engine/sweeper.h"
#include "engine/timers.h"
#include "sim/world.h"

namespace tyer::sim {

class Daemon final : public Actor {
 public:
  explicit Daemon(const Home& home);

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return last_; }
  [[nodiscard]] bool swept() const override { return last_ == "sweeps"; }

 private:
  struct Part {
    std::string name;
    std::function<Result<Time>(Time)> step;
    Span pause{};  // Until its next step.
  };

  Rng& rng_;
  engine::Pump pump_;
  engine::Timers timers_;
  engine::Sweeper sweeper_;
  std::array<Part, 3> parts_;
  Time now_{};
  std::string last_;
};

}  // namespace tyer::sim
