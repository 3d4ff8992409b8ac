#include "run/settle.h"

#include <algorithm>

#include "env/marked.h"

namespace tyer::run {
namespace {

Result<std::vector<Record>> list_status(const core::View& view, const std::string& status) {
  std::vector<Record> records;
  core::SubjectQuery query{.kind = "run", .status = status, .limit = limits::settle_rows_max};
  while (true) {
    TYER_TRY(const std::vector<core::Subject> page, view.subjects(query));
    for (const core::Subject& subject : page) records.push_back(read_record(subject));
    if (page.size() < query.limit) return records;
    query.after = page.back().key;
  }
}

Result<std::vector<Record>> list_statuses(engine::Engine& engine,
                                          const std::vector<std::string>& statuses) {
  std::vector<Record> records;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    records.clear();
    for (const std::string& status : statuses) {
      TYER_TRY(const std::vector<Record> some, list_status(view, status));
      records.insert(records.end(), some.begin(), some.end());
    }
    return {};
  }));
  std::ranges::sort(records, {}, &Record::id);
  return records;
}

Result<std::optional<std::string>> look_whether_lost(engine::Engine& engine, const core::View& view,
                                                     const std::string& id, Time now) {
  TYER_TRY(const auto subject, view.subject(key_of(id)));
  if (!subject) return std::nullopt;
  TYER_TRY(const auto lease, view.lease(key_of(id)));
  return is_lost(read_record(*subject), lease, engine.env().processes, now);
}

void end_leftovers(const core::Witness& witness, const Record& record) {
  const bool keeper_is_gone =
      record.keeper && witness.look(*record.keeper).liveness == core::Liveness::gone;
  const bool front_is_gone =
      record.front && witness.look(*record.front).liveness == core::Liveness::gone;
  // A front that lives ends whatever is below it. Without one there may be a child that
  // is not the agent yet: first by the mark that it has, then by the one it will have.
  if (keeper_is_gone && front_is_gone) env::end_marked(keeper_mark_of(record.first));
  env::end_marked(mark_of(record.id));
}

}  // namespace

Result<bool> settle_one(engine::Engine& engine, const std::string& id) {
  TYER_TRY(const Time now, engine.store_time());
  std::optional<std::string> why;
  std::optional<Record> record;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(why, look_whether_lost(engine, view, id, now));
    if (!why) return {};
    TYER_TRY(record, find_record(view, id));
    return {};
  }));
  if (!why) return false;
  // Before it is written: whoever reads `ended` may rely on it.
  end_leftovers(engine.env().processes, *record);
  bool written = false;
  TYER_TRY_OK(
      engine.apply({"tyer"},
                   [&](const core::View& view, Time at) -> Result<core::Change> {
                     written = false;
                     TYER_TRY(why, look_whether_lost(engine, view, id, at));
                     if (!why) return core::Change{};
                     TYER_TRY(const auto lease, view.lease(key_of(id)));
                     TYER_TRY(core::Change change,
                              decide_end(view, id, lease ? lease->token : 0,
                                         {.outcome = core::Outcome::lost, .report = {.why = *why}},
                                         std::nullopt, at));
                     written = !change.empty();
                     return change;
                   },
                   {key_of(id)}));
  return written;
}

Result<std::vector<std::string>> settle(engine::Engine& engine) {
  TYER_TRY(const std::vector<Record> open, list_runs(engine, false));
  std::vector<std::string> settled;
  for (const Record& record : open) {
    TYER_TRY(const bool was_lost, settle_one(engine, record.id));
    if (was_lost) settled.push_back(record.id);
  }
  return settled;
}

Result<> ask_stop(engine::Engine& engine, const std::string& id, const std::string& by) {
  TYER_TRY_OK(engine.apply(
      {by}, [&](const core::View& view, Time now) { return decide_stop(view, id, by, now); },
      {key_of(id)}));
  engine.env().processes.ring(mark_of(id));
  return {};
}

Result<std::vector<Record>> list_runs(engine::Engine& engine, bool ended) {
  std::vector<std::string> statuses{"created", "running"};
  if (ended) statuses.emplace_back("ended");
  return list_statuses(engine, statuses);
}

Result<Record> look_at_run(engine::Engine& engine, const std::string& id) {
  std::optional<Record> record;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(record, find_record(view, id));
    return {};
  }));
  return *std::move(record);
}

}  // namespace tyer::run
