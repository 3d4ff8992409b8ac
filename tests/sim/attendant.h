// Keepers of runs and those who settle what dead ones leave, by the decisions of src/run: a run is
// created, started with its lease, kept for a while, ended, and sometimes tried again.

#pragma once

#include <optional>
#include <string>

#include "engine/keeper.h"
#include "run/record.h"
#include "sim/world.h"

namespace tyer::testing {

class Attendant final : public sim::Actor {
 public:
  explicit Attendant(const sim::Home& home) : home_(home), keeper_(home.engine) {}

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return doing_; }
  [[nodiscard]] bool trusts(const std::string& key) const override { return keeper_.trusts(key); }

 private:
  enum class Stage : std::uint8_t { idle, creating, starting, working, ending };

  [[nodiscard]] Result<> act();
  [[nodiscard]] Result<> create();
  [[nodiscard]] Result<> start();
  [[nodiscard]] Result<> end();
  void work();
  [[nodiscard]] run::Guards guards(const std::string& id) const;
  [[nodiscard]] std::string new_id() const;

  sim::Home home_;
  engine::Keeper keeper_;
  Stage stage_ = Stage::idle;
  run::Job job_;
  std::string next_;  // The attempt after this one; empty: none.
  std::int64_t attempt_ = 1;
  std::uint64_t token_ = 0;
  std::uint64_t work_left_ = 0;
  bool is_lost_ = false;
  std::string doing_;
};

// What `run::settle` decides, without a process table that it could kill in.
class Settler final : public sim::Actor {
 public:
  explicit Settler(const sim::Home& home) : home_(home) {}

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return doing_; }

 private:
  [[nodiscard]] Result<> settle(const std::string& key);

  sim::Home home_;
  std::string doing_;
};

// One outcome for each run, and no lease that outlives it.
[[nodiscard]] sim::Broken observe_runs(const core::Event& event, const sim::Laws& laws);

}  // namespace tyer::testing
