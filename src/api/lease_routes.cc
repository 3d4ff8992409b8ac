// Task locks over HTTP, for holders on other machines and for those without our program.
//
// A holder that says where it runs is judged like any other: by its process, if that can be seen
// from here, else by its heartbeats, or by the word of somebody on its own machine.

#include <algorithm>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/lease_access.h"
#include "api/limits.h"
#include "api/waits.h"
#include "base/id.h"
#include "base/json.h"
#include "core/acquire.h"
#include "core/key.h"
#include "core/limits.h"
#include "engine/keeper.h"
#include "feed/names.h"
#include "lock/lease_json.h"
#include "lock/limits.h"

namespace tyer::api {
namespace {

template <class Rows>
Json list_json(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(lock::to_wire(row));
  return list;
}

Result<Span> read_millis(const Input& input, std::string_view name, Span fallback, int least = 1) {
  const auto millis = input.maybe_number(name);
  if (!millis) return fallback;
  if (*millis >= least && *millis <= limits::hold_most / 1ms) return *millis * 1ms;
  return fail(Fault::invalid,
              fmt::format("{} is not between {} and {}", name, least, limits::hold_most / 1ms));
}

Result<> check_texts(const Input& input, std::initializer_list<const char*> names,
                     std::size_t most = limits::lock_name_bytes_max) {
  for (const char* name : names) TYER_TRY_OK(feed::check_title(name, input.text(name), most));
  return {};
}

core::Place read_place(const Call& call) {
  const Input& input = call.input;
  return {.host = input.maybe_text("host").value_or(call.caller.actor.name),
          .boot = input.text("boot"),
          .pid_namespace = input.text("namespace")};
}

Result<lock::Request> read_request(const Call& call) {
  const Input& input = call.input;
  TYER_TRY_OK(check_texts(input, {"command", "owner", "session"}, limits::lock_label_chars_max));
  TYER_TRY_OK(check_texts(input, {"host", "boot", "namespace"}));
  env::Env& env = call.hub.engine().env();
  lock::Request request{.names = input.texts("names"),
                        .any = input.flag("any"),
                        .command = input.text("command"),
                        .owner = input.maybe_text("owner").value_or(call.caller.actor.name),
                        .asker = asker_of(call.caller, call.request)};
  request.holder.place = read_place(call);
  request.holder.pid = input.maybe_number("pid").value_or(0);
  request.holder.pid_start = input.maybe_number("pid_start").value_or(0);
  request.holder.run = input.text("session");
  if (request.holder.run.empty()) request.holder.run = uuid7(env.clock.now(), env.random.bits());
  TYER_TRY(request.silence_max, read_millis(input, "silence_ms", limits::silence_max));
  TYER_TRY(request.hold_max, read_millis(input, "hold_ms", limits::hold_max));
  return request;
}

// The id of a place becomes part of a key.
Result<std::string> read_place_id(const Call& call) {
  std::string place = call.input.text("place");
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (place.size() >= 8 && place.size() <= limits::place_bytes_max &&
      std::ranges::all_of(place, is_plain)) {
    return place;
  }
  return fail(Fault::invalid, fmt::format("place must be 8 to {} of a-z and 0-9, made by chance",
                                          limits::place_bytes_max));
}

Result<Waits*> find_waits(const Call& call) {
  if (Waits* const waits = call.hub.waits()) return waits;
  return fail(Fault::unavailable, "there is no hub running: tyer serve");
}

Result<http::Response> wait_for_leases(Call& call, lock::Request request) {
  const Input& input = call.input;
  LockWish wish{.request = std::move(request), .waits = {}, .caller = call.caller};
  TYER_TRY(wish.at_most, read_millis(input, "wait_ms", Span::zero(), 0));
  const env::Env& env = call.hub.engine().env();
  wish.place = sortable_id("", env.clock.now(), env.random.bits());
  if (input.has("place")) {
    TYER_TRY(wish.place, read_place_id(call));
  }
  wish.confirms = input.flag("confirms");
  wish.waits = wish.request.holder;
  wish.waits.pid = input.maybe_number("waiter_pid").value_or(wish.waits.pid);
  wish.waits.pid_start = input.maybe_number("waiter_pid_start").value_or(wish.waits.pid_start);
  wish.waits.run = wish.place;
  lock::Locks locks(call.hub.engine());
  TYER_TRY_OK(locks.to_asking(wish.request));  // What is wrong with it is told at once.
  TYER_TRY(Waits* const waits, find_waits(call));
  return waits->wait(std::move(wish));
}

Result<http::Response> acquire_leases(Call& call) {
  TYER_TRY(lock::Request request, read_request(call));
  if (call.input.has("wait_ms")) return wait_for_leases(call, std::move(request));
  lock::Locks locks(call.hub.engine());
  TYER_TRY(lock::Outcome outcome, locks.acquire(request));
  hide_sessions(call.caller, outcome);
  Json body = lock::to_wire(outcome);
  if (!outcome.got.empty()) return answer(dump_json(body), 201);
  const std::string who = outcome.held.empty() ? "others wait for it, and are first"
                                               : lock::describe(outcome.held.front());
  body["error"] = {{"code", "conflict"}, {"message", who}};
  return answer(dump_json(body), 409);
}

Result<http::Response> leave_queue(Call& call) {
  TYER_TRY(const std::string place, read_place_id(call));
  TYER_TRY(Waits* const waits, find_waits(call));
  TYER_TRY_OK(waits->leave({.request = {.names = call.input.texts("names"),
                                        .asker = asker_of(call.caller, call.request)},
                            .place = place,
                            .waits = {},
                            .caller = call.caller}));
  return answer("", 204);
}

Result<http::Response> watch_leases(Call& call) {
  WatchedLeases leases{.names = call.input.texts("names"), .credential = call.caller.credential};
  for (const std::string& name : leases.names) TYER_TRY_OK(lock::key_of(name));
  for (const std::string& text : call.input.texts("tokens")) {
    TYER_TRY(const std::uint64_t token, lock::read_token(text));
    leases.tokens.push_back(token);
  }
  if (leases.names.empty() || leases.names.size() > limits::lock_names_max ||
      leases.tokens.size() != leases.names.size()) {
    return fail(Fault::invalid, fmt::format("1 to {} names are needed, and a token for each",
                                            limits::lock_names_max));
  }
  TYER_TRY(Waits* const waits, find_waits(call));
  return waits->watch(std::move(leases));
}

// Who waits for each, the first to be served first.
Result<Json> with_waiters(Call& call, const std::vector<lock::Seen>& locks) {
  Json rows;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows = list_json(locks);
    for (Json& row : rows) {
      row["waiters"] = Json::array();
      if (int_or(row, "waiting") == 0) continue;
      TYER_TRY(const std::vector<core::Lease> tickets, core::tickets(view, text_or(row, "key")));
      for (const core::Lease& ticket : tickets) {
        row["waiters"].push_back({{"owner", ticket.owner},
                                  {"command", ticket.command},
                                  {"host", ticket.holder.place.host},
                                  {"pid", ticket.holder.pid},
                                  {"since", format_time(ticket.granted_at)}});
      }
    }
    return {};
  }));
  return rows;
}

