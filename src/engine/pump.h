// Shows events to rules and commits what they decide (law 4).
//
// The log is read once for all rules, and each event is shown to those that want
// its type. Cursors are read, effects applied and cursors moved in one
// transaction of the one writer. So any number of pumps, on any number of
// machines, may run on one store without a leader: whoever comes second finds
// the cursors moved. A rule that fails does not hold up anybody (aside.h).
//
// Events that no rule wants cost no commit: cursors move past them with the next
// one that is wanted, or once there are `pump_events_max` of them.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/kind.h"
#include "engine/aside.h"
#include "engine/engine.h"

namespace tyer::engine {

[[nodiscard]] std::string cursor_name(const core::Rule& rule);

// Whether an error is the store's trouble and says nothing about the decision.
[[nodiscard]] bool is_store_trouble(const Error& error);

class Pump {
 public:
  explicit Pump(Engine& engine);

  // Shows the rules the next events. Returns `now` if more are waiting.
  [[nodiscard]] Result<Time> step(Time now);

 private:
  // The next events for all rules, and where each rule stands in the log.
  struct Page {
    std::vector<core::Cursor> cursors;  // As the rules of the catalog.
    std::vector<core::Event> events;
  };
  [[nodiscard]] Result<Page> read_page(const core::View& view) const;
  [[nodiscard]] bool is_wanted(const Page& page) const;
  [[nodiscard]] Result<> feed(store::Txn& txn) const;
  [[nodiscard]] Result<> show_or_park(store::Txn& txn, const core::Rule& rule,
                                      const core::Event& event) const;
  // Indexes of the rules that are shown events like this one.
  [[nodiscard]] const std::vector<std::size_t>& readers_of(const core::Event& event) const;

  Engine& engine_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_type_;
  std::vector<std::size_t> of_all_types_;
};

// Lets rules deal with all that is in the store, for a process that leaves then. Whatever is not
// done within `drain_steps_max` steps, or fails, is for whoever opens the store next.
void drain(Engine& engine);

// Shows `event` to `rule` inside `txn`. What the rule decided is applied whole
// or, on an error, not at all.
[[nodiscard]] Result<> show(store::Txn& txn, const core::Catalog& catalog, const core::Rule& rule,
                            const core::Event& event);

// Tries what is set aside for `aside` once more: one event, or the timer.
[[nodiscard]] Result<> try_again(store::Txn& txn, const core::Catalog& catalog, const Aside& aside);

}  // namespace tyer::engine
