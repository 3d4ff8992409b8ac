#include "run/record.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/limits.h"
#include "run/limits.h"

namespace tyer::run {
namespace {

Json to_json(const core::Holder& holder) {
  return {{"host", holder.place.host},
          {"boot", holder.place.boot},
          {"pid_namespace", holder.place.pid_namespace},
          {"pid", holder.pid},
          {"pid_start", holder.pid_start}};
}

// One line of how a text begins.
std::string excerpt(std::string_view whole) {
  std::string text(whole.substr(0, 4 * limits::prompt_excerpt_bytes));
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return printable(text, limits::prompt_excerpt_bytes);
}

std::optional<Time> time_of(const Json& state, const char* name) {
  const auto time = parse_time(text_or(state, name));
  return time ? std::optional(*time) : std::nullopt;
}

Json usage_json(const backend::Usage& usage) {
  return {{"input", usage.input},
          {"output", usage.output},
          {"cached", usage.cached},
          {"cost_micros", usage.cost},
          {"tokens_are_totals", usage.tokens_are_totals},
          {"cost_is_total", usage.cost_is_total}};
}

backend::Usage read_usage(const Json& state) {
  const auto found = state.find("usage");
  if (found == state.end() || !found->is_object()) return {};
  return {.input = int_or(*found, "input"),
          .output = int_or(*found, "output"),
          .cached = int_or(*found, "cached"),
          .cost = int_or(*found, "cost_micros"),
          .tokens_are_totals = found->value("tokens_are_totals", Json(false)) == Json(true),
          .cost_is_total = found->value("cost_is_total", Json(false)) == Json(true)};
}

std::string end_body(const Conclusion& conclusion, const std::optional<core::Draft>& next,
                     Time now) {
  const backend::Report& report = conclusion.report;
  Json body{{"outcome", core::name(conclusion.outcome)},
            {"why", printable(report.why, limits::run_why_bytes)},
            {"ended_at", format_time(now)}};
  // Of one that was lost nothing else is known.
  if (conclusion.outcome != core::Outcome::lost) {
    body["verdict"] = backend::name(report.verdict);
    body["code"] = conclusion.exit.code;
    body["signal"] = conclusion.exit.signal;
    body["conversation"] = report.conversation;
    body["usage"] = usage_json(report.usage);
    body["turns"] = report.turns;
    body["denied"] = report.denied;
    body["output_bytes"] = conclusion.output_bytes;
    body["error_bytes"] = conclusion.error_bytes;
    body["killed"] = conclusion.killed;
  }
  if (!conclusion.trouble.empty()) body["trouble"] = printable(conclusion.trouble, 400);
  if (next) body["next"] = next->key.substr(next->key.find('/') + 1);
  return dump_json(body);
}

}  // namespace

Json guards_json(const Guards& guards) {
  return {{"keeper", to_json(guards.keeper)}, {"front", to_json(guards.front)}};
}

std::string key_of(const std::string& id) {
  return "run/" + id;
}

std::string mark_of(const std::string& id) {
  return "TYER_RUN=" + id;
}

std::string keeper_mark_of(const std::string& first) {
  return "TYER_KEEPER=" + first;
}

std::string kin_path(const std::string& folder) {
  return folder + "/processes";
}

Record read_record(const core::Subject& subject) {
  const Json state = parse_json_object(subject.state).value_or(Json::object());
  Record record{.id = subject.key.substr(subject.key.find('/') + 1),
                .status = subject.status,
                .backend = text_or(state, "backend"),
                .directory = text_or(state, "directory"),
                .worktree = text_or(state, "worktree"),
                .folder = text_or(state, "folder"),
                .session = text_or(state, "session"),
                .about = text_or(state, "about", text_or(state, "prompt")),
                .prompt = text_or(state, "prompt"),
                .attempt = int_or(state, "attempt", 1)};
  record.first = text_or(state, "first", record.id);
  record.keeper = core::read_guard(state, "keeper", record.id);
  record.front = core::read_guard(state, "front", record.id);
  record.created = time_of(state, "created_at");
  record.not_before = time_of(state, "not_before");
  record.started = time_of(state, "started_at");
  record.ended = time_of(state, "ended_at");
  record.stop_asked = !text_or(state, "stop_asked_at").empty();
  record.stop_asked_at = time_of(state, "stop_asked_at");
  record.stop_asked_by = text_or(state, "stop_asked_by");
  record.outcome = text_or(state, "outcome");
  record.verdict = text_or(state, "verdict");
  record.why = text_or(state, "why");
  record.conversation = text_or(state, "conversation");
  record.next = text_or(state, "next");
  record.turns = int_or(state, "turns");
  record.usage = read_usage(state);
  record.output_bytes = int_or(state, "output_bytes");
  return record;
}

Result<Record> find_record(const core::View& view, const std::string& id) {
  TYER_TRY(const auto subject, view.subject(key_of(id)));
  if (subject) return read_record(*subject);
  return fail(Fault::not_found, fmt::format("there is no run {}; 'tyer runs list --all' lists them",
                                            printable(id, 80)));
}

core::Draft draft_created(const Job& job, const Attempt& attempt, const Guards& guards, Time now) {
  Json body{{"backend", job.backend},
            {"directory", printable(job.directory, limits::directory_bytes_max)},
            {"folder", fmt::format("{}/{}", job.folder, job.id)},
            {"prompt", excerpt(job.task.prompt)},
            {"model", job.task.model},
            {"resumes", job.task.conversation},
            {"wall_ms", job.bounds.wall / 1ms},
            {"idle_ms", job.bounds.idle / 1ms},
            {"output_max", job.bounds.output},
            {"attempt", attempt.number},
            {"first", attempt.first},
            {"keeper", to_json(guards.keeper)},
            {"front", to_json(guards.front)},
            {"created_at", format_time(now)}};
  if (!job.session.empty()) body["session"] = excerpt(job.session);
  if (!job.about.empty()) body["about"] = excerpt(job.about);
  if (!job.worktree.empty()) body["worktree"] = job.worktree;
  if (!attempt.earlier.empty()) body["earlier"] = attempt.earlier;
  if (attempt.not_before) body["not_before"] = format_time(*attempt.not_before);
  return {.key = key_of(job.id), .type = "run.created", .body = dump_json(body)};
}

core::Change decide_start(const Job& job, const core::Grant& grant, Time now) {
  return {.grants = {grant},
          .events = {{.key = key_of(job.id),
                      .type = "run.started",
                      .body = dump_json({{"started_at", format_time(now)}})}}};
}

Result<core::Change> decide_end(const core::View& view, const std::string& id, std::uint64_t token,
                                const Conclusion& conclusion, std::optional<core::Draft> next,
                                Time now) {
  core::Change change;
  const std::string key = key_of(id);
  TYER_TRY(const auto subject, view.subject(key));
  if (!subject || subject->status == "ended") return change;
  if (read_record(*subject).stop_asked) next.reset();
  TYER_TRY(const auto lease, view.lease(key));
  if (lease && (token == 0 || lease->token == token)) {
    const auto& lapsed = conclusion.lapsed;
    change.endings.push_back({key, lease->token, lapsed ? core::End::lapsed : core::End::released,
                              lapsed ? std::string(core::name(*lapsed)) : "",
                              lapsed ? conclusion.report.why : ""});
  }
  change.events.push_back(
      {.key = key, .type = "run.ended", .body = end_body(conclusion, next, now)});
  if (next) change.events.push_back(*next);
  return change;
}

Result<core::Change> decide_stop(const core::View& view, const std::string& id,
                                 const std::string& by, Time now) {
  TYER_TRY(const Record record, find_record(view, id));
  if (record.status == "ended") {
    return fail(Fault::conflict,
                fmt::format("run {} has ended already ({}{}); a stop is for one run and does not "
                            "reach a later one",
                            id, record.verdict.empty() ? record.outcome : record.verdict,
                            record.next.empty() ? "" : ", the next attempt is " + record.next));
  }
  if (record.stop_asked) return core::Change{};
  return core::Change{.events = {{.key = key_of(id),
                                  .type = "run.stop_asked",
                                  .body = dump_json({{"incarnation", id},
                                                     {"stop_asked_by", by},
                                                     {"stop_asked_at", format_time(now)}})}}};
}

std::optional<std::string> is_lost(const Record& record, const std::optional<core::Lease>& lease,
                                   const core::Witness& witness, Time now) {
  if (record.status == "ended" || !record.keeper) return std::nullopt;
  if (!lease && record.status == "running") return "its lease was lost";
  const core::Sight sight = witness.look(lease ? lease->holder : *record.keeper);
  if (sight.liveness == core::Liveness::gone) {
    return fmt::format("its keeper died: {}", sight.evidence);
  }
  // A keeper that is seen to live is slow or stopped, and ends the run itself once it can.
  if (sight.liveness == core::Liveness::alive) return std::nullopt;
  if (!lease) {
    const auto due = std::max(record.created, record.not_before);
    if (!due || now - *due < limits::start_wait_max) return std::nullopt;
    return fmt::format("it was not started, and its keeper is not known to live: {}",
                       sight.evidence);
  }
  const core::Judgement judgement = core::judge(*lease, sight, now);
  if (judgement.verdict == core::Verdict::live) return std::nullopt;
  return judgement.why;
}

Result<core::Change> decide_lost(const core::View& view, const std::string& id,
                                 const core::Witness& witness, Time now) {
  TYER_TRY(const auto subject, view.subject(key_of(id)));
  if (!subject) return core::Change{};
  TYER_TRY(const auto lease, view.lease(key_of(id)));
  const auto why = is_lost(read_record(*subject), lease, witness, now);
  if (!why) return core::Change{};
  Conclusion lost{.outcome = core::Outcome::lost, .report = {.why = *why}};
  if (lease) lost.lapsed = core::judge(*lease, witness.look(lease->holder), now).verdict;
  return decide_end(view, id, lease ? lease->token : 0, lost, std::nullopt, now);
}

}  // namespace tyer::run