Result<http::Response> list_leases(Call& call) {
  lock::Locks locks(call.hub.engine());
  const std::string name(call.request.query_of("name"));
  std::vector<lock::Seen> found;
  if (name.empty()) {
    TYER_TRY(found, locks.list());
  } else {
    TYER_TRY(const auto seen, locks.look(name));
    if (seen) found.push_back(*seen);
  }
  hide_sessions(call.caller, found);
  TYER_TRY(const Json rows, with_waiters(call, found));
  return answer(dump_json({{"data", rows}, {"next_cursor", nullptr}}));
}

// Any lease, by its key and token: what a keeper beats with.
Result<http::Response> renew_by_token(Call& call, const std::string& key) {
  TYER_TRY_OK(core::check_key(key));
  engine::Engine& engine = call.hub.engine();
  const auto token = static_cast<std::uint64_t>(call.input.maybe_number("token").value_or(0));
  std::optional<core::Lease> lease;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(lease, view.lease(key));
    if (!lease || lease->token != token) return {};
    return check_may_renew(view, call.caller, *lease, call.input.text("session"));
  }));
  if (lease && lease->token != token && !may_act_for(call.caller, *lease)) {
    return fail(Fault::fenced, fmt::format("{}: the lease with token {} has ended; token {} has it",
                                           key, token, lease->token));
  }
  // Who has it now, and that it was lost, is said by whoever applies it.
  core::Lease named{.key = key, .token = token};
  named.holder.run = call.input.text("session");
  if (lease && lease->token == token) named = *lease;
  TYER_TRY_OK(engine::renew_in(engine)(named, Span::zero()));
  return answer(dump_json(lock::to_wire(named)));
}

