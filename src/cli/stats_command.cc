// tyer stats: what agents have used (W17).

#include <array>
#include <map>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/door.h"
#include "cli/limits.h"
#include "feed/tally.h"

namespace tyer::cli {
namespace {

constexpr std::array numbers{"runs",          "failed",        "input_tokens",
                             "output_tokens", "cached_tokens", "cost_micros"};

// Names of agents and sessions by their ids.
Tried<std::map<std::string, std::string>> names_of(Door& door) {
  std::map<std::string, std::string> names;
  TYER_TRY(const Json agents, door.ask_all("/api/agents", {}, limits::hub_list_rows));
  for (const Json& agent : agents) {
    const std::string id = text_or(agent, "id");
    names[id] = text_or(agent, "name");
    TYER_TRY(const Json sessions,
             door.ask_all(fmt::format("/api/agents/{}/sessions", id), {}, limits::hub_list_rows));
    for (const Json& session : sessions) {
      names[text_or(session, "id")] = names[id] + "/" + text_or(session, "name");
    }
  }
  return names;
}

std::string money(std::int64_t micros) {
  return fmt::format("{}.{:02}", micros / 1'000'000, micros / 10'000 % 100);
}

}  // namespace

Done run_stats(World& world, const Arguments& arguments) {
  const auto first_day = arguments.value("--since");
  if (first_day && !parse_time(*first_day + "T00:00:00Z")) {
    return std::unexpected(
        Failure{{Fault::invalid, fmt::format("--since '{}' is not a day like 2026-11-15",
                                             printable(*first_day, 80))}});
  }
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  const std::string by = arguments.value("--by").value_or("agent");
  const std::string since =
      first_day.value_or(feed::day_of(world.env.clock.now() - limits::stats_span));
  TYER_TRY(const Json page, door->ask("GET", "/api/stats", {{"since", since}}));
  TYER_TRY(const auto names, names_of(*door));
  std::map<std::string, Json> sums;
  for (const Json& row : page.value("data", Json::array())) {
    const std::string id = text_or(row, by == "day"     ? "day"
                                        : by == "agent" ? "agent_id"
                                                        : "session_id");
    const auto name = names.find(id);
    Json& sum = sums[name == names.end() ? id : name->second];
    for (const char* number : numbers) sum[number] = int_or(sum, number) + int_or(row, number);
  }
  if (arguments.has("--json")) {
    Json rows = Json::array();
    for (auto& [name, sum] : sums) {
      Json row = sum;
      row[by] = name;
      rows.push_back(std::move(row));
    }
    world.output.print(dump_json({{"since", since}, {"by", by}, {"rows", rows}}) + "\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{
      {by, "runs", "failed", "input", "output", "cached", "USD"}};
  for (const auto& [name, sum] : sums) {
    std::vector<std::string> row{name};
    for (const char* number : numbers) {
      const std::int64_t value = int_or(sum, number);
      row.push_back(std::string_view(number) == "cost_micros" ? money(value)
                                                              : std::to_string(value));
    }
    rows.push_back(std::move(row));
  }
  if (sums.empty()) {
    world.output.print(fmt::format("No runs since {}.\n", since));
    return 0;
  }
  world.output.print(table(rows));
  return 0;
}

}  // namespace tyer::cli
