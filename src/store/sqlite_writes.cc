#include "store/sqlite_writes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/key.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_search.h"

namespace tyer::store {
namespace {

SqliteRows& bind_due(SqliteRows& rows, const core::Subject& subject) {
  return subject.due_at ? rows.bind(to_micros(*subject.due_at)) : rows.bind_null();
}

// Most events leave parent, status and due_at as they are. SQLite rewrites the
// index entries of every column that a statement sets, so those are not set then.
Result<> write_subject(SqliteConn& conn, const core::Subject& subject) {
  const bool is_new = subject.rev == 1;  // Or nearly always so.
  if (!is_new) {
    auto update = conn.query(
        "UPDATE subject SET rev = ?, state = ?"
        " WHERE key = ? AND parent = ? AND status = ? AND due_at IS ?");
    update.bind(subject.rev).bind(subject.state).bind(subject.key).bind(subject.parent);
    TYER_TRY_OK(bind_due(update.bind(subject.status), subject).run());
    if (conn.changes() > 0) return {};
  }
  auto rows = conn.query(
      "INSERT INTO subject (key, parent, kind, status, due_at, rev, state) VALUES (?,?,?,?,?,?,?)"
      " ON CONFLICT (key) DO UPDATE SET parent = excluded.parent, status = excluded.status,"
      " due_at = excluded.due_at, rev = excluded.rev, state = excluded.state");
  rows.bind(subject.key).bind(subject.parent).bind(core::kind_of(subject.key)).bind(subject.status);
  return bind_due(rows, subject).bind(subject.rev).bind(subject.state).run();
}

Result<> write_event(SqliteConn& conn, const core::Event& event) {
  auto rows = conn.query(
      "INSERT INTO event (seq, key, rev, type, at, actor, cause, body) VALUES (?,?,?,?,?,?,?,?)");
  rows.bind(event.seq).bind(event.key).bind(event.rev).bind(event.type).bind(to_micros(event.at));
  rows.bind(event.actor);
  if (event.cause) {
    rows.bind(*event.cause);
  } else {
    rows.bind_null();
  }
  return rows.bind(event.body).run();
}

// One row for each key, with the numbers of its events.
Result<> write_chapter(SqliteConn& conn, std::uint64_t chapter) {
  std::vector<std::pair<std::string, std::int64_t>> listed;
  listed.reserve(chapter_events);
  auto events = conn.query("SELECT key, seq FROM event WHERE seq >= ? AND seq < ?");
  events.bind(chapter * chapter_events).bind((chapter + 1) * chapter_events);
  while (true) {
    TYER_TRY(const bool more, events.next());
    if (!more) break;
    listed.emplace_back(events.text(0), events.integer(1));
  }
  std::ranges::sort(listed);
  for (auto each = listed.begin(); each != listed.end();) {
    const std::string& key = each->first;
    std::string seqs;
    for (; each != listed.end() && each->first == key; ++each) {
      seqs += (seqs.empty() ? "[" : ",") + std::to_string(each->second);
    }
    seqs += ']';
    auto row = conn.query("INSERT INTO event_by_key (chapter, key, seqs) VALUES (?,?,?)");
    TYER_TRY_OK(row.bind(chapter).bind(key).bind(seqs).run());
  }
  return {};
}

Result<> write_events(SqliteConn& conn, const std::vector<core::Event>& events) {
  if (events.empty()) return {};
  for (const core::Event& event : events) TYER_TRY_OK(write_event(conn, event));
  // Chapters are full when the first event of the next one is there.
  const std::uint64_t next = chapter_of(events.back().seq);
  for (std::uint64_t full = chapter_of(events.front().seq - 1); full < next; ++full) {
    TYER_TRY_OK(write_chapter(conn, full));
  }
  return {};
}

Result<> write_lease(SqliteConn& conn, const std::string& key,
                     const std::optional<core::Lease>& lease) {
  if (!lease) return conn.query("DELETE FROM lease WHERE key = ?").bind(key).run();
  const std::string record = core::encode(*lease);
  return conn
      .query(
          "INSERT INTO lease (key, record) VALUES (?,?)"
          " ON CONFLICT (key) DO UPDATE SET record = excluded.record")
      .bind(key)
      .bind(record)
      .run();
}

}  // namespace

Result<> write_rows(SqliteConn& conn, const Writes& writes) {
  TYER_TRY_OK(write_events(conn, writes.events));
  for (const auto& [key, subject] : writes.subjects) TYER_TRY_OK(write_subject(conn, subject));
  for (const auto& [key, lease] : writes.leases) TYER_TRY_OK(write_lease(conn, key, lease));
  for (const auto& [reader, cursor] : writes.cursors) {
    TYER_TRY_OK(conn.query("INSERT INTO cursor (reader, seq) VALUES (?,?)"
                           " ON CONFLICT (reader) DO UPDATE SET seq = excluded.seq")
                    .bind(reader)
                    .bind(cursor.seq)
                    .run());
  }
  TYER_TRY_OK(write_texts(conn, writes.texts));
  if (writes.trim_before == 0) return {};
  TYER_TRY_OK(conn.query("DELETE FROM event_by_key WHERE chapter < ?")
                  .bind(chapter_of(writes.trim_before))
                  .run());
  return conn.query("DELETE FROM event WHERE seq < ?").bind(writes.trim_before).run();
}

}  // namespace tyer::store
