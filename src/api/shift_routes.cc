// Runs of sessions, for whoever starts them: what there is to do, a run that begins, what it says
// and what came of it (W7, W10, W11).

#include <algorithm>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/describe.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/offers.h"
#include "api/run_begin.h"
#include "api/sessions.h"
#include "base/json.h"
#include "base/text.h"
#include "core/key.h"
#include "core/limits.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/names.h"
#include "feed/past_runs.h"
#include "feed/shifts.h"

namespace tyer::api {
namespace {

// Runs that are to end, and where they are: whoever serves them on that machine ends them.
Result<Json> list_ending(const core::View& view, const std::vector<std::string>& agents, Time now) {
  TYER_TRY(const std::vector<feed::Ending> all, feed::list_ending(view, agents, now));
  Json rows = Json::array();
  for (const feed::Ending& one : all) {
    rows.push_back({{"session_id", one.session},
                    {"run", one.holder.run},
                    {"host", one.holder.place.host},
                    {"boot", one.holder.place.boot},
                    {"namespace", one.holder.place.pid_namespace},
                    {"pid", one.holder.pid},
                    {"pid_start", one.holder.pid_start},
                    {"mark", one.mark},
                    {"deleted_for_ms", one.deleted_for ? Json(*one.deleted_for / 1ms) : Json()}});
  }
  return rows;
}

Result<http::Response> list_work(Call& call) {
  TYER_TRY(const std::vector<std::string> agents, agents_of(call));
  const bool all = call.request.query_of("all") == "true";
  TYER_TRY(const Time now, call.hub.engine().store_time());
  Json rows = Json::array();
  Json ending;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows = Json::array();
    TYER_TRY(const std::vector<feed::Session> ready, feed::list_ready(view, agents, all, now));
    for (const feed::Session& session : ready) {
      rows.push_back({{"id", session.id}, {"agent_id", session.agent}, {"name", session.name}});
    }
    TYER_TRY(ending, list_ending(view, agents, now));
    return {};
  }));
  return answer(dump_json({{"data", rows}, {"next_cursor", nullptr}, {"ending", ending}}));
}

Result<Span> millis_of(const Input& input, std::string_view name, Span fallback) {
  const auto millis = input.maybe_number(name);
  if (!millis) return fallback;
  if (*millis >= 1 && *millis <= limits::hold_most / 1ms) return *millis * 1ms;
  return fail(Fault::invalid,
              fmt::format("{} is not between 1 and {}", name, limits::hold_most / 1ms));
}

Result<core::Holder> read_holder(const Call& call) {
  const Input& input = call.input;
  for (const char* name : {"host", "boot", "namespace"}) {
    TYER_TRY_OK(feed::check_title(name, input.text(name), limits::actor_bytes_max));
  }
  return core::Holder{.place = {.host = input.maybe_text("host").value_or(call.caller.actor.name),
                                .boot = input.text("boot"),
                                .pid_namespace = input.text("namespace")},
                      .pid = input.maybe_number("pid").value_or(0),
                      .pid_start = input.maybe_number("pid_start").value_or(0)};
}

Result<std::string> read_mark(const Call& call) {
  std::string mark = call.input.text("mark");
  if (!mark.empty()) TYER_TRY_OK(feed::check_title("mark", mark, limits::actor_bytes_max));
  return mark;
}

Result<core::Grant> read_grant(const Call& call) {
  const Input& input = call.input;
  core::Grant grant{.command = "run", .owner = call.caller.actor.name};
  TYER_TRY(grant.holder, read_holder(call));
  if (const auto mono = input.maybe_number("mono_us")) grant.mono = Span(*mono);
  TYER_TRY(grant.silence_max, millis_of(input, "silence_ms", limits::silence_max));
  TYER_TRY(grant.hold_max, millis_of(input, "hold_ms", limits::hold_max));
  return grant;
}