Result<http::Response> renew_lease(Call& call) {
  const Input& input = call.input;
  TYER_TRY_OK(check_texts(input, {"session"}, limits::lock_label_chars_max));
  if (input.has("key")) return renew_by_token(call, input.text("key"));
  lock::Locks locks(call.hub.engine());
  TYER_TRY(const core::Lease lease,
           locks.renew(input.text("name"), input.text("session"), speaker_of(call.caller)));
  return answer(dump_json(lock::to_wire(lease)));
}

Result<http::Response> release_lease(Call& call) {
  const std::string name(call.request.query_of("name"));
  const std::string session(call.request.query_of("session"));
  if (name.empty() || session.empty()) {
    return fail(Fault::invalid, "say which: ?name=NAME&session=SESSION");
  }
  lock::Locks locks(call.hub.engine());
  TYER_TRY(const core::Lease lease, locks.release(name, session, speaker_of(call.caller)));
  return answer(dump_json(lock::to_wire(lease)));
}

Result<http::Response> break_lock(Call& call) {
  lock::Locks locks(call.hub.engine());
  const auto token = static_cast<std::uint64_t>(call.input.maybe_number("token").value_or(0));
  TYER_TRY_OK(check_texts(call.input, {"why"}, 2 * limits::lock_label_chars_max));
  // Holders may need a thread of the hub to learn that they have lost it: not all may wait here.
  std::counting_semaphore<>& room = call.hub.breaks();
  const bool waits = room.try_acquire();
  const auto broken = locks.break_lock(call.input.text("name"), token, call.caller.actor.key(),
                                       {.why = call.input.text("why"),
                                        .ends = call.input.flag("ends"),
                                        .wait = waits ? limits::break_wait_max : Span::zero()});
  if (waits) room.release();
  TYER_TRY_OK(broken);
  return answer(dump_json(lock::to_wire(*broken)));
}

// A caller is believed about its own machine, and about no other: that the machine was restarted
// since, or that a process of its own process table is gone.
Result<http::Response> report_gone(Call& call) {
  TYER_TRY_OK(check_texts(call.input, {"host", "boot", "namespace", "evidence"}));
  const auto token = static_cast<std::uint64_t>(call.input.maybe_number("token").value_or(0));
  lock::Locks locks(call.hub.engine());
  const std::string name = call.input.text("name");
  TYER_TRY(const auto seen, locks.look(name));
  if (!seen || seen->lease.token != token) {
    return fail(Fault::not_found,
                fmt::format("{}: the lease with token {} has ended", name, token));
  }
  if (seen->is_visible && seen->judgement.verdict == core::Verdict::live) {
    return fail(Fault::conflict,
                fmt::format("{}: {}, as the hub sees itself", name, seen->judgement.why));
  }
  const core::Place here = read_place(call);
  const core::Place& there = seen->lease.holder.place;
  const bool is_restarted =
      there.host == here.host && !there.boot.empty() && there.boot != here.boot;
  if (here.host.empty() || here.boot.empty() || (there != here && !is_restarted)) {
    return fail(Fault::denied, fmt::format("{}: its holder is not on the machine and in the "
                                           "container that you say you are in",
                                           name));
  }
  const core::Asker asker = asker_of(call.caller, call.request);
  const bool is_live = seen->judgement.verdict == core::Verdict::live;
  if (is_live && !may_report(asker, call.caller, seen->lease)) {
    return fail(Fault::denied, fmt::format("{}: who took it came from elsewhere than {}; if its "
                                           "holder is gone, its silence ends it",
                                           name, asker.network));
  }
  const std::string why =
      fmt::format("{}, as {} saw there", call.input.text("evidence"), call.caller.actor.name);
  TYER_TRY(core::Lease lease, locks.report_gone(seen->lease, call.caller.actor.key(), why));
  hide_sessions(call.caller, lease);
  return answer(dump_json(lock::to_wire(lease)));
}

}  // namespace

