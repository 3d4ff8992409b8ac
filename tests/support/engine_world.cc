#include "support/engine_world.h"

#include <fmt/format.h>

#include "base/json.h"
#include "engine/aside.h"
#include "sim/laws.h"
#include "store/sqlite_store.h"

namespace tyer::testing {
namespace {

std::unexpected<Error> no_answer() {
  return fail(Fault::unavailable, "the store does not answer");
}

}  // namespace

Result<store::Begun> WatchedStore::begin(std::span<const std::string> keys) {
  if (cut) return no_answer();
  return real_.begin(keys);
}

Result<> WatchedStore::commit(const store::Writes& writes) {
  before_commit();
  if (refuses_commits) {
    real_.rollback();
    return fail(Fault::limit, "the disk is full");
  }
  TYER_TRY_OK(real_.commit(writes));
  ++commits;
  if (loses_answers) return no_answer();
  return {};
}

Result<Time> WatchedStore::now() {
  if (cut) return no_answer();
  return real_.now();
}

Result<> WatchedStore::read(const std::function<Result<>(const core::View&)>& reader) {
  if (cut) return no_answer();
  return real_.read(reader);
}

Seat::Seat(sim::Machine& its_machine, env::Files& files, env::Random& random, store::Store& real,
           const core::Catalog& catalog)
    : machine(its_machine),
      pid(machine.start_process()),
      clock(machine),
      processes(machine, pid),
      env{clock, files, processes, random},
      store(real),
      engine(env, store, catalog) {}

EngineWorld::EngineWorld(std::vector<core::Rule> rules, core::OnDue on_due)
    : catalog(world_kinds(std::move(on_due)), std::move(rules)),
      store(must(store::open_sqlite(":memory:", database_env_, {}))),
      here(laptop, files_, random_, *store, catalog) {}

EngineWorld::~EngineWorld() {
  if (!lawful) return;
  const sim::Broken broken = sim::Laws(*store, catalog).check_all();
  EXPECT_FALSE(broken) << *broken;
}

std::unique_ptr<Seat> EngineWorld::seat(sim::Machine& machine, const core::Catalog& its_catalog) {
  return std::make_unique<Seat>(machine, files_, random_, *store, its_catalog);
}

Result<engine::Applied> EngineWorld::apply(const core::Change& change,
                                           const engine::Origin& origin) {
  return here.engine.apply(origin,
                           [&](const core::View&, Time) -> Result<core::Change> { return change; });
}

engine::Applied EngineWorld::write(const std::string& key, const std::string& type,
                                   const std::string& body) {
  return must(apply(change_of(key, type, body)));
}

core::Lease EngineWorld::give(const core::Grant& grant) {
  const engine::Applied applied = must(apply({.grants = {grant}}));
  return applied.grants.empty() ? core::Lease{} : applied.grants.front();
}

std::optional<core::Subject> EngineWorld::subject(const std::string& key) {
  std::optional<core::Subject> found;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.subject(key));
    return {};
  });
  return found;
}

std::string EngineWorld::status(const std::string& key) {
  return subject(key).value_or(core::Subject{}).status;
}

std::string EngineWorld::state(const std::string& key, const std::string& name) {
  return member(subject(key).value_or(core::Subject{}).state, name);
}

std::optional<core::Lease> EngineWorld::lease(const std::string& key) {
  std::optional<core::Lease> found;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.lease(key));
    return {};
  });
  return found;
}

core::Head EngineWorld::head() {
  core::Head head;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(head, view.head());
    return {};
  });
  return head;
}

std::uint64_t EngineWorld::cursor(const std::string& reader) {
  core::Cursor cursor;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(cursor, view.cursor(reader));
    return {};
  });
  return cursor.seq;
}

std::vector<core::Event> EngineWorld::events(const std::string& root) {
  std::vector<core::Event> events;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(events, view.events({.after = 0, .root = root}));
    return {};
  });
  return events;
}

std::vector<std::string> EngineWorld::types(const std::string& root) {
  std::vector<std::string> types;
  for (const core::Event& event : events(root)) types.push_back(event.type);
  return types;
}

void EngineWorld::trim(std::uint64_t before) {
  must(store::write(*store, [&](store::Txn& txn) -> Result<> {
    txn.trim(before);
    return {};
  }));
  lawful = false;
}

void EngineWorld::read(const std::function<Result<>(const core::View&)>& reader) {
  must(store->read(reader));
}

std::vector<core::Kind> world_kinds(core::OnDue on_due) {
  return {{.name = "item",
           .transitions = {{"item.made", {core::absent}, "open"},
                           {"item.noted", {"open"}, core::same},
                           {"item.closed", {"open"}, "closed"}},
           .on_due = std::move(on_due)},
          {.name = "echo", .transitions = {{"echo.heard", {core::absent, core::any}, "heard"}}},
          {.name = "plain", .transitions = {{"plain.made", {core::absent}, "open"}}},
          engine::aside_kind()};
}

core::Change change_of(const std::string& key, const std::string& type, const std::string& body) {
  return {.events = {{.key = key, .type = type, .body = body}}};
}

std::string due_body(std::optional<Time> due_at) {
  Json body{{"due_at", nullptr}};
  if (due_at) body["due_at"] = to_micros(*due_at);
  return dump_json(body);
}

core::Grant grant_for(const Seat& seat, const std::string& key) {
  core::Grant grant;
  grant.key = key;
  grant.holder = seat.processes.self(fmt::format("run-{}-{}", seat.machine.host(), seat.pid));
  grant.mono = seat.clock.mono();
  grant.silence_max = limits::silence_max;
  grant.hold_max = limits::hold_max;
  grant.command = "/wf:build";
  grant.owner = "alice";
  return grant;
}

core::Ending ending_of(const core::Lease& lease, core::End how) {
  return {lease.key, lease.token, how, "", ""};
}

std::string member(const std::string& object, const std::string& name) {
  const auto json = parse_json_object(object);
  if (!json || !json->contains(name)) return "";
  const Json& value = json->at(name);
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

}  // namespace tyer::testing
