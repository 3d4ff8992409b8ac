#include "sim/client.h"

#include <fmt/format.h>

#include "base/json.h"
#include "engine/aside.h"

namespace tyer::testing {
namespace {

constexpr std::size_t things_max = 25;  // Of each kind in one world.

}  // namespace

Result<Time> Client::step(Time now) {
  doing_.clear();
  TYER_TRY_OK(home_.settling ? tidy_up() : create());
  return now + home_.rng.between(Span(1s), Span(20s));
}

Result<> Client::create() {
  const bool alarm = home_.rng.one_in(3);
  const std::uint64_t hops = home_.rng.below(4);
  const std::uint64_t poison = home_.rng.one_in(3) ? 1 : 0;
  const Span delay = home_.rng.between(Span(0), Span(5min));
  TYER_TRY_OK(
      home_.engine.apply({"client"}, [&](const core::View& view, Time now) -> Result<core::Change> {
        const std::string kind = alarm ? "alarm" : "chain";
        TYER_TRY(const auto rows, view.subjects({.kind = kind, .limit = things_max}));
        if (rows.size() == things_max) return core::Change{};
        const std::string key = fmt::format("{}/{}", kind, rows.size());
        doing_ = "makes " + key;
        const Json body = alarm ? Json{{"due_at", to_micros(now + delay)}}
                                : Json{{"hops", hops}, {"poison", poison}};
        return core::Change{.events = {{.key = key,
                                        .type = alarm ? "alarm.set" : "chain.started",
                                        .body = dump_json(body),
                                        .expected_rev = 0}}};
      }));
  return {};
}

Result<> Client::tidy_up() {
  TYER_TRY_OK(
      home_.engine.apply({"client"}, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const auto gate, view.subject("gate/main"));
        if (!gate) {
          doing_ = "opens the gate";
          return core::Change{.events = {{.key = "gate/main", .type = "gate.opened"}}};
        }
        TYER_TRY(const auto stuck, view.subjects({.kind = "aside", .status = "stuck", .limit = 1}));
        if (stuck.empty()) return core::Change{};
        doing_ = "retries " + stuck.front().key;
        return engine::retry_aside(view, stuck.front().key, now);
      }));
  return {};
}

}  // namespace tyer::testing
