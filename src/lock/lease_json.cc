#include "lock/lease_json.h"

#include <algorithm>
#include <array>

#include "base/json.h"

namespace tyer::lock {
namespace {

constexpr std::array verdicts{core::Verdict::live, core::Verdict::orphaned, core::Verdict::silent,
                              core::Verdict::overdue};

constexpr std::array<std::string_view, 4> holdings{"ended", "running", "unseen", "ending"};

std::string_view word_of(Holding holding) {
  return holdings[static_cast<std::size_t>(holding)];
}

template <class Row>
Json list_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(to_wire(row));
  return list;
}

// Whatever is read came from a hub, which may be another version or none at all.
std::unexpected<Error> no_lease() {
  return fail(Fault::broken, "the hub tells of a lease in a way that is not understood");
}

const Json& member(const Json& object, const char* name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

Span read_millis(const Json& object, const char* name) {
  return std::clamp<std::int64_t>(int_or(object, name), 0, limits::hold_most / 1ms) * 1ms;
}

Result<Time> read_time(const Json& object, const char* name) {
  const auto time = parse_time(text_or(object, name));
  if (!time) return no_lease();
  return *time;
}

template <class Row>
Result<> read_rows(const Json& list, Result<Row> (*read)(const Json&), std::vector<Row>& rows) {
  if (list.is_null()) return {};
  if (!list.is_array()) return no_lease();
  for (const Json& one : list) {
    TYER_TRY(Row row, read(one));
    rows.push_back(std::move(row));
  }
  return {};
}

}  // namespace

Json to_wire(const core::Lease& lease) {
  const core::Holder& holder = lease.holder;
  Json json{{"key", lease.key},
            {"name", name_of(lease.key)},
            {"token", lease.token},
            {"host", holder.place.host},
            {"boot", holder.place.boot},
            {"namespace", holder.place.pid_namespace},
            {"pid", holder.pid},
            {"pid_start", holder.pid_start},
            {"command", lease.command},
            {"owner", lease.owner},
            {"granted_at", format_time(lease.granted_at)},
            {"heard_at", format_time(lease.heard_at)},
            {"silence_ms", lease.silence_max / 1ms},
            {"hold_ms", lease.hold_max / 1ms}};
  if (!holder.run.empty()) json["session"] = holder.run;
  return json;
}

Json to_wire(const Seen& seen) {
  Json json = to_wire(seen.lease);
  json["verdict"] = core::name(seen.judgement.verdict);
  json["why"] = seen.judgement.why;
  json["held_ms"] = seen.held / 1ms;
  json["silent_ms"] = seen.silent / 1ms;
  json["waiting"] = seen.waiting;
  json["visible"] = seen.is_visible;
  return json;
}

Json to_wire(const Outcome& outcome) {
  return {{"leases", list_of(outcome.got)},
          {"taken_over", list_of(outcome.ended)},
          {"held", list_of(outcome.held)},
          {"promised", list_of(outcome.next)},
          {"free", outcome.free}};
}

Json to_wire(const Request& request) {
  const core::Holder& holder = request.holder;
  return {{"names", request.names},
          {"any", request.any},
          {"session", holder.run},
          {"command", request.command},
          {"owner", request.owner},
          {"host", holder.place.host},
          {"boot", holder.place.boot},
          {"namespace", holder.place.pid_namespace},
          {"pid", holder.pid},
          {"pid_start", holder.pid_start},
          {"silence_ms", request.silence_max / 1ms},
          {"hold_ms", request.hold_max / 1ms}};
}

Json to_wire(const Broken& broken) {
  Json json = to_wire(broken.lease);
  json["holder"] = word_of(broken.holding);
  return json;
}

Result<core::Lease> read_lease(const Json& json) {
  if (!json.is_object()) return no_lease();
  core::Lease lease{
      .key = text_or(json, "key"),
      .token = static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_or(json, "token"))),
      .silence_max = read_millis(json, "silence_ms"),
      .hold_max = read_millis(json, "hold_ms"),
      .command = text_or(json, "command"),
      .owner = text_or(json, "owner")};
  lease.holder = {.place = {.host = text_or(json, "host"),
                            .boot = text_or(json, "boot"),
                            .pid_namespace = text_or(json, "namespace")},
                  .pid = int_or(json, "pid"),
                  .pid_start = int_or(json, "pid_start"),
                  .run = text_or(json, "session")};
  TYER_TRY(lease.granted_at, read_time(json, "granted_at"));
  TYER_TRY(lease.heard_at, read_time(json, "heard_at"));
  if (lease.key.empty() || lease.token == 0) return no_lease();
  return lease;
}

