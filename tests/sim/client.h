// Starts chains, sets alarms, and in the end opens the gate and retries what is stuck.

#pragma once

#include "sim/world.h"

namespace tyer::testing {

class Client final : public sim::Actor {
 public:
  explicit Client(const sim::Home& home) : home_(home) {}

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return doing_; }

 private:
  [[nodiscard]] Result<> create();
  [[nodiscard]] Result<> tidy_up();

  sim::Home home_;
  std::string doing_;
};

}  // namespace tyer::testing