Result<http::Response> begin_run(Call& call) {
  const std::string run = call.input.text("run");
  TYER_TRY_OK(feed::check_title("run", run, limits::actor_bytes_max));
  if (!core::check_key(feed::shift_key("ss", run))) {
    return fail(Fault::invalid, "run is a UUID, new for every run");
  }
  feed::Begin begin{.session = call.path.at("id"), .run = run, .all = call.input.flag("all")};
  TYER_TRY(begin.grant, read_grant(call));
  begin.grant.holder.run = run;
  TYER_TRY(begin.mark, read_mark(call));
  BegunRun begun;
  TYER_TRY_OK(call.hub.engine().write({[&](store::Txn& txn) -> Result<> {
    TYER_TRY_OK(own_session(txn, call));
    TYER_TRY_OK(feed::check_unused(txn, begin.session, run));
    TYER_TRY(begun, begin_in(txn, call.hub, begin));
    return {};
  }}));
  return answer(std::move(begun.answer), begun.is_begun ? 201 : 200);
}

Result<http::Response> offer_to_work(Call& call) {
  Offer offer{.caller = call.caller,
              .agents = call.input.texts("agents"),
              .sessions = call.input.texts("sessions")};
  for (const std::string& agent : offer.agents) TYER_TRY_OK(check_own(call.caller, agent, ""));
  if (call.caller.actor.is_agent) offer.agents = {call.caller.actor.id};
  TYER_TRY(offer.grant, read_grant(call));
  TYER_TRY(offer.mark, read_mark(call));
  return call.hub.offers().add(std::move(offer));
}

// Runs that this process has begun without knowing: the answer to its offer never arrived.
Result<http::Response> withdraw_offer(Call& call) {
  TYER_TRY(const core::Holder holder, read_holder(call));
  const auto is_its = [&](const core::Holder& other) {
    return other.place == holder.place && other.pid == holder.pid &&
           other.pid_start == holder.pid_start;
  };
  std::vector<core::Lease> leases;
  // After whoever writes now: what was begun for this process is there then, or never will be.
  TYER_TRY_OK(call.hub.engine().write([&](store::Txn& txn) -> Result<> {
    call.hub.offers().drop([&](const Offer& offer) { return is_its(offer.grant.holder); });
    TYER_TRY(leases, txn.leases_below("session", "", limits::offer_leases_max));
    return {};
  }));
  // One process has one run.
  const auto lease =
      std::ranges::find_if(leases, [&](const core::Lease& one) { return is_its(one.holder); });
  if (lease == leases.end()) return answer("{}");
  const feed::Finish lost{.session = lease->key.substr(lease->key.find('/') + 1),
                          .run = lease->holder.run,
                          .verdict = "lost",
                          .why = "its keeper never heard of it",
                          .is_unheard = true};
  TYER_TRY_OK(call.hub.apply(
      feed::as_session(lost.session),
      [&](const core::View& view, Time now) -> Result<core::Change> {
        // Also if it was deleted meanwhile.
        TYER_TRY(const auto session, view.subject(lease->key));
        if (!session) return core::Change{};
        TYER_TRY(const feed::Session whose, feed::read_session(*session));
        TYER_TRY_OK(check_own(call.caller, whose.agent, lost.session));
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        return feed::decide_finish(view, lost, call.hub.options().rules, ids, now);
      }));
  return answer("{}");
}

// The run that the path names, if it is the caller's.
Result<core::Subject> own_shift(const core::View& view, Call& call) {
  const std::string key = feed::shift_key(call.path.at("id"), call.path.at("run"));
  if (core::check_key(key)) {
    TYER_TRY(auto subject, view.subject(key));
    if (subject) {
      TYER_TRY(const feed::Shift shift, feed::read_shift(*subject));
      TYER_TRY_OK(check_own(call.caller, shift.agent, shift.session));
      return *std::move(subject);
    }
  }
  return fail(Fault::not_found, "there is no such run of this session");
}

