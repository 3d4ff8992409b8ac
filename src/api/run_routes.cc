// Runs as people look at them: those of a session, those of all, and what they used (H23, W17).

#include <algorithm>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/paging.h"
#include "api/sessions.h"
#include "base/json.h"
#include "base/text.h"
#include "core/key.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

Result<std::string> shown_shift(const core::View&, const core::Subject& subject) {
  TYER_TRY(Json state, parse_json_object(subject.state));
  state.erase("credential");
  state.erase("mark");
  state.erase("unheard");
  state["id"] = text_or(state, "run");
  state["status"] = subject.status;
  return dump_json(state);
}

Result<http::Response> list_runs(Call& call) {
  return answer_subjects(call, {.kind = "shift", .below = "shift/" + call.path.at("id")},
                         Order::newest, shown_shift);
}

// The runs of one session from the newest on, a few read at a time.
class Runs {
 public:
  Runs(std::string session, const std::string& before)
      : root_("shift/" + std::move(session)), before_(before.empty() ? "" : root_ + "/" + before) {}

  // Null: there is none left.
  [[nodiscard]] Result<const core::Subject*> head(const core::View& view) {
    if (at_ == rows_.size() && !is_over_) {
      TYER_TRY(rows_, view.newest({.kind = "shift",
                                   .below = root_,
                                   .before = before_,
                                   .limit = limits::run_rows_ahead}));
      at_ = 0;
      is_over_ = rows_.size() < limits::run_rows_ahead;
      if (!rows_.empty()) before_ = rows_.back().key;
    }
    return at_ < rows_.size() ? &rows_[at_] : nullptr;
  }
  void pass() { ++at_; }

  // Ids of runs begin with their time, so they have an order among sessions, too.
  [[nodiscard]] std::string_view id_of(const core::Subject& run) const {
    return std::string_view(run.key).substr(root_.size() + 1);
  }

 private:
  const std::string root_;
  std::string before_;
  std::vector<core::Subject> rows_;
  std::size_t at_ = 0;
  bool is_over_ = false;
};

struct Newest {
  Runs* of = nullptr;
  const core::Subject* run = nullptr;
};

Result<Newest> newest_of(const core::View& view, std::vector<Runs>& sessions) {
  Newest newest;
  for (Runs& session : sessions) {
    TYER_TRY(const core::Subject* const head, session.head(view));
    if (head == nullptr) continue;
    if (newest.run == nullptr || session.id_of(*head) > newest.of->id_of(*newest.run)) {
      newest = {&session, head};
    }
  }
  return newest;
}

// Few, so their order is that of their keys.
Result<http::Response> list_running(Call& call) {
  return answer_subjects(call, {.kind = "shift", .status = "running"}, Order::oldest, shown_shift);
}

Result<http::Response> list_all_runs(Call& call) {
  const std::string_view status = call.request.query_of("status");
  if (status == "running") return list_running(call);
  if (!status.empty()) return fail(Fault::invalid, "status is running, or not given");
  TYER_TRY(const std::size_t limit, page_limit(call));
  const std::string cursor(call.request.query_of("cursor"));
  if (!cursor.empty() && !core::check_key("shift/ss/" + cursor)) {
    return fail(Fault::invalid, "cursor is not one that we gave");
  }
  std::vector<std::string> rows;
  std::string next;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows.clear();
    next.clear();
    // Also of sessions that were deleted: what they did has happened.
    TYER_TRY(const std::vector<core::Subject> sessions,
             feed::list_all(view, {.kind = "session"}, limits::run_sessions_max));
    std::vector<Runs> all;
    all.reserve(sessions.size());
    for (const core::Subject& session : sessions) all.emplace_back(feed::id_of(session), cursor);
    std::string last;
    while (true) {
      TYER_TRY(const Newest newest, newest_of(view, all));
      if (newest.run == nullptr) return {};
      if (rows.size() == limit) {
        next = last;
        return {};
      }
      TYER_TRY(std::string shown, shown_shift(view, *newest.run));
      rows.push_back(std::move(shown));
      last = newest.of->id_of(*newest.run);
      newest.of->pass();
    }
  }));
  return answer_page(rows, next);
}

// Days are few and sessions too, so it is added up here.
Result<http::Response> show_stats(Call& call) {
  TYER_TRY(const std::vector<std::string> agents, agents_of(call));
  const std::string since(call.request.query_of("since"));
  if (!since.empty() && !parse_time(since + "T00:00:00Z")) {
    return fail(Fault::invalid,
                fmt::format("since '{}' is not a day like 2026-11-15", printable(since, 80)));
  }
  Json rows = Json::array();
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows = Json::array();
    TYER_TRY(const auto tallies,
             feed::list_all(view, {.kind = "tally", .after = since.empty() ? "" : "tally/" + since},
                            limits::stats_rows_max));
    for (const core::Subject& tally : tallies) {
      TYER_TRY(Json state, parse_json_object(tally.state));
      state.erase("told");
      const bool is_wanted =
          agents.empty() || std::ranges::find(agents, text_or(state, "agent_id")) != agents.end();
      if (is_wanted && state.contains("runs")) rows.push_back(std::move(state));
    }
    return {};
  }));
  return answer(dump_json({{"data", rows}, {"next_cursor", nullptr}}));
}

}  // namespace

std::vector<Route> run_routes() {
  std::vector<Field> fields = page_fields();
  fields.push_back({"status", Type::text, false, "running: only those under way, by session"});
  return {
      {.method = "GET",
       .path = "/api/stats",
       .who = Who::worker,
       .summary = "What was used, by day, agent and session",
       .query = {agents_field(), {"since", Type::text, false, "the first day, as 2026-11-15"}},
       .reply = "Page of Tally",
       .handle = show_stats},
      {.method = "GET",
       .path = "/api/sessions/{id}/runs",
       .who = Who::worker,
       .summary = "Its runs, the newest first",
       .query = page_fields(),
       .reply = "Page of Run",
       .handle = list_runs},
      {.method = "GET",
       .path = "/api/runs",
       .who = Who::human,
       .summary = "The runs of all sessions, the newest first",
       .query = fields,
       .reply = "Page of Run",
       .handle = list_all_runs},
  };
}

}  // namespace tyer::api
