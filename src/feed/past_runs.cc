#include "feed/past_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/text.h"
#include "core/run.h"
#include "feed/kinds.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

// Whether an attempt has not ended. One that was only created is nobody's if its keeper cannot be
// seen: without the session's lease it is not started any more, and nobody may ever record that.
Result<bool> is_under_way(const core::Subject& attempt, const core::Witness& witness) {
  if (attempt.status != "created") return attempt.status != "ended";
  TYER_TRY(const Json state, parse_json_object(attempt.state));
  const auto keeper = core::read_guard(state, "keeper", id_of(attempt));
  return !keeper || witness.look(*keeper).liveness == core::Liveness::alive;
}

// The attempt of `run` that is under way, as far as the machine that it is on shares our store.
Result<std::string> unended_attempt(const core::View& view, const core::Witness& witness,
                                    const std::string& run) {
  std::string id = run;
  for (std::size_t i = 0; i < limits::attempts_looked_at && !id.empty(); ++i) {
    TYER_TRY(const auto subject, view.subject(key_of("run", id)));
    if (!subject) return "";
    TYER_TRY(const bool is_there, is_under_way(*subject, witness));
    if (is_there) return id;
    TYER_TRY(const JsonFields state, JsonFields::read(subject->state));
    id = state.text("next");
  }
  return "";
}

// Whether whoever begins in `place` can see what was left in `there`.
bool is_same_machine(const core::Place& there, const core::Place& place) {
  return there == place && !there.boot.empty() && !there.pid_namespace.empty();
}

}  // namespace

Result<> check_unused(const core::View& view, const std::string& session, const std::string& run) {
  TYER_TRY(const auto running,
           list_all(view, {.kind = "shift", .status = "running"}, limits::running_shifts_max));
  for (const core::Subject& subject : running) {
    const bool is_same = subject.key.ends_with("/" + run);
    if (!is_same || subject.key == shift_key(session, run)) continue;
    return fail(
        Fault::conflict,
        fmt::format("run {} is another session's; every run has its own id", printable(run, 60)));
  }
  return {};
}

Result<std::vector<PastRun>> list_past_runs(const core::View& view, const std::string& session,
                                            const core::Place& place) {
  core::SubjectQuery query{
      .kind = "shift", .below = "shift/" + session, .limit = limits::last_shifts_looked_at};
  std::vector<PastRun> all;
  // Of a place that nobody could know again there is nothing to be found.
  bool is_more = is_same_machine(place, place);
  do {
    TYER_TRY(const auto page, view.newest(query));
    for (const core::Subject& subject : page) {
      TYER_TRY(const JsonFields state, JsonFields::read(subject.state));
      all.push_back({.left = {state.text("run"), state.text("mark")},
                     .place = {state.text("host"), state.text("boot"), state.text("namespace")},
                     .started_at = state.text("started_at"),
                     .is_lost = subject.status != "ended" || state.text("verdict") == "lost",
                     .is_unheard = state.flag("unheard")});
      const bool has_ended_all = is_same_machine(all.back().place, place) && !all.back().is_lost;
      is_more = is_more && !has_ended_all;
    }
    is_more = is_more && page.size() == query.limit && all.size() < limits::past_shifts_max;
    if (is_more) query.before = page.back().key;
  } while (is_more);
  std::ranges::stable_sort(all, std::ranges::greater(), &PastRun::started_at);
  return all;
}

Result<std::string> unended_elsewhere(const core::View& view, const core::Witness& witness,
                                      const std::vector<PastRun>& past, const core::Place& place) {
  for (const PastRun& one : past) {
    if (is_same_machine(one.place, place)) continue;
    TYER_TRY(std::string unended, unended_attempt(view, witness, one.left.run));
    if (!unended.empty()) return unended;
  }
  return "";
}

std::vector<Left> list_left(const std::vector<PastRun>& past, const core::Place& place) {
  std::vector<Left> left;
  for (const PastRun& one : past) {
    if (!is_same_machine(one.place, place) || one.is_unheard) continue;
    if (!one.is_lost) break;
    left.push_back(one.left);
  }
  return left;
}

}  // namespace tyer::feed
