#include <charconv>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/run_follow.h"
#include "cli/workspace.h"
#include "run/evidence.h"
#include "run/settle.h"

namespace tyer::cli {
namespace {

struct RunsWork {
  Settings settings;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<engine::Engine> engine;
};

// Whoever looks at runs first ends those that nobody else can.
std::expected<RunsWork, Failure> open_runs(World& world, const Arguments& arguments) {
  RunsWork work;
  TYER_TRY(work.settings, load_settings(world, arguments));
  TYER_TRY(work.store, open_store(world, work.settings, Access::read));
  work.engine = std::make_unique<engine::Engine>(world.env, *work.store, world.catalog);
  TYER_TRY(const std::vector<std::string> lost, run::settle(*work.engine));
  for (const std::string& id : lost) {
    world.output.warn(fmt::format("tyer: run {} was lost; what was left of it is ended\n", id));
  }
  return work;
}

std::string state_of(const run::Record& record, const run::Condition& condition) {
  if (record.status != "ended") return std::string(run::name(condition.health));
  return record.verdict.empty() ? record.outcome : record.verdict;
}

Json with_health(const run::Record& record, const run::Condition& condition) {
  Json json = parse_json(json_of(record)).value_or(Json::object());
  json["health"] = run::name(condition.health);
  json["evidence"] = condition.why;
  return json;
}

Result<run::RunQuery> read_query(const Arguments& arguments) {
  run::RunQuery query{.ended = arguments.has("--all"),
                      .before = arguments.value("--before").value_or(""),
                      .limit = limits::runs_rows};
  if (arguments.has("--before") && query.before.empty()) {
    return fail(Fault::invalid, "--before must not be empty");
  }
  const auto text = arguments.value("--limit");
  if (!text) return query;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), query.limit);
  if (error != std::errc{} || end != text->data() + text->size() || query.limit == 0 ||
      query.limit > limits::runs_rows_max) {
    return fail(Fault::invalid, fmt::format("--limit '{}' is not a number from 1 to {}",
                                            printable(*text, 80), limits::runs_rows_max));
  }
  return query;
}

// The session, or the kind of agent if it is a run of none.
std::string whose(const run::Record& record) {
  return printable(record.session.empty() ? record.backend : record.session, 40);
}

// Millionths of a US dollar; nothing if the program does not tell.
std::string dollars(std::int64_t cost) {
  return cost > 0 ? fmt::format("{:.4f} USD", static_cast<double>(cost) / 1e6) : "";
}

std::string ago(const std::optional<Time>& time, Time now) {
  return time ? describe_span(std::max<Span>(now - *time, Span::zero())) : "";
}

}  // namespace

Done run_runs_list(World& world, const Arguments& arguments) {
  TYER_TRY(const RunsWork work, open_runs(world, arguments));
  TYER_TRY(const run::RunQuery query, read_query(arguments));
  TYER_TRY(const run::RunPage page, run::list_runs(*work.engine, query));
  const std::vector<run::Record>& records = page.records;
  TYER_TRY(const auto conditions, run::examine(*work.engine, records));
  TYER_TRY(const Time now, work.engine->store_time());
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows{
      {"RUN", "AGENT", "STATE", "AGE", "ATTEMPT", "COST", "WORKTREE", "ABOUT"}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const run::Record& record = records[i];
    all.push_back(with_health(record, conditions[i]));
    rows.push_back({record.id, whose(record), state_of(record, conditions[i]),
                    ago(record.created, now), std::to_string(record.attempt),
                    dollars(record.usage.cost), record.worktree, clip(record.about, 40)});
  }
  if (arguments.has("--json")) {
    world.output.print(dump_json(all) + "\n");
  } else {
    world.output.print(records.empty() ? "No runs.\n" : table(rows));
  }
  if (page.older > 0) {
    // Below the table, and not in the way of who reads JSON.
    TYER_TRY_OK(world.output.flush());
    world.output.warn(fmt::format("tyer: {} not shown; --before {} shows the next of them\n",
                                  count(page.older, "older run"), records.front().id));
  }
  return 0;
}

Done run_runs_show(World& world, const Arguments& arguments) {
  TYER_TRY(const RunsWork work, open_runs(world, arguments));
  TYER_TRY(const std::string id, run::find_run(*work.engine, *arguments.value("ID")));
  TYER_TRY(const run::Record record, run::look_at_run(*work.engine, id));
  TYER_TRY(const auto conditions, run::examine(*work.engine, {record}));
  TYER_TRY(const Time now, work.engine->store_time());
  const run::Condition& condition = conditions.front();
  if (arguments.has("--json")) {
    world.output.print(dump_json(with_health(record, condition)) + "\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{
      {"run", record.id},
      {"state", state_of(record, condition)},
      {"why", printable(record.status == "ended" ? record.why : condition.why, 1'000)},
      {"backend", record.backend},
      {"directory", record.directory},
      {"about", record.about},
      {"attempt", std::to_string(record.attempt)},
      {"age", ago(record.created, now)},
      {"folder", record.folder}};
  if (!record.session.empty()) rows.push_back({"session", record.session});
  if (!record.worktree.empty()) rows.push_back({"worktree", record.worktree});
  if (!record.conversation.empty()) rows.push_back({"conversation", record.conversation});
  if (!record.next.empty()) rows.push_back({"next", record.next});
  if (record.status == "ended") {
    rows.push_back({"turns", std::to_string(record.turns)});
    rows.push_back({"tokens", fmt::format("{} in, {} out, {} cached", record.usage.input,
                                          record.usage.output, record.usage.cached)});
    rows.push_back({"cost", dollars(record.usage.cost)});
  }
  world.output.print(table(rows));
  return 0;
}

Done run_runs_follow(World& world, const Arguments& arguments) {
  TYER_TRY(const RunsWork work, open_runs(world, arguments));
  TYER_TRY(const std::string id, run::find_run(*work.engine, *arguments.value("ID")));
  return follow_run(world, *work.engine, id,
                    {.json = arguments.has("--json"), .color = wants_color(world, work.settings)});
}

Done run_runs_stop(World& world, const Arguments& arguments) {
  TYER_TRY(const RunsWork work, open_runs(world, arguments));
  TYER_TRY(const std::string id, run::find_run(*work.engine, *arguments.value("ID")));
  TYER_TRY_OK(run::ask_stop(*work.engine, id, asker(world)));
  TYER_TRY(const run::Record record, run::look_at_run(*work.engine, id));
  world.output.print(arguments.has("--json") ? json_of(record) + "\n"
                                             : fmt::format("{} was asked to stop\n", id));
  return 0;
}

}  // namespace tyer::cli
