#include "feed/presence.h"

#include "base/json.h"
#include "core/key.h"
#include "core/limits.h"
#include "feed/kinds.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

static_assert(limits::agents_max <= limits::change_items_max, "all agents can leave in one change");

core::Draft presence_event(const core::Subject& agent, const std::string& hub, bool online,
                           Time now) {
  Json body{{"online", online}, {"last_seen", format_time(now)}};
  body["hub"] = online ? Json(hub) : Json();
  return {agent.key, online ? "agent.online" : "agent.offline", dump_json(body)};
}

// The hub by which an agent is online; empty: it is offline.
Result<std::string> hub_of(const core::Subject& agent) {
  TYER_TRY(const Json state, parse_json_object(agent.state));
  return state.value("online", Json()) == Json(true) ? text_or(state, "hub") : "";
}

}  // namespace

std::string hub_key(const std::string& hub) {
  return key_of("hub", hub);
}

Result<core::Change> decide_presence(const core::View& view, const std::string& hub,
                                     const std::vector<Sighting>& sightings, Time now) {
  core::Change change;
  for (const Sighting& seen : sightings) {
    TYER_TRY(const auto agent, view.subject(key_of("agent", seen.agent)));
    if (!agent || agent->status != "active") continue;
    TYER_TRY(const std::string present, hub_of(*agent));
    if (seen.online == (present == hub)) continue;
    change.events.push_back(presence_event(*agent, hub, seen.online, now));
  }
  return change;
}

Result<core::Change> decide_absence(const core::View& view, const std::string& hub, Time now) {
  core::Change change;
  TYER_TRY(const auto agents,
           list_all(view, {.kind = "agent", .status = "active"}, limits::agents_max));
  for (const core::Subject& agent : agents) {
    TYER_TRY(const std::string present, hub_of(agent));
    if (present == hub) change.events.push_back(presence_event(agent, hub, false, now));
  }
  return change;
}

core::Rule clear_presence() {
  return {.name = "clear_presence",
          .wants = {"lease.released", "lease.lapsed", "lease.broken"},
          .decide = [](const core::View& view, const core::Event& event,
                       Time now) -> Result<core::Change> {
            if (core::kind_of(event.key) != "hub") return core::Change{};
            return decide_absence(view, std::string(core::rest_of(event.key)), now);
          }};
}

}  // namespace tyer::feed
