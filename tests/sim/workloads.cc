#include "sim/workloads.h"

#include <fmt/format.h>

#include "base/json.h"
#include "core/key.h"
#include "core/run.h"
#include "engine/aside.h"
#include "engine/pump.h"
#include "sim/attendant.h"
#include "sim/client.h"
#include "sim/daemon.h"
#include "sim/racer.h"

namespace tyer::testing {
namespace {

using core::absent;
using core::any;
using core::Change;
using core::Event;
using core::Kind;
using core::same;
using core::Subject;
using core::View;

constexpr int rings_wanted = 3;

Result<Json> state_of(const View& view, const std::string& key) {
  TYER_TRY(const auto subject, view.subject(key));
  if (!subject) return Json::object();
  return parse_json_object(subject->state);
}

core::Draft draft(const std::string& key, const char* type, const Json& body = Json::object()) {
  return {.key = key, .type = type, .body = dump_json(body)};
}

Result<Change> ring(const View&, const Subject& alarm, Time now) {
  TYER_TRY(const Json state, parse_json_object(alarm.state));
  const std::int64_t rings = int_or(state, "rings") + 1;
  if (rings >= rings_wanted) {
    return Change{
        .events = {draft(alarm.key, "alarm.finished", {{"rings", rings}, {"due_at", nullptr}})}};
  }
  const Json body{{"rings", rings}, {"due_at", to_micros(now + 30s)}};
  return Change{.events = {draft(alarm.key, "alarm.rang", body)}};
}

Result<Change> advance_chain(const View&, const Event& event, Time) {
  TYER_TRY(const Json body, parse_json_object(event.body));
  const std::int64_t hops = int_or(body, "hops");
  if (hops > 0) return Change{.events = {draft(event.key, "chain.advanced", {{"hops", hops - 1}})}};
  return Change{.events = {draft(event.key, "chain.finished")}};
}

Result<Change> tally(const View& view, const Event&, Time) {
  TYER_TRY(const Json state, state_of(view, "tally/chains"));
  return Change{
      .events = {draft("tally/chains", "tally.counted", {{"count", int_or(state, "count") + 1}})}};
}

// Refuses every third chain as long as the gate is shut.
Result<Change> inspect(const View& view, const Event& event, Time) {
  TYER_TRY(const auto gate, view.subject("gate/main"));
  TYER_TRY(const Json body, parse_json_object(event.body));
  if (int_or(body, "poison") != 0 && !gate) return fail(Fault::invalid, "the gate is shut");
  const std::string key = "inspection/" + std::string(core::rest_of(event.key));
  return Change{.events = {draft(key, "inspection.made", {{"of", event.seq}})}};
}

}  // namespace

core::Catalog sim_catalog() {
  std::vector<Kind> kinds{
      {.name = "job", .transitions = {{"job.worked", {absent, "busy"}, "busy"}}},
      {.name = "alarm",
       .transitions = {{"alarm.set", {absent}, "set"},
                       {"alarm.rang", {"set"}, "set"},
                       {"alarm.finished", {"set"}, "done"}},
       .on_due = ring},
      {.name = "chain",
       .transitions = {{"chain.started", {absent}, "running"},
                       {"chain.advanced", {"running"}, "running"},
                       {"chain.finished", {"running"}, "done"}}},
      {.name = "tally", .transitions = {{"tally.counted", {absent, any}, "open"}}},
      {.name = "gate", .transitions = {{"gate.opened", {absent}, "open"}}},
      {.name = "inspection", .transitions = {{"inspection.made", {absent, "open"}, "open"}}},
      core::run_kind(),
      engine::aside_kind()};
  std::vector<core::Rule> rules{
      {"advance_chain", {"chain.started", "chain.advanced"}, advance_chain},
      {"tally", {"chain.finished"}, tally},
      {"inspect", {"chain.started", "chain.finished"}, inspect}};
  return {std::move(kinds), std::move(rules)};
}

void populate(sim::World& world) {
  for (std::size_t machine = 0; machine < world.machine_count(); ++machine) {
    world.employ("daemon", machine,
                 [](const sim::Home& home) { return std::make_unique<sim::Daemon>(home); });
    const std::uint64_t racers = world.rng().between(1, 2);
    for (std::uint64_t i = 0; i < racers; ++i) {
      world.employ(fmt::format("racer{}", i), machine,
                   [](const sim::Home& home) { return std::make_unique<Racer>(home); });
    }
    world.employ("keeper", machine,
                 [](const sim::Home& home) { return std::make_unique<Attendant>(home); });
    world.employ("settler", machine,
                 [](const sim::Home& home) { return std::make_unique<Settler>(home); });
  }
  world.employ("client", 0, [](const sim::Home& home) { return std::make_unique<Client>(home); });
  world.observe(observe_workloads);
  world.observe(observe_runs);
}

sim::Broken observe_workloads(const Event& event, const sim::Laws& laws) {
  const auto body = parse_json_object(event.body);
  if (!body) return fmt::format("event {} has no readable body", event.seq);
  if (event.type == "job.worked") {
    const std::string lock = "lock/" + std::string(core::rest_of(event.key));
    const auto lease = laws.live().find(lock);
    const auto token = static_cast<std::uint64_t>(int_or(*body, "token"));
    if (lease == laws.live().end() || lease->second.token != token) {
      return fmt::format("law 2: {} was written under the old token {}", event.key, token);
    }
    if (static_cast<std::uint64_t>(int_or(*body, "count")) != event.rev) {
      return fmt::format("law 9: an update of {} was lost", event.key);
    }
  }
  if (event.type == "alarm.rang" || event.type == "alarm.finished") {
    const Subject& alarm = laws.subjects().at(event.key);
    if (!alarm.due_at || event.at < *alarm.due_at)
      return fmt::format("{} rang before its time", event.key);
  }
  return std::nullopt;
}

sim::Broken find_unfinished(const View& view, const sim::Laws& laws) {
  if (!laws.live().empty()) return laws.live().begin()->first + " is still held";
  std::int64_t finished = 0;
  for (const auto& [key, subject] : laws.subjects()) {
    const std::string_view kind = core::kind_of(key);
    if ((kind == "chain" || kind == "alarm") && subject.status != "done")
      return key + " is " + subject.status;
    if (kind == "run" && subject.status != "ended") return key + " is " + subject.status;
    if (kind == "aside" && subject.status != "cleared") return key + " is " + subject.status;
    if (kind != "chain") continue;
    ++finished;
    const auto inspection = laws.subjects().find("inspection/" + std::string(core::rest_of(key)));
    if (inspection == laws.subjects().end() || inspection->second.rev != 2) {
      return key + " was not inspected twice";
    }
  }
  const auto counted = state_of(view, "tally/chains");
  if (!counted || int_or(*counted, "count") != finished) {
    return fmt::format("{} chains finished, {} were counted", finished,
                       counted ? int_or(*counted, "count") : -1);
  }
  const core::Catalog catalog = sim_catalog();
  for (const core::Rule& rule : catalog.rules()) {
    const auto cursor = view.cursor(engine::cursor_name(rule));
    const auto rest = view.events({.after = cursor ? cursor->seq : 0, .limit = 1'000});
    // Cursors move past what their rules do not want when they have to move anyway.
    const bool has_seen_all =
        cursor && rest && std::ranges::none_of(*rest, [&](const core::Event& event) {
          return rule.wants_type(event.type) && core::kind_of(event.key) != "aside";
        });
    if (!has_seen_all) return rule.name + " has not seen everything";
  }
  return std::nullopt;
}

sim::Broken run_world(const sim::WorldOptions& options) {
  const core::Catalog catalog = sim_catalog();
  sim::World world(options, catalog, find_unfinished);
  populate(world);
  return world.run();
}

}  // namespace tyer::testing
