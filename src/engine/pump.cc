#include "engine/pump.h"

#include <fmt/format.h>

#include "core/key.h"
#include "engine/limits.h"
#include "engine/timers.h"

namespace tyer::engine {
namespace {

const core::Rule* find_rule(const core::Catalog& catalog, const std::string& name) {
  for (const core::Rule& rule : catalog.rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

Result<> record(store::Txn& txn, const core::Catalog& catalog, core::Draft draft,
                const std::string& rule, std::uint64_t cause) {
  const Origin origin{"rule/" + rule, cause == 0 ? std::nullopt : std::optional(cause)};
  TYER_TRY_OK(apply(txn, catalog, {.events = {std::move(draft)}}, origin));
  return {};
}

// The next event of the aside's key that its rule wants and has already passed.
Result<std::optional<core::Event>> next_event(store::Txn& txn, const core::Rule& rule,
                                              Aside& aside) {
  TYER_TRY(const core::Cursor cursor, txn.cursor(cursor_name(rule)));
  while (true) {
    TYER_TRY(const auto events,
             txn.events(
                 {.after = aside.at - 1, .root = aside.subject, .limit = limits::pump_events_max}));
    for (const core::Event& event : events) {
      if (event.seq > cursor.seq) return std::nullopt;
      aside.at = event.seq;
      if (event.key == aside.subject && rule.wants_type(event.type)) return event;
    }
    if (events.empty()) return std::nullopt;
    ++aside.at;
  }
}

Result<> try_event_again(store::Txn& txn, const core::Catalog& catalog, Aside aside) {
  const core::Rule* rule = find_rule(catalog, aside.rule);
  if (rule == nullptr) return record(txn, catalog, aside_cleared(aside), aside.rule, 0);
  TYER_TRY(const auto event, next_event(txn, *rule, aside));
  if (!event) return record(txn, catalog, aside_cleared(aside), aside.rule, 0);
  if (const Result<> shown = show(txn, catalog, *rule, *event); !shown) {
    if (is_store_trouble(shown.error())) return shown;
    return record(txn, catalog, aside_failed(aside, shown.error(), txn.now()), aside.rule,
                  event->seq);
  }
  return record(txn, catalog, aside_passed(aside, event->seq + 1, txn.now()), aside.rule,
                event->seq);
}

}  // namespace

std::string cursor_name(const core::Rule& rule) {
  return "rule/" + rule.name;
}

bool is_store_trouble(const Error& error) {
  return error.fault == Fault::unavailable || error.fault == Fault::timeout;
}

Result<Time> Pump::step(Time now) {
  TYER_TRY(const bool idle, is_idle());
  if (idle) return now + limits::poll_every;
  TYER_TRY_OK(engine_.write([&](store::Txn& txn) -> Result<> {
    for (const core::Rule& rule : engine_.catalog().rules()) TYER_TRY_OK(feed(txn, rule));
    return {};
  }));
  return now;
}

Result<bool> Pump::is_idle() {
  bool idle = true;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    idle = true;
    TYER_TRY(const core::Head head, view.head());
    for (const core::Rule& rule : engine_.catalog().rules()) {
      TYER_TRY(const core::Cursor cursor, view.cursor(cursor_name(rule)));
      if (cursor.seq < head.seq) idle = false;
    }
    return {};
  }));
  return idle;
}

Result<> Pump::feed(store::Txn& txn, const core::Rule& rule) {
  TYER_TRY(core::Cursor cursor, txn.cursor(cursor_name(rule)));
  TYER_TRY(const auto events, txn.events({.after = cursor.seq, .limit = limits::pump_events_max}));
  if (events.empty()) return {};
  for (const core::Event& event : events) {
    cursor.seq = event.seq;
    if (!rule.wants_type(event.type)) continue;
    // Asides are the pump's own notes; to fail on one would make the next, without end.
    if (core::kind_of(event.key) == "aside") continue;
    // Behind an event that was set aside, its key's later ones wait their turn.
    TYER_TRY(const auto waiting, find_aside(txn, rule.name, event.key));
    if (waiting) continue;
    if (const Result<> shown = show(txn, engine_.catalog(), rule, event); !shown) {
      if (is_store_trouble(shown.error())) return shown;
      const Aside aside{rule.name, event.key, event.seq, 0, "", ""};
      TYER_TRY_OK(record(txn, engine_.catalog(), aside_failed(aside, shown.error(), txn.now()),
                         rule.name, event.seq));
    }
  }
  txn.put(std::move(cursor));
  return {};
}

Result<> show(store::Txn& txn, const core::Catalog& catalog, const core::Rule& rule,
              const core::Event& event) {
  TYER_TRY(const core::Change change, rule.decide(txn, event, txn.now()));
  if (change.empty()) return {};
  TYER_TRY_OK(apply(txn, catalog, change, {"rule/" + rule.name, event.seq}));
  return {};
}

Result<> try_again(store::Txn& txn, const core::Catalog& catalog, const Aside& aside) {
  if (aside.rule != timer_rule) return try_event_again(txn, catalog, aside);
  TYER_TRY(const auto subject, txn.subject(aside.subject));
  // Moved on since its timer failed: the old timer is nobody's business any more.
  if (!subject || subject->rev != aside.at)
    return record(txn, catalog, aside_cleared(aside), aside.rule, 0);
  if (const Result<> fired = fire(txn, catalog, *subject); !fired) {
    if (is_store_trouble(fired.error())) return fired;
    return record(txn, catalog, aside_failed(aside, fired.error(), txn.now()), aside.rule, 0);
  }
  return record(txn, catalog, aside_cleared(aside), aside.rule, 0);
}

}  // namespace tyer::engine
