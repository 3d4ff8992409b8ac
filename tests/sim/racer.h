// Races for a few locks, in line or not, and works under what it gets.

#pragma once

#include <optional>

#include "engine/keeper.h"
#include "lock/line.h"
#include "sim/world.h"

namespace tyer::testing {

class Racer final : public sim::Actor {
 public:
  explicit Racer(const sim::Home& home);

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return doing_; }
  [[nodiscard]] bool trusts(const std::string& key) const override;

 private:
  [[nodiscard]] Result<> ask();
  [[nodiscard]] Result<Time> dawdle(Time now, const Error& error);
  [[nodiscard]] Result<std::optional<core::Lease>> find_again();
  void take(const core::Lease& lease, Span asked);
  void line_up();
  [[nodiscard]] Result<> work();
  [[nodiscard]] Result<> release();
  void let_go();

  sim::Home home_;
  engine::Keeper keeper_;
  lock::Locks locks_;
  std::optional<lock::Line> line_;  // While it asks.
  const bool careless_;             // Writes without looking whether its lease still stands.

  bool waits_ = false;
  std::string run_;
  std::string key_;          // What it holds.
  std::uint64_t token_ = 0;  // Of what it holds; 0: nothing.
  std::uint64_t work_left_ = 0;
  std::string doing_;
};

}  // namespace tyer::testing