Result<http::Response> tell_output(Call& call) {
  const std::string text = call.input.text("text");
  if (text.size() > limits::output_bytes_max || !is_utf8(text)) {
    return fail(Fault::limit,
                fmt::format("text is UTF-8 of at most {} bytes", limits::output_bytes_max));
  }
  TYER_TRY_OK(call.hub.apply(feed::as_session(call.path.at("id")),
                             [&](const core::View& view, Time) -> Result<core::Change> {
                               TYER_TRY(const core::Subject subject, own_shift(view, call));
                               if (subject.status != "running") return core::Change{};
                               TYER_TRY(const feed::Shift shift, feed::read_shift(subject));
                               return core::Change{
                                   .events = {{subject.key, "shift.output",
                                               dump_json({{"session_id", shift.session},
                                                          {"agent_id", shift.agent},
                                                          {"run", shift.run},
                                                          {"output", text}})}}};
                             }));
  return answer("{}");
}

Result<http::Response> finish_run(Call& call) {
  const Input& input = call.input;
  feed::Finish finish{.session = call.path.at("id"),
                      .run = call.path.at("run"),
                      .verdict = input.text("verdict"),
                      .why = printable(input.text("why"), limits::finish_why_bytes_max),
                      .text = input.text("text"),
                      .conversation = input.maybe_text("claude_session_id"),
                      .totals = input.text("totals")};
  finish.input = input.maybe_number("input_tokens").value_or(0);
  finish.output = input.maybe_number("output_tokens").value_or(0);
  finish.cached = input.maybe_number("cached_tokens").value_or(0);
  finish.cost = input.maybe_number("cost_micros").value_or(0);
  const std::int64_t wait = input.maybe_number("wait_ms").value_or(0);
  if (wait < 0 || wait > limits::session_wait_max / 1ms) {
    return fail(Fault::invalid,
                fmt::format("wait_ms is not between 0 and {}", limits::session_wait_max / 1ms));
  }
  finish.wait = wait * 1ms;
  finish.wait_grows = input.flag("wait_grows");
  if (std::min({finish.input, finish.output, finish.cached, finish.cost}) < 0) {
    return fail(Fault::invalid, "tokens and cost are not negative");
  }
  for (const char* name : {"verdict", "totals", "claude_session_id"}) {
    TYER_TRY_OK(feed::check_title(name, input.text(name), limits::actor_bytes_max));
  }
  TYER_TRY_OK(call.hub.apply(
      feed::as_session(finish.session),
      [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY_OK(own_shift(view, call));
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        return feed::decide_finish(view, finish, call.hub.options().rules, ids, now);
      }));
  return answer("{}");
}

Result<http::Response> stop_run(Call& call) {
  TYER_TRY_OK(
      call.hub.apply(call.caller.actor, [&](const core::View& view, Time) -> Result<core::Change> {
        TYER_TRY(const core::Subject subject, own_shift(view, call));
        if (subject.status != "running") {
          return fail(Fault::conflict, "this run has ended; a stop never hits the run after it");
        }
        TYER_TRY(const feed::Shift shift, feed::read_shift(subject));
        return core::Change{.events = {{subject.key, "shift.stop_asked",
                                        dump_json({{"session_id", shift.session},
                                                   {"agent_id", shift.agent},
                                                   {"run", shift.run},
                                                   {"stop_asked_by", call.caller.actor.name}})}}};
      }));
  return answer("{}");
}

// Who it is that runs, on which machine: for those who judge whether it lives.
const std::vector<Field> holder_fields{
    {"host", Type::text, false, "where it runs"},
    {"boot", Type::text, false, "the machine's boot id"},
    {"namespace", Type::text, false, "the pid namespace"},
    {"pid", Type::number, false, "the process that lives as long as the run"},
    {"pid_start", Type::number, false, "when it started, in ticks after boot"}};

std::vector<Field> with_grant(std::vector<Field> fields) {
  fields.insert(fields.end(), holder_fields.begin(), holder_fields.end());
  fields.push_back({"mark", Type::text, false,
                    "TYER_KEEPER in the environment of what it starts: told as \"left\" to the "
                    "session's next run on that machine, which ends it, if this one is lost"});
  fields.push_back({"mono_us", Type::number, false, "the machine's monotonic clock"});
  fields.push_back({"silence_ms", Type::number, false, "how long it may be silent; 3 minutes"});
  fields.push_back({"hold_ms", Type::number, false, "how long it may take; 30 minutes"});
  return fields;
}

}  // namespace

