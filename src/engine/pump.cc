#include "engine/pump.h"

#include <algorithm>

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

Pump::Pump(Engine& engine) : engine_(engine) {
  const std::vector<core::Rule>& rules = engine_.catalog().rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const std::string& type : rules[i].wants) by_type_[type];
    if (rules[i].wants.empty()) of_all_types_.push_back(i);
  }
  // In the catalog's order, whatever each of them wants.
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (auto& [type, readers] : by_type_) {
      if (rules[i].wants_type(type)) readers.push_back(i);
    }
  }
}

const std::vector<std::size_t>& Pump::readers_of(const core::Event& event) const {
  static const std::vector<std::size_t> none;
  // Asides are the pump's own notes; to fail on one would make the next, without end.
  if (core::kind_of(event.key) == "aside") return none;
  const auto found = by_type_.find(event.type);
  return found == by_type_.end() ? of_all_types_ : found->second;
}

Result<Pump::Page> Pump::read_page(const core::View& view) const {
  Page page;
  if (engine_.catalog().rules().empty()) return page;
  for (const core::Rule& rule : engine_.catalog().rules()) {
    TYER_TRY(page.cursors.emplace_back(), view.cursor(cursor_name(rule)));
  }
  const std::uint64_t after = std::ranges::min(page.cursors, {}, &core::Cursor::seq).seq;
  TYER_TRY(const core::Head head, view.head());
  if (after >= head.seq) return page;
  TYER_TRY(page.events, view.events({.after = after, .limit = limits::pump_events_max}));
  return page;
}

bool Pump::is_wanted(const Page& page) const {
  return std::ranges::any_of(page.events, [&](const core::Event& event) {
    return std::ranges::any_of(readers_of(event), [&](std::size_t reader) {
      return page.cursors[reader].seq < event.seq;
    });
  });
}

Result<Time> Pump::step(Time now) {
  bool is_idle = true;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const Page page, read_page(view));
    is_idle = page.events.size() < limits::pump_events_max && !is_wanted(page);
    return {};
  }));
  if (is_idle) return now + limits::poll_every;
  TYER_TRY_OK(engine_.write([&](store::Txn& txn) { return feed(txn); }));
  return now;
}

Result<> Pump::feed(store::Txn& txn) const {
  TYER_TRY(Page page, read_page(txn));
  if (page.events.empty()) return {};
  for (const core::Event& event : page.events) {
    for (const std::size_t reader : readers_of(event)) {
      if (page.cursors[reader].seq >= event.seq) continue;
      TYER_TRY_OK(show_or_park(txn, engine_.catalog().rules()[reader], event));
    }
  }
  const std::uint64_t shown = page.events.back().seq;
  for (core::Cursor& cursor : page.cursors) {
    if (cursor.seq >= shown) continue;
    cursor.seq = shown;
    txn.put(std::move(cursor));
  }
  return {};
}

Result<> Pump::show_or_park(store::Txn& txn, const core::Rule& rule,
                            const core::Event& event) const {
  // Behind an event that was set aside, its key's later ones wait their turn.
  TYER_TRY(const auto waiting, find_aside(txn, rule.name, event.key));
  if (waiting) return {};
  const Result<> shown = show(txn, engine_.catalog(), rule, event);
  if (shown || is_store_trouble(shown.error())) return shown;
  const Aside aside{rule.name, event.key, event.seq, 0, "", ""};
  return record(txn, engine_.catalog(), aside_failed(aside, shown.error(), txn.now()), rule.name,
                event.seq);
}

void drain(Engine& engine) {
  Pump pump(engine);
  for (int i = 0; i < limits::drain_steps_max; ++i) {
    const auto next = pump.step(Time{});
    if (!next || *next != Time{}) return;
  }
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
