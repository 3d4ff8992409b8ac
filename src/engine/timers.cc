#include "engine/timers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/key.h"
#include "engine/aside.h"
#include "engine/limits.h"
#include "engine/pump.h"

namespace tyer::engine {
namespace {

const Origin timer_origin{"timer"};

// Takes the timer off and sets the subject aside, to be tried again.
Result<> postpone(store::Txn& txn, const core::Catalog& catalog, const core::Subject& subject,
                  const Error& error) {
  const Aside aside{std::string(timer_rule), subject.key, subject.rev + 1, 0, "", ""};
  TYER_TRY_OK(apply(txn, catalog,
                    {.events = {{.key = subject.key,
                                 .type = std::string(core::timer_failed),
                                 .body = dump_json(Json{
                                     {"error", printable(error.what, limits::error_bytes_max)}})},
                                aside_failed(aside, error, txn.now())}},
                    timer_origin));
  return {};
}

// A timer that was set anew and has fired leaves nothing of its earlier failure.
Result<> clear_aside(store::Txn& txn, const core::Catalog& catalog, const core::Subject& subject) {
  TYER_TRY(const auto aside, find_aside(txn, std::string(timer_rule), subject.key));
  if (aside) TYER_TRY_OK(apply(txn, catalog, {.events = {aside_cleared(*aside)}}, timer_origin));
  return {};
}

}  // namespace

Result<Time> Timers::step(Time now) {
  TYER_TRY(const Time store_now, engine_.store_time());
  const Time looked = std::exchange(looked_, now);
  const Time store_then = std::exchange(store_then_, store_now);
  std::vector<core::Subject> next;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(next, view.due(store_now + limits::poll_every, 1));
    return {};
  }));
  if (next.empty()) return now + limits::poll_every;
  // While the store's clock, set back, catches up with the last event, the store's time stands
  // still: what is due in a moment is due then, and asking for it all the time helps nobody.
  const bool stands_still = store_now == store_then && now > looked;
  if (*next.front().due_at > store_now) {
    return now + (stands_still ? limits::poll_every : *next.front().due_at - store_now);
  }

  TYER_TRY_OK(engine_.write([&](store::Txn& txn) -> Result<> {
    TYER_TRY(const auto due, txn.due(txn.now(), limits::due_rows_max));
    for (const core::Subject& subject : due) TYER_TRY_OK(handle(txn, subject));
    return {};
  }));
  return now;
}

Result<> Timers::handle(store::Txn& txn, const core::Subject& subject) {
  const core::Catalog& catalog = engine_.catalog();
  // An earlier one in this batch may have moved it.
  TYER_TRY(const auto current, txn.subject(subject.key));
  if (!current || current->rev != subject.rev) return {};
  if (core::kind_of(subject.key) == "aside") {
    TYER_TRY(const Aside aside, decode_aside(subject));
    return try_again(txn, catalog, aside);
  }
  const Result<> fired = fire(txn, catalog, subject);
  if (fired) return clear_aside(txn, catalog, subject);
  if (is_store_trouble(fired.error())) return fired;
  return postpone(txn, catalog, subject, fired.error());
}

Result<> fire(store::Txn& txn, const core::Catalog& catalog, const core::Subject& subject) {
  const core::Kind* kind = catalog.kind(core::kind_of(subject.key));
  if (kind == nullptr || !kind->on_due) {
    return fail(Fault::invalid, fmt::format("{}: its kind has no timers", subject.key));
  }
  return txn.attempt([&]() -> Result<> {
    TYER_TRY(const core::Change change, kind->on_due(txn, subject, txn.now()));
    TYER_TRY_OK(apply(txn, catalog, change, timer_origin));
    TYER_TRY(const auto after, txn.subject(subject.key));
    const bool still_due = after->due_at && *after->due_at <= txn.now();
    if (after->rev == subject.rev || still_due) {
      return fail(Fault::invalid, fmt::format("{}: its timer was not moved", subject.key));
    }
    return {};
  });
}

}  // namespace tyer::engine
