#include "store/postgres_writes.h"

#include "core/key.h"
#include "store/postgres_bulk.h"
#include "store/postgres_search.h"
#include "store/postgres_view.h"

namespace tyer::store {
namespace {

void put_subjects(const std::string& space, const Writes& writes, std::vector<Step>& steps) {
  Bulk bulk(Sql::put_subjects, space, 7, steps);
  for (const auto& [key, subject] : writes.subjects) {
    bulk.text(key).text(subject.parent).text(core::kind_of(key)).text(subject.status);
    subject.due_at ? bulk.number(to_micros(*subject.due_at)) : bulk.null();
    bulk.number(subject.rev).text(subject.state);
  }
}

void put_events(const std::string& space, const Writes& writes, std::vector<Step>& steps) {
  Bulk bulk(Sql::put_events, space, 8, steps);
  for (const core::Event& event : writes.events) {
    bulk.number(event.seq).text(event.key).number(event.rev).text(event.type);
    bulk.number(to_micros(event.at)).text(event.actor);
    event.cause ? bulk.number(*event.cause) : bulk.null();
    bulk.text(event.body);
  }
}

}  // namespace

std::vector<Step> to_steps(const std::string& space, const Writes& writes) {
  std::vector<Step> steps;
  put_subjects(space, writes, steps);
  put_events(space, writes, steps);
  {
    Bulk put(Sql::put_leases, space, 2, steps);
    Bulk drop(Sql::drop_leases, space, 1, steps);
    for (const auto& [key, lease] : writes.leases) {
      lease ? put.text(key).text(core::encode(*lease)) : drop.text(key);
    }
    Bulk cursors(Sql::put_cursors, space, 2, steps);
    for (const auto& [reader, cursor] : writes.cursors) cursors.text(reader).number(cursor.seq);
  }
  add_text_steps(space, writes.texts, steps);
  if (writes.trim_before > 0) {
    steps.push_back({Sql::trim_events, {space, std::to_string(writes.trim_before)}});
  }
  return steps;
}

Result<std::optional<bool>> was_committed(Connection& connection, const std::string& space,
                                          const Writes& writes, const std::string& xid) {
  if (!writes.events.empty()) {
    const core::Event& last = writes.events.back();
    TYER_TRY(
        const std::vector<core::Event> found,
        PostgresView(connection, space).events({.after = last.seq - 1, .root = "", .limit = 1}));
    if (found.empty()) return false;
    if (found.front().seq == last.seq) return found.front() == last;
    // Others went on and trimmed the log up to here; only the id can tell.
  }
  if (xid.empty()) return std::nullopt;
  const Result<Rows> rows = connection.query(Sql::xact_status, {xid});
  if (!rows) {
    // "Transaction ID is in the future": a crash took it, it never reached the disk.
    if (connection.sqlstate() == "22023") return false;
    return std::unexpected(rows.error());
  }
  if (rows->text(0, 0) == "committed") return true;
  if (rows->text(0, 0) == "aborted") return false;
  return std::nullopt;
}

}  // namespace tyer::store
