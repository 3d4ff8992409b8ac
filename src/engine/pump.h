// Shows events to rules and commits what they decide (law 4).
//
// A rule's cursor is read, its effect applied and the cursor moved in one
// transaction of the one writer. So any number of pumps, on any number of
// machines, may run on one store without a leader: whoever comes second finds
// the cursor moved. A rule that fails does not hold up anybody (aside.h).

#pragma once

#include "core/kind.h"
#include "engine/aside.h"
#include "engine/engine.h"

namespace tyer::engine {

[[nodiscard]] std::string cursor_name(const core::Rule& rule);

// Whether an error is the store's trouble and says nothing about the decision.
[[nodiscard]] bool is_store_trouble(const Error& error);

class Pump {
 public:
  explicit Pump(Engine& engine) : engine_(engine) {}

  // Shows each rule the next events. Returns `now` if more are waiting.
  [[nodiscard]] Result<Time> step(Time now);

 private:
  [[nodiscard]] Result<bool> is_idle();
  [[nodiscard]] Result<> feed(store::Txn& txn, const core::Rule& rule);

  Engine& engine_;
};

// Shows `event` to `rule` inside `txn`. What the rule decided is applied whole
// or, on an error, not at all.
[[nodiscard]] Result<> show(store::Txn& txn, const core::Catalog& catalog, const core::Rule& rule,
                            const core::Event& event);

// Tries what is set aside for `aside` once more: one event, or the timer.
[[nodiscard]] Result<> try_again(store::Txn& txn, const core::Catalog& catalog, const Aside& aside);

}  // namespace tyer::engine