// Long because it is a table.
std::vector<Route> lease_routes() {
  const Field name{"name", Type::text, true, "the lock: a task's id, any name"};
  const Field session{"session", Type::text, true, "as the lock was taken with"};
  const Field token{"token", Type::number, true, "of the lease that is meant"};
  const Field names{"names", Type::texts, true, "the locks: task ids, any names"};
  const Field host{"host", Type::text, false, "where the holder runs"};
  const Field boot{"boot", Type::text, false, "the machine's boot id"};
  const Field space{"namespace", Type::text, false, "the pid namespace"};
  return {
      {.method = "POST",
       .path = "/api/leases",
       .summary = "Takes a lock, or several at once; 409 says who has it",
       .body = {names,
                {"any", Type::flag, false, "the first that can be had, not all"},
                {"session", Type::text, false, "a UUID for this attempt; one is made if not given"},
                {"command", Type::text, false, "what is being done"},
                {"owner", Type::text, false, "for whom"},
                host,
                boot,
                space,
                {"pid", Type::number, false, "the holder's process"},
                {"pid_start", Type::number, false, "when it started, in ticks after boot"},
                {"silence_ms", Type::number, false, "how long it may be silent; 3 minutes"},
                {"hold_ms", Type::number, false, "how long it may be held; 30 minutes"},
                {"wait_ms", Type::number, false,
                 "wait in line for so long: the answer is 200 and lines of JSON, one now and then, "
                 "the last of them with `leases` or `error`"},
                {"place", Type::text, false,
                 "the id of one's place in line, made by chance: with it, who comes again within "
                 "5 s is where it was"},
                {"confirms", Type::flag, false,
                 "what is got by waiting will be renewed at once; if not, it is taken back"},
                {"waiter_pid", Type::number, false, "the process that waits, if not the holder"},
                {"waiter_pid_start", Type::number, false, "when that started"}},
       .reply = "Leases",
       .status = 201,
       .handle = acquire_leases},
      {.method = "GET",
       .path = "/api/leases",
       .summary =
           "Who has which lock, how that was judged, and who waits. `session` only of the caller's "
           "own; people see all",
       .query = {{"name", Type::text, false, "only this one"}},
       .reply = "Page of Lease",
       .handle = list_leases},
      {.method = "DELETE",
       .path = "/api/leases",
       .summary = "Gives a lock back that the caller has taken; people may give back any",
       .query = {name, session},
       .reply = "Lease",
       .handle = release_lease},
      {.method = "POST",
       .path = "/api/leases/renew",
       .summary = "Says that the holder of a lock that the caller has taken is still at work",
       .body = {{"name", Type::text, false, "the lock"},
                session,
                {"key", Type::text, false, "or the key of any lease, with its token"},
                {"token", Type::number, false, "of that lease"}},
       .reply = "Lease",
       .handle = renew_lease},
      {.method = "POST",
       .path = "/api/leases/watch",
       .summary = "Says when one of these leases has ended: lines of JSON, the last with `changed`",
       .body = {names, {"tokens", Type::texts, true, "for each name, the token it is held with"}},
       .reply = "Stream",
       .handle = watch_leases},
      {.method = "POST",
       .path = "/api/leases/leave",
       .summary = "Gives up a place in line",
       .body = {names, {"place", Type::text, true, "as it was waited with"}},
       .reply = "Nothing",
       .status = 204,
       .handle = leave_queue},
      {.method = "POST",
       .path = "/api/leases/gone",
       .summary = "Says that a holder on the caller's own machine is gone",
       .body = {name,
                token,
                host,
                boot,
                space,
                {"evidence", Type::text, true, "what was seen: no process 4711"}},
       .reply = "Lease",
       .handle = report_gone},
      {.method = "POST",
       .path = "/api/leases/break",
       .who = Who::human,
       .summary = "Takes a lock away from its holder. `holder` of the answer says what became of "
                  "that: `ended`, and nobody got the lock before; `ending`, and nobody gets it "
                  "before, or for 16 s; `running`, as one that does not end with its lock; or "
                  "`unseen` from the hub's machine: it learns of it when it renews",
       .body = {name,
                token,
                {"why", Type::text, false, "for the log"},
                {"ends", Type::flag, false,
                 "the holder ends with its lock, as the caller sees on its own machine: until its "
                 "end is told with `gone`, or for 16 s, nobody gets the lock"}},
       .reply = "Lease",
       .handle = break_lock},
  };
}

}  // namespace tyer::api
