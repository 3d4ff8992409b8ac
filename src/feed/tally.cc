#include "feed/tally.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "core/limits.h"
#include "feed/kinds.h"

namespace tyer::feed {
namespace {

std::string tally_key(const std::string& day, const std::string& agent,
                      const std::string& session) {
  return fmt::format("tally/{}/{}/{}", day, agent, session);
}

constexpr std::int64_t micros_of_cent = 10'000;

constexpr std::array budget_settings{"runs_per_day", "cents_per_day", "session_runs_per_day",
                                     "session_cents_per_day"};

// One budget of an agent: its setting, what it is about, and how much of it is used.
struct Budget {
  const char* setting;
  const char* what;
  std::int64_t used;
};

}  // namespace

Use& Use::operator+=(const Use& other) {
  runs += other.runs;
  failed += other.failed;
  input += other.input;
  output += other.output;
  cached += other.cached;
  cost += other.cost;
  return *this;
}

std::string day_of(Time time) {
  return format_time(time).substr(0, sizeof("2026-11-15") - 1);
}

Time next_day_after(Time time) {
  return std::chrono::floor<std::chrono::days>(time) + std::chrono::days(1);
}

Result<Use> read_use(const core::Subject& tally) {
  TYER_TRY(const JsonFields state, JsonFields::read(tally.state));
  return Use{.runs = state.number("runs"),
             .failed = state.number("failed"),
             .input = state.number("input_tokens"),
             .output = state.number("output_tokens"),
             .cached = state.number("cached_tokens"),
             .cost = state.number("cost_micros")};
}

Result<Use> used_by_session(const core::View& view, const std::string& day,
                            const std::string& agent, const std::string& session) {
  TYER_TRY(const auto tally, view.subject(tally_key(day, agent, session)));
  if (!tally) return Use{};
  return read_use(*tally);
}

Result<Use> used_by_agent(const core::View& view, const std::string& day,
                          const std::string& agent) {
  TYER_TRY(const auto tallies,
           list_all(view, {.kind = "tally", .below = fmt::format("tally/{}/{}", day, agent)},
                    limits::page_rows_max));
  Use sum;
  for (const core::Subject& tally : tallies) {
    TYER_TRY(const Use one, read_use(tally));
    sum += one;
  }
  return sum;
}

Result<core::Draft> count(const core::View& view, const std::string& agent,
                          const std::string& session, const Use& more, Time now) {
  const std::string day = day_of(now);
  TYER_TRY(Use use, used_by_session(view, day, agent, session));
  use += more;
  return core::Draft{tally_key(day, agent, session), "tally.counted",
                     json_object({{"day", day},
                                  {"agent_id", agent},
                                  {"session_id", session},
                                  {"runs", use.runs},
                                  {"failed", use.failed},
                                  {"input_tokens", use.input},
                                  {"output_tokens", use.output},
                                  {"cached_tokens", use.cached},
                                  {"cost_micros", use.cost}})};
}

Result<std::optional<Spent>> spent_budget(const core::View& view, const core::Subject& agent,
                                          const std::string& session, Time now) {
  TYER_TRY(const JsonFields settings, JsonFields::read(agent.state));
  const bool has_any = std::ranges::any_of(
      budget_settings, [&](const char* name) { return settings.number(name) > 0; });
  if (!has_any) return std::nullopt;
  const std::string day = day_of(now);
  TYER_TRY(const Use whole, used_by_agent(view, day, id_of(agent)));
  TYER_TRY(const Use own, used_by_session(view, day, id_of(agent), session));
  const std::array budgets{
      Budget{budget_settings[0], "runs of the agent", whole.runs},
      Budget{budget_settings[1], "cents of the agent", whole.cost / micros_of_cent},
      Budget{budget_settings[2], "runs of the session", own.runs},
      Budget{budget_settings[3], "cents of the session", own.cost / micros_of_cent}};
  for (const Budget& budget : budgets) {
    const std::int64_t most = settings.number(budget.setting);
    if (most > 0 && budget.used >= most) {
      return Spent{.limit = fmt::format("{} {}", budget.setting, most),
                   .why = fmt::format("budget reached: {} of {} {} today ({})", budget.used, most,
                                      budget.what, budget.setting)};
    }
  }
  return std::nullopt;
}

Result<bool> was_told(const core::View& view, const std::string& agent, const std::string& session,
                      const Spent& spent, Time now) {
  TYER_TRY(const auto tally, view.subject(tally_key(day_of(now), agent, session)));
  if (!tally) return false;
  TYER_TRY(const JsonFields state, JsonFields::read(tally->state));
  return state.text("told") == spent.limit;
}

core::Draft tell(const std::string& agent, const std::string& session, const Spent& spent,
                 Time now) {
  return {tally_key(day_of(now), agent, session), "tally.counted",
          json_object({{"day", day_of(now)},
                       {"agent_id", agent},
                       {"session_id", session},
                       {"told", spent.limit}})};
}

}  // namespace tyer::feed
