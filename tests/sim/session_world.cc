#include "sim/session_world.h"

#include <fmt/format.h>

#include "base/json.h"
#include "core/key.h"
#include "core/run.h"
#include "engine/aside.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/presence.h"
#include "feed/records.h"
#include "feed/shifts.h"
#include "sim/daemon.h"
#include "sim/person.h"
#include "sim/session_keeper.h"

namespace tyer::testing {
namespace {

using sim::Broken;

// Most steps are those of daemons that look whether there is something to do.
constexpr int step_factor = 4;

core::Catalog catalog_for(SessionFlaw flaw) {
  std::vector<core::Kind> kinds = feed::kinds();
  kinds.push_back(core::run_kind());
  kinds.push_back(engine::aside_kind());
  std::vector<core::Rule> rules{feed::clear_presence()};
  if (flaw != SessionFlaw::lost_runs_stay) rules.push_back(feed::end_lost_shift());
  return {std::move(kinds), std::move(rules)};
}

// "ss_…" of "shift/ss_…/RUN".
std::string session_in(std::string_view key) {
  const std::string_view rest = core::rest_of(key);
  return std::string(rest.substr(0, rest.find('/')));
}

// The run of the session that has not ended, besides `but`; nothing if there is none.
const core::Subject* running_shift(const sim::Laws& laws, const std::string& session,
                                   const std::string& but = "") {
  const std::string below = "shift/" + session + "/";
  for (auto it = laws.subjects().lower_bound(below);
       it != laws.subjects().end() && it->first.starts_with(below); ++it) {
    if (it->first != but && it->second.status == "running") return &it->second;
  }
  return nullptr;
}

Broken observe_begin(const core::Event& event, const sim::Laws& laws) {
  const std::string session = session_in(event.key);
  if (const core::Subject* other = running_shift(laws, session, event.key)) {
    return fmt::format("{} begins beside {}", event.key, other->key);
  }
  const auto lease = laws.live().find("session/" + session);
  const bool is_its = lease != laws.live().end() && event.key.ends_with(lease->second.holder.run);
  if (!is_its) return event.key + " begins without the lease of its session";
  return std::nullopt;
}

Broken observe_answer(const core::Event& event, const sim::Laws& laws) {
  if (core::kind_of(event.actor) != "session") return std::nullopt;
  const std::string session(core::rest_of(event.actor));
  if (running_shift(laws, session) == nullptr) {
    return fmt::format("{} is written for {}, which has no run", event.key, session);
  }
  const auto body = parse_json_object(event.body);
  if (!body) return event.key + " has no readable body";
  for (const Json& source : body->value("answers", Json::array())) {
    const auto item = laws.subjects().find(feed::item_key(session, source.get<std::string>()));
    if (item != laws.subjects().end() && item->second.status == "answered") {
      return item->first + " is answered twice";
    }
  }
  return std::nullopt;
}

Broken observe_wake(const core::Event& event) {
  const auto body = parse_json_object(event.body);
  const auto most = static_cast<std::int64_t>(limits::FeedRules{}.wakes_max);
  if (body && int_or(*body, "wakes") <= most) return std::nullopt;
  return event.key + " is woken for too often";
}

Broken observe_sessions(const core::Event& event, const sim::Laws& laws) {
  if (event.type == "shift.started") return observe_begin(event, laws);
  if (event.type == "comment.created") return observe_answer(event, laws);
  if (event.type == "item.woken") return observe_wake(event);
  return std::nullopt;
}

// What a person has stopped waits for the next thing that a person writes.
bool rests_for_people(const core::Subject& subject) {
  const auto item = feed::read_item(subject);
  return item && item->rests && item->asks;
}

Broken find_unfinished_sessions(const core::View&, const sim::Laws& laws) {
  if (!laws.live().empty()) return laws.live().begin()->first + " is still held";
  for (const auto& [key, subject] : laws.subjects()) {
    const std::string_view kind = core::kind_of(key);
    if (kind == "shift" && subject.status != "ended") return key + " is " + subject.status;
    if (kind == "item" && subject.status == "open" && !rests_for_people(subject)) {
      return key + " is open";
    }
    if (kind == "aside" && subject.status != "cleared") return key + " is " + subject.status;
  }
  return std::nullopt;
}

}  // namespace

Broken run_session_world(const sim::WorldOptions& options, SessionFlaw flaw) {
  const core::Catalog catalog = catalog_for(flaw);
  sim::WorldOptions longer = options;
  longer.steps *= step_factor;
  sim::World world(longer, catalog, find_unfinished_sessions);
  for (std::size_t machine = 0; machine < world.machine_count(); ++machine) {
    world.employ("daemon", machine,
                 [](const sim::Home& home) { return std::make_unique<sim::Daemon>(home); });
    const std::uint64_t keepers = world.rng().between(1, 3);
    for (std::uint64_t i = 0; i < keepers; ++i) {
      world.employ(fmt::format("keeper{}", i), machine, [flaw](const sim::Home& home) {
        return std::make_unique<SessionKeeper>(home, flaw);
      });
    }
  }
  world.employ("person", 0, [](const sim::Home& home) { return std::make_unique<Person>(home); });
  world.observe(observe_sessions);
  return world.run();
}

}  // namespace tyer::testing
