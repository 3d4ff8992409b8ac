#include "store/sqlite_view.h"

#include <algorithm>
#include <iterator>

#include "core/key.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_search.h"

namespace tyer::store {
namespace {

#define TYER_SUBJECT_COLUMNS "key, parent, status, due_at, rev, state"
#define TYER_EVENT_COLUMNS "seq, key, rev, type, at, actor, cause, body"

core::Subject read_subject(const SqliteRows& rows) {
  core::Subject subject;
  subject.key = rows.text(0);
  subject.parent = rows.text(1);
  subject.status = rows.text(2);
  if (!rows.is_null(3)) subject.due_at = from_micros(rows.integer(3));
  subject.rev = static_cast<std::uint64_t>(rows.integer(4));
  subject.state = rows.text(5);
  return subject;
}

core::Event read_event(const SqliteRows& rows) {
  core::Event event;
  event.seq = static_cast<std::uint64_t>(rows.integer(0));
  event.key = rows.text(1);
  event.rev = static_cast<std::uint64_t>(rows.integer(2));
  event.type = rows.text(3);
  event.at = from_micros(rows.integer(4));
  event.actor = rows.text(5);
  if (!rows.is_null(6)) event.cause = static_cast<std::uint64_t>(rows.integer(6));
  event.body = rows.text(7);
  return event;
}

core::Cursor read_cursor(const SqliteRows& rows) {
  return {rows.text(0), static_cast<std::uint64_t>(rows.integer(1))};
}

Result<core::Lease> read_lease(const SqliteRows& rows) {
  const std::string key = rows.text(0);
  auto lease = core::decode_lease(key, rows.text(1));
  if (!lease) return fail(Fault::broken, key + ": its lease cannot be read: " + lease.error().what);
  return lease;
}

template <class Row, class Read>
Result<std::vector<Row>> collect(SqliteRows& rows, const Read& read) {
  std::vector<Row> all;
  while (true) {
    TYER_TRY(const bool more, rows.next());
    if (!more) return all;
    all.push_back(read(rows));
  }
}

}  // namespace

Result<std::optional<core::Subject>> SqliteView::subject(const std::string& key) const {
  const Recent::Row* known = recent_ == nullptr ? nullptr : recent_->find(key);
  if (known != nullptr) return *known;
  auto rows = conn_.query("SELECT " TYER_SUBJECT_COLUMNS " FROM subject WHERE key = ?");
  TYER_TRY(const bool found, rows.bind(key).next());
  Recent::Row row;
  if (found) row = read_subject(rows);
  if (recent_ != nullptr) recent_->put(key, row);
  return row;
}

// One statement per index and direction; the rest of the query narrows what the index finds.
#define TYER_SUBJECTS(condition, order)                           \
  "SELECT " TYER_SUBJECT_COLUMNS " FROM subject WHERE " condition \
  " AND key > ?4 AND key < ?5 ORDER BY key " order " LIMIT ?6"
#define TYER_BY_PARENT "parent = ?1 AND parent <> '' AND ?2 = ?2 AND (?3 = '' OR status = ?3)"
#define TYER_BY_STATUS "?1 = '' AND kind = ?2 AND status = ?3"
#define TYER_BY_KEY "?1 = '' AND ?2 = ?2 AND (?3 = '' OR status = ?3)"

Result<std::vector<core::Subject>> SqliteView::subjects(const core::SubjectQuery& query) const {
  return list(query, !query.parent.empty() ? TYER_SUBJECTS(TYER_BY_PARENT, "ASC")
                     : !query.kind.empty() && !query.status.empty()
                         ? TYER_SUBJECTS(TYER_BY_STATUS, "ASC")
                         : TYER_SUBJECTS(TYER_BY_KEY, "ASC"));
}

Result<std::vector<core::Subject>> SqliteView::newest(const core::SubjectQuery& query) const {
  return list(query, !query.parent.empty() ? TYER_SUBJECTS(TYER_BY_PARENT, "DESC")
                     : !query.kind.empty() && !query.status.empty()
                         ? TYER_SUBJECTS(TYER_BY_STATUS, "DESC")
                         : TYER_SUBJECTS(TYER_BY_KEY, "DESC"));
}

Result<std::vector<core::Subject>> SqliteView::list(const core::SubjectQuery& query,
                                                    std::string_view sql) const {
  const core::KeyRange range = core::range_of(query);
  auto rows = conn_.query(sql);
  rows.bind(query.parent).bind(query.kind).bind(query.status);
  rows.bind(range.from).bind(range.until).bind(query.limit);
  return collect<core::Subject>(rows, read_subject);
}

Result<std::vector<core::Subject>> SqliteView::due(Time until, std::size_t limit) const {
  auto rows = conn_.query("SELECT " TYER_SUBJECT_COLUMNS
                          " FROM subject WHERE due_at <= ? ORDER BY due_at, key LIMIT ?");
  rows.bind(to_micros(until)).bind(limit);
  return collect<core::Subject>(rows, read_subject);
}

Result<std::optional<core::Lease>> SqliteView::lease(const std::string& key) const {
  auto rows = conn_.query("SELECT key, record FROM lease WHERE key = ?");
  TYER_TRY(const bool found, rows.bind(key).next());
  if (!found) return std::nullopt;
  TYER_TRY(core::Lease lease, read_lease(rows));
  return lease;
}

Result<std::vector<core::Lease>> SqliteView::leases(const std::string& after,
                                                    std::size_t limit) const {
  auto rows = conn_.query("SELECT key, record FROM lease WHERE key > ? ORDER BY key LIMIT ?");
  rows.bind(after).bind(limit);
  std::vector<core::Lease> all;
  while (true) {
    TYER_TRY(const bool more, rows.next());
    if (!more) return all;
    TYER_TRY(core::Lease lease, read_lease(rows));
    all.push_back(std::move(lease));
  }
}

Result<std::vector<core::Event>> SqliteView::events(const core::EventQuery& query) const {
  if (query.root.empty()) {
    auto rows =
        conn_.query("SELECT " TYER_EVENT_COLUMNS " FROM event WHERE seq > ? ORDER BY seq LIMIT ?");
    rows.bind(query.after).bind(query.limit);
    return collect<core::Event>(rows, read_event);
  }
  TYER_TRY(const core::Head ends, head());
  const std::uint64_t last = chapter_of(ends.seq);
  std::vector<core::Event> events;
  const auto add = [&](std::string_view sql, std::uint64_t chapter) -> Result<> {
    auto rows = conn_.query(sql);
    rows.bind(query.after).bind(query.root).bind(query.limit - events.size()).bind(chapter);
    TYER_TRY(std::vector<core::Event> found, collect<core::Event>(rows, read_event));
    std::ranges::move(found, std::back_inserter(events));
    return {};
  };
  std::uint64_t chapter = chapter_of(std::max(query.after + 1, ends.first));
  for (; chapter < last && events.size() < query.limit; ++chapter) {
    TYER_TRY_OK(add("SELECT " TYER_EVENT_COLUMNS " FROM event WHERE seq > ?1 AND seq IN"
                    " (SELECT value FROM event_by_key AS k, json_each(seqs)"
                    " WHERE chapter = ?4 AND k.key = ?2 UNION ALL"
                    " SELECT value FROM event_by_key AS k, json_each(seqs)"
                    " WHERE chapter = ?4 AND k.key > ?2 || '/' AND k.key < ?2 || '0')"
                    " ORDER BY seq LIMIT ?3",
                    chapter));
  }
  if (events.size() == query.limit) return events;
  TYER_TRY_OK(add("SELECT " TYER_EVENT_COLUMNS " FROM event WHERE seq > ?1 AND seq >= ?4"
                  " AND (key = ?2 OR (key > ?2 || '/' AND key < ?2 || '0'))"
                  " ORDER BY seq LIMIT ?3",
                  last * chapter_events));
  return events;
}

Result<core::Head> SqliteView::head() const {
  core::Head head;
  auto newest = conn_.query("SELECT seq, at FROM event ORDER BY seq DESC LIMIT 1");
  TYER_TRY(const bool any, newest.next());
  if (!any) return head;
  head.seq = static_cast<std::uint64_t>(newest.integer(0));
  head.at = from_micros(newest.integer(1));
  auto oldest = conn_.query("SELECT min(seq) FROM event");
  TYER_TRY_OK(oldest.next());
  head.first = static_cast<std::uint64_t>(oldest.integer(0));
  return head;
}

Result<core::TextFound> SqliteView::search(const core::TextQuery& query) const {
  return search_texts(conn_, query);
}

Result<std::optional<std::string>> SqliteView::indexed_text(const std::string& key) const {
  TYER_TRY(std::string text, find_text(conn_, key));
  return text;
}

Result<core::Cursor> SqliteView::cursor(const std::string& reader) const {
  auto rows = conn_.query("SELECT reader, seq FROM cursor WHERE reader = ?");
  TYER_TRY(const bool found, rows.bind(reader).next());
  if (!found) return core::Cursor{reader, 0};
  return read_cursor(rows);
}

Result<std::vector<core::Cursor>> SqliteView::cursors() const {
  auto rows = conn_.query("SELECT reader, seq FROM cursor ORDER BY reader");
  return collect<core::Cursor>(rows, read_cursor);
}

}  // namespace tyer::store
