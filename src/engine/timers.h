// When a subject's due_at has come, its kind decides what time has changed.
//
// Like the pump it needs no leader: what is due is read and moved on in one
// transaction. A timer that fails is taken off its subject, with an event that
// says so, and set aside to be tried again (aside.h).

#pragma once

#include "engine/engine.h"

namespace tyer::engine {

class Timers {
 public:
  explicit Timers(Engine& engine) : engine_(engine) {}

  // Handles what is due by the store's time. Returns when the next is due at
  // the latest, or `now` if there is more to do.
  [[nodiscard]] Result<Time> step(Time now);

 private:
  [[nodiscard]] Result<> handle(store::Txn& txn, const core::Subject& subject);

  Engine& engine_;
  Time looked_{};  // When it last looked, by its own clock and by the store's.
  Time store_then_{};
};

// Lets the kind of `subject` decide that its time has come. The decision is
// refused if it says nothing of the subject or leaves the timer due: it would
// come for ever.
[[nodiscard]] Result<> fire(store::Txn& txn, const core::Catalog& catalog,
                            const core::Subject& subject);

}  // namespace tyer::engine