Result<std::vector<std::string>> agents_of(Call& call) {
  std::vector<std::string> agents;
  std::string_view named = call.request.query_of("agents");
  while (!named.empty()) {
    const std::string_view one = named.substr(0, named.find(','));
    named.remove_prefix(std::min(one.size() + 1, named.size()));
    if (!one.empty()) agents.emplace_back(one);
  }
  if (!call.caller.actor.is_agent) return agents;
  for (const std::string& agent : agents) TYER_TRY_OK(check_own(call.caller, agent, ""));
  return std::vector<std::string>{call.caller.actor.id};
}

Field agents_field() {
  return {"agents", Type::text, false, "ids of agents, with commas; all if not given"};
}

// Long because it is a table.
std::vector<Route> shift_routes() {
  return {
      {.method = "GET",
       .path = "/api/work",
       .who = Who::worker,
       .summary =
           "Sessions with something to answer and nobody who does, the longest waiting first; and "
           "in \"ending\" the runs that are to end, because somebody asked for it or, if "
           "deleted_for_ms is not null, their session was deleted so long ago",
       .query = {agents_field(),
                 {"all", Type::flag, false, "true: also what only failed runs have left"}},
       .reply = "Page of Session",
       .handle = list_work},
      {.method = "POST",
       .path = "/api/sessions/{id}/runs",
       .who = Who::worker,
       .summary = "Begins a run: takes the session and what it has to answer; one at a time",
       .body =
           with_grant({{"run", Type::text, true, "a UUID, new for every run"},
                       {"all", Type::flag, false, "also if only failed runs have left something"}}),
       .reply = "BegunRun",
       .status = 201,
       .handle = begin_run},
      {.method = "POST",
       .path = "/api/work",
       .who = Who::worker,
       .summary =
           "Offers to run what comes next: a line with a BegunRun once one has begun; {} now and "
           "then",
       .body = with_grant({{"agents", Type::texts, false, "ids of agents; all if not given"},
                           {"sessions", Type::texts, false, "their ids; all if not given"}}),
       .reply = "Stream",
       .handle = offer_to_work},
      {.method = "POST",
       .path = "/api/work/withdraw",
       .who = Who::worker,
       .summary = "Says that this process will run nothing: a run that it was given and has not "
                  "heard of is lost",
       .body = holder_fields,
       .reply = "Nothing",
       .handle = withdraw_offer},
      {.method = "POST",
       .path = "/api/sessions/{id}/runs/{run}/output",
       .who = Who::worker,
       .summary = "Shows what the run says now",
       .body = {{"text", Type::text, true, "at most 16 KB"}},
       .reply = "Nothing",
       .handle = tell_output},
      {.method = "POST",
       .path = "/api/sessions/{id}/runs/{run}/finish",
       .who = Who::worker,
       .summary = "Ends a run; its last words become its answer if it wrote none",
       .body = {{"verdict", Type::text, true, "done, failed, stopped, lost …"},
                {"why", Type::text, false, "one sentence, if it is not done"},
                {"text", Type::text, false, "its last words"},
                {"claude_session_id", Type::text, false, "the conversation to go on with"},
                {"input_tokens", Type::number, false, "that it used"},
                {"output_tokens", Type::number, false, "that it used"},
                {"cached_tokens", Type::number, false, "that it used"},
                {"cost_micros", Type::number, false, "millionths of a US dollar"},
                {"totals", Type::text, false, "of the conversation, for the next run"},
                {"wait_ms", Type::number, false,
                 "milliseconds until its service may be called again: the session begins nothing "
                 "before, and goes on then"},
                {"wait_grows", Type::flag, false,
                 "true: its service did not say how long, so wait_ms is for the first time, and "
                 "each time after that takes twice as long, up to 15 minutes"}},
       .reply = "Nothing",
       .handle = finish_run},
      {.method = "POST",
       .path = "/api/sessions/{id}/runs/{run}/stop",
       .who = Who::worker,
       .summary = "Asks a run to end",
       .reply = "Nothing",
       .handle = stop_run},
  };
}

}  // namespace tyer::api