Result<Seen> read_seen(const Json& json) {
  Seen seen;
  TYER_TRY(seen.lease, read_lease(json));
  const std::string verdict = text_or(json, "verdict");
  const auto known = std::ranges::find(verdicts, verdict, &core::name);
  if (known == verdicts.end()) return no_lease();
  seen.judgement = {*known, text_or(json, "why")};
  seen.silent = read_millis(json, "silent_ms");
  seen.held = read_millis(json, "held_ms");
  seen.now = seen.lease.granted_at + seen.held;
  seen.waiting = static_cast<std::size_t>(std::max<std::int64_t>(0, int_or(json, "waiting")));
  seen.is_visible = member(json, "visible") != Json(false);
  return seen;
}

Result<std::vector<Seen>> read_seen_list(const Json& json) {
  std::vector<Seen> rows;
  TYER_TRY_OK(read_rows(json, &read_seen, rows));
  return rows;
}

Result<Outcome> read_outcome(const Json& json) {
  Outcome outcome;
  TYER_TRY_OK(read_rows(member(json, "leases"), &read_lease, outcome.got));
  TYER_TRY_OK(read_rows(member(json, "taken_over"), &read_seen, outcome.ended));
  TYER_TRY_OK(read_rows(member(json, "held"), &read_seen, outcome.held));
  TYER_TRY_OK(read_rows(member(json, "promised"), &read_lease, outcome.next));
  const Json& free = member(json, "free");
  if (free.is_null()) return outcome;
  if (!free.is_array()) return no_lease();
  for (const Json& name : free) {
    if (!name.is_string()) return no_lease();
    outcome.free.push_back(name.get<std::string>());
  }
  return outcome;
}

// A hub of an older version does not say what became of the holder.
Result<Broken> read_broken(const Json& json) {
  Broken broken;
  TYER_TRY(broken.lease, read_lease(json));
  const auto said = std::ranges::find(holdings, text_or(json, "holder"));
  if (said != holdings.end()) broken.holding = static_cast<Holding>(said - holdings.begin());
  return broken;
}

Json to_shown(const core::Lease& lease) {
  return {{"key", name_of(lease.key)},
          {"sessionId", lease.holder.run},
          {"token", lease.token},
          {"pid", lease.holder.pid},
          {"host", lease.holder.place.host},
          {"command", lease.command},
          {"owner", lease.owner},
          {"startedAt", format_time(lease.granted_at, 3)},
          {"heartbeatAt", format_time(lease.heard_at, 3)},
          {"timeout", lease.hold_max / 1ms},
          {"silence", lease.silence_max / 1ms}};
}

Json to_shown(const Seen& seen) {
  Json json = to_shown(seen.lease);
  json["verdict"] = core::name(seen.judgement.verdict);
  json["why"] = seen.judgement.why;
  json["heldFor"] = seen.held / 1ms;
  json["silentFor"] = seen.silent / 1ms;
  json["waiting"] = seen.waiting;
  return json;
}

Json to_shown(const Broken& broken) {
  Json json = to_shown(broken.lease);
  json["holder"] = word_of(broken.holding);
  return json;
}

}  // namespace tyer::lock
