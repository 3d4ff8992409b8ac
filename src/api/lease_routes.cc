// Task locks over HTTP, for holders on other machines and for those without our program.
//
// A holder that says where it runs is judged like any other: by its process, if that can be seen
// from here, else by its heartbeats.

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "base/id.h"
#include "base/json.h"
#include "core/limits.h"
#include "feed/names.h"
#include "lock/locks.h"

namespace tyer::api {
namespace {

Json lease_json(const core::Lease& lease) {
  return {{"name", lock::name_of(lease.key)},
          {"session", lease.holder.run},
          {"token", lease.token},
          {"host", lease.holder.place.host},
          {"pid", lease.holder.pid},
          {"command", lease.command},
          {"owner", lease.owner},
          {"granted_at", format_time(lease.granted_at)},
          {"heard_at", format_time(lease.heard_at)},
          {"silence_ms", lease.silence_max / 1ms},
          {"hold_ms", lease.hold_max / 1ms}};
}

Json lease_json(const lock::Seen& seen) {
  Json json = lease_json(seen.lease);
  json["verdict"] = core::name(seen.judgement.verdict);
  json["why"] = seen.judgement.why;
  json["held_ms"] = seen.held / 1ms;
  json["silent_ms"] = seen.silent / 1ms;
  json["waiting"] = seen.waiting;
  return json;
}

template <class Rows>
Json list_json(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(lease_json(row));
  return list;
}

Result<Span> read_millis(const Input& input, std::string_view name, Span fallback) {
  const auto millis = input.maybe_number(name);
  if (!millis) return fallback;
  if (*millis >= 1 && *millis <= limits::hold_most / 1ms) return *millis * 1ms;
  return fail(Fault::invalid,
              fmt::format("{} is not between 1 and {}", name, limits::hold_most / 1ms));
}

Result<lock::Request> read_request(const Call& call) {
  const Input& input = call.input;
  for (const char* name : {"command", "owner", "session", "host", "boot", "namespace"}) {
    TYER_TRY_OK(feed::check_title(name, input.text(name), limits::lock_name_bytes_max));
  }
  env::Env& env = call.hub.engine().env();
  lock::Request request{.names = input.texts("names"),
                        .any = input.flag("any"),
                        .command = input.text("command"),
                        .owner = input.maybe_text("owner").value_or(call.caller.actor.name)};
  request.holder.place = {.host = input.maybe_text("host").value_or(call.caller.actor.name),
                          .boot = input.text("boot"),
                          .pid_namespace = input.text("namespace")};
  request.holder.pid = input.maybe_number("pid").value_or(0);
  request.holder.pid_start = input.maybe_number("pid_start").value_or(0);
  request.holder.run =
      input.maybe_text("session").value_or(uuid7(env.clock.now(), env.random.bits()));
  TYER_TRY(request.silence_max, read_millis(input, "silence_ms", limits::silence_max));
  TYER_TRY(request.hold_max, read_millis(input, "hold_ms", limits::hold_max));
  return request;
}

Result<http::Response> acquire_leases(Call& call) {
  TYER_TRY(const lock::Request request, read_request(call));
  lock::Locks locks(call.hub.engine());
  TYER_TRY(const lock::Outcome outcome, locks.acquire(request));
  Json body{{"leases", list_json(outcome.got)}, {"taken_over", list_json(outcome.ended)}};
  if (!outcome.got.empty()) return answer(dump_json(body), 201);
  body["held"] = list_json(outcome.held);
  body["free"] = outcome.free;
  const std::string who = outcome.held.empty() ? "others wait for it, and are first"
                                               : lock::describe(outcome.held.front());
  body["error"] = {{"code", "conflict"}, {"message", who}};
  return answer(dump_json(body), 409);
}

Result<http::Response> list_leases(Call& call) {
  lock::Locks locks(call.hub.engine());
  const std::string name(call.request.query_of("name"));
  if (name.empty()) {
    TYER_TRY(const std::vector<lock::Seen> all, locks.list());
    return answer(dump_json({{"data", list_json(all)}, {"next_cursor", nullptr}}));
  }
  TYER_TRY(const auto seen, locks.look(name));
  const std::vector<lock::Seen> rows(seen ? 1 : 0, seen ? *seen : lock::Seen{});
  return answer(dump_json({{"data", list_json(rows)}, {"next_cursor", nullptr}}));
}

Result<http::Response> renew_lease(Call& call) {
  lock::Locks locks(call.hub.engine());
  TYER_TRY(const core::Lease lease,
           locks.renew(call.input.text("name"), call.input.text("session")));
  return answer(dump_json(lease_json(lease)));
}

Result<http::Response> release_lease(Call& call) {
  const std::string name(call.request.query_of("name"));
  const std::string session(call.request.query_of("session"));
  if (name.empty() || session.empty()) {
    return fail(Fault::invalid, "say which: ?name=NAME&session=SESSION");
  }
  lock::Locks locks(call.hub.engine());
  TYER_TRY_OK(locks.release(name, session));
  return answer("", 204);
}

Result<http::Response> break_lock(Call& call) {
  lock::Locks locks(call.hub.engine());
  const auto token = static_cast<std::uint64_t>(call.input.maybe_number("token").value_or(0));
  TYER_TRY_OK(feed::check_title("why", call.input.text("why"), limits::lock_name_bytes_max));
  TYER_TRY(const core::Lease lease,
           locks.break_lock(call.input.text("name"), token, call.caller.actor.key(),
                            call.input.text("why")));
  return answer(dump_json(lease_json(lease)));
}

}  // namespace

// Long because it is a table.
std::vector<Route> lease_routes() {
  const Field name{"name", Type::text, true, "the lock: a task's id, any name"};
  const Field session{"session", Type::text, true, "as the lock was taken with"};
  return {
      {.method = "POST",
       .path = "/api/leases",
       .summary = "Takes a lock, or several at once; 409 says who has it",
       .body = {{"names", Type::texts, true, "the locks: task ids, any names"},
                {"any", Type::flag, false, "the first that can be had, not all"},
                {"session", Type::text, false, "a UUID for this attempt; one is made if not given"},
                {"command", Type::text, false, "what is being done"},
                {"owner", Type::text, false, "for whom"},
                {"host", Type::text, false, "where the holder runs"},
                {"boot", Type::text, false, "the machine's boot id"},
                {"namespace", Type::text, false, "the pid namespace"},
                {"pid", Type::number, false, "the holder's process"},
                {"pid_start", Type::number, false, "when it started, in ticks after boot"},
                {"silence_ms", Type::number, false, "how long it may be silent; 3 minutes"},
                {"hold_ms", Type::number, false, "how long it may be held; 30 minutes"}},
       .reply = "Leases",
       .status = 201,
       .handle = acquire_leases},
      {.method = "GET",
       .path = "/api/leases",
       .summary = "Who has which lock, and how that was judged",
       .query = {{"name", Type::text, false, "only this one"}},
       .reply = "Page of Lease",
       .handle = list_leases},
      {.method = "DELETE",
       .path = "/api/leases",
       .summary = "Gives a lock back",
       .query = {name, session},
       .reply = "Nothing",
       .status = 204,
       .handle = release_lease},
      {.method = "POST",
       .path = "/api/leases/renew",
       .summary = "Says that the holder is still at work",
       .body = {name, session},
       .reply = "Lease",
       .handle = renew_lease},
      {.method = "POST",
       .path = "/api/leases/break",
       .who = Who::human,
       .summary = "Takes a lock away from its holder",
       .body = {name,
                {"token", Type::number, true, "of the lease to break"},
                {"why", Type::text, false, "for the log"}},
       .reply = "Lease",
       .handle = break_lock},
  };
}

}  // namespace tyer::api
