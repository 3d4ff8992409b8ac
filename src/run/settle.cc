#include "run/settle.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "env/kin.h"
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

// The newest of all, and how many older ones there are. There may be many: only those
// that are wanted are kept and read.
Result<RunPage> list_all(const core::View& view, const RunQuery& query) {
  RunPage all;
  std::deque<core::Subject> newest;
  core::SubjectQuery rows{.kind = "run", .limit = limits::settle_rows_max};
  while (true) {
    TYER_TRY(const std::vector<core::Subject> page, view.subjects(rows));
    for (const core::Subject& subject : page) {
      if (!query.before.empty() && subject.key >= key_of(query.before)) break;
      newest.push_back(subject);
      if (newest.size() <= query.limit) continue;
      newest.pop_front();
      ++all.older;
    }
    const bool is_past =
        !page.empty() && !query.before.empty() && page.back().key >= key_of(query.before);
    if (page.size() < rows.limit || is_past) break;
    rows.after = page.back().key;
  }
  for (const core::Subject& subject : newest) all.records.push_back(read_record(subject));
  return all;
}

// The newest of those that have not ended.
Result<RunPage> list_newest_open(const core::View& view, const RunQuery& query) {
  RunPage open;
  TYER_TRY(open.records, list_open(view));
  std::erase_if(open.records, [&](const Record& record) {
    return !query.before.empty() && record.id >= query.before;
  });
  if (open.records.size() <= query.limit) return open;
  open.older = open.records.size() - query.limit;
  open.records.erase(open.records.begin(),
                     open.records.begin() + static_cast<std::ptrdiff_t>(open.older));
  return open;
}

Result<std::optional<std::string>> look_whether_lost(engine::Engine& engine, const core::View& view,
                                                     const std::string& id, Time now) {
  TYER_TRY(const auto subject, view.subject(key_of(id)));
  if (!subject) return std::nullopt;
  TYER_TRY(const auto lease, view.lease(key_of(id)));
  return is_lost(read_record(*subject), lease, engine.env().processes, now);
}

// Numbers of processes mean something only where they were given.
void end_recorded(const env::Env& env, const Record& record) {
  if (record.keeper->place != env.processes.here()) return;
  const auto text = env.files.read(kin_path(record.folder), limits::kin_bytes_max);
  if (text) env::end_kin(env::decode_kin(*text));
}

void end_leftovers(const env::Env& env, const Record& record) {
  const core::Witness& witness = env.processes;
  const bool keeper_is_gone =
      record.keeper && witness.look(*record.keeper).liveness == core::Liveness::gone;
  const bool front_is_gone =
      record.front && witness.look(*record.front).liveness == core::Liveness::gone;
  // A front that lives ends whatever is below it. Without one there may be a child that
  // is not the agent yet: first by the mark that it has, then by the one it will have.
  if (keeper_is_gone && front_is_gone) env::end_marked(keeper_mark_of(record.first));
  env::end_marked(mark_of(record.id));
  if (keeper_is_gone && front_is_gone) end_recorded(env, record);
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
  end_leftovers(engine.env(), *record);
  bool written = false;
  TYER_TRY_OK(engine.apply({"tyer"},
                           [&](const core::View& view, Time at) -> Result<core::Change> {
                             written = false;
                             TYER_TRY(core::Change change,
                                      decide_lost(view, id, engine.env().processes, at));
                             written = !change.empty();
                             return change;
                           },
                           {key_of(id)}));
  return written;
}

Result<std::vector<std::string>> settle(engine::Engine& engine) {
  TYER_TRY(const Time now, engine.store_time());
  std::vector<std::string> lost;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    lost.clear();
    TYER_TRY(const std::vector<Record> open, list_open(view));
    for (const Record& record : open) {
      TYER_TRY(const auto lease, view.lease(key_of(record.id)));
      if (is_lost(record, lease, engine.env().processes, now)) lost.push_back(record.id);
    }
    return {};
  }));
  std::vector<std::string> settled;
  for (const std::string& id : lost) {
    TYER_TRY(const bool was_lost, settle_one(engine, id));
    if (was_lost) settled.push_back(id);
  }
  return settled;
}

Result<> end_left(const std::string& id, const std::string& mark, const std::string& session) {
  std::size_t left = mark.empty() ? 0 : env::end_marked(keeper_mark_of(mark)).left;
  left += env::end_marked(mark_of(id), "TYER_SESSION=" + session).left;
  if (left == 0) return {};
  return fail(Fault::unavailable,
              fmt::format("{} processes of the lost run {} do not end although they were killed; "
                          "they may hang on a device or a network disk",
                          left, printable(id, 60)));
}

Result<> ask_stop(engine::Engine& engine, const std::string& id, const std::string& by) {
  TYER_TRY_OK(engine.apply(
      {by}, [&](const core::View& view, Time now) { return decide_stop(view, id, by, now); },
      {key_of(id)}));
  engine.env().processes.ring(mark_of(id));
  return {};
}

Result<std::vector<Record>> list_open(const core::View& view) {
  TYER_TRY(std::vector<Record> records, list_status(view, "created"));
  TYER_TRY(const std::vector<Record> running, list_status(view, "running"));
  records.insert(records.end(), running.begin(), running.end());
  std::ranges::sort(records, {}, &Record::id);
  return records;
}

Result<RunPage> list_runs(engine::Engine& engine, const RunQuery& query) {
  RunPage page;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(page, query.ended ? list_all(view, query) : list_newest_open(view, query));
    return {};
  }));
  return page;
}

Result<Record> look_at_run(engine::Engine& engine, const std::string& id) {
  std::optional<Record> record;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(record, find_record(view, id));
    return {};
  }));
  return *std::move(record);
}

Result<std::string> find_run(engine::Engine& engine, const std::string& beginning) {
  if (beginning == "last") {
    TYER_TRY(const RunPage newest, list_runs(engine, {.ended = true, .limit = 1}));
    if (!newest.records.empty()) return newest.records.front().id;
    return fail(Fault::not_found, "there is no run yet");
  }
  std::vector<std::string> found;
  bool is_whole = false;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto subject, view.subject(key_of(beginning)));
    is_whole = subject.has_value();
    TYER_TRY(const auto after,
             view.subjects(
                 {.kind = "run", .after = key_of(beginning), .limit = limits::candidates_max + 1}));
    found.clear();
    for (const core::Subject& next : after) {
      if (next.key.starts_with(key_of(beginning))) found.push_back(read_record(next).id);
    }
    return {};
  }));
  // That there is none is told by who looks at it.
  if (is_whole || found.empty() || beginning.empty()) return beginning;
  if (found.size() == 1) return found.front();
  const bool is_more = found.size() > limits::candidates_max;
  if (is_more) found.pop_back();
  return fail(Fault::invalid,
              fmt::format("several runs begin with '{}': {}{}; write more of it",
                          printable(beginning, 80), fmt::join(found, ", "), is_more ? ", …" : ""));
}

}  // namespace tyer::run
