#include "store/postgres_view.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/postgres_search.h"

namespace tyer::store {
namespace {

std::string count(std::size_t limit) {
  return std::to_string(std::min<std::size_t>(limit, std::numeric_limits<std::int64_t>::max()));
}

std::uint64_t positive(const Rows& rows, int row, int column) {
  return static_cast<std::uint64_t>(rows.number(row, column));
}

core::Subject to_subject(const Rows& rows, int row) {
  core::Subject subject;
  subject.key = rows.text(row, 0);
  subject.parent = rows.text(row, 1);
  subject.status = rows.text(row, 2);
  if (!rows.is_null(row, 3)) subject.due_at = from_micros(rows.number(row, 3));
  subject.rev = positive(rows, row, 4);
  subject.state = rows.text(row, 5);
  return subject;
}

core::Event to_event(const Rows& rows, int row) {
  core::Event event;
  event.seq = positive(rows, row, 0);
  event.key = rows.text(row, 1);
  event.rev = positive(rows, row, 2);
  event.type = rows.text(row, 3);
  event.at = from_micros(rows.number(row, 4));
  event.actor = rows.text(row, 5);
  if (!rows.is_null(row, 6)) event.cause = positive(rows, row, 6);
  event.body = rows.text(row, 7);
  return event;
}

Result<core::Lease> to_lease(const Rows& rows, int row) {
  const std::string_view key = rows.text(row, 0);
  Result<core::Lease> lease = core::decode_lease(key, rows.text(row, 1));
  if (!lease) {
    return fail(Fault::broken,
                fmt::format("the lease of {} cannot be read: {}", key, lease.error().what));
  }
  return lease;
}

core::Cursor to_cursor(const Rows& rows, int row) {
  return {std::string(rows.text(row, 0)), positive(rows, row, 1)};
}

template <class Row>
std::vector<Row> all(const Rows& rows, Row (*to_row)(const Rows&, int)) {
  std::vector<Row> list;
  list.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) list.push_back(to_row(rows, row));
  return list;
}

}  // namespace

Result<std::optional<core::Subject>> PostgresView::subject(const std::string& key) const {
  TYER_TRY(const Rows rows, connection_.query(Sql::subject, {space_, key}));
  if (rows.size() == 0) return std::nullopt;
  return to_subject(rows, 0);
}

Result<std::vector<core::Subject>> PostgresView::subjects(const core::SubjectQuery& query) const {
  return list(query, !query.parent.empty()                          ? Sql::subjects_by_parent
                     : !query.kind.empty() && !query.status.empty() ? Sql::subjects_by_status
                                                                    : Sql::subjects_by_key);
}

Result<std::vector<core::Subject>> PostgresView::newest(const core::SubjectQuery& query) const {
  return list(query, !query.parent.empty()                          ? Sql::newest_by_parent
                     : !query.kind.empty() && !query.status.empty() ? Sql::newest_by_status
                                                                    : Sql::newest_by_key);
}

Result<std::vector<core::Subject>> PostgresView::list(const core::SubjectQuery& query,
                                                      Sql sql) const {
  const core::KeyRange range = core::range_of(query);
  TYER_TRY(const Rows rows, connection_.query(sql, {space_, query.parent, query.kind, query.status,
                                                    range.from, range.until, count(query.limit)}));
  return all(rows, to_subject);
}

Result<std::vector<core::Subject>> PostgresView::due(Time until, std::size_t limit) const {
  TYER_TRY(const Rows rows,
           connection_.query(Sql::due, {space_, std::to_string(to_micros(until)), count(limit)}));
  return all(rows, to_subject);
}

Result<std::optional<core::Lease>> PostgresView::lease(const std::string& key) const {
  TYER_TRY(const Rows rows, connection_.query(Sql::lease, {space_, key}));
  if (rows.size() == 0) return std::nullopt;
  return to_lease(rows, 0);
}

Result<std::vector<core::Lease>> PostgresView::leases(const std::string& after,
                                                      std::size_t limit) const {
  TYER_TRY(const Rows rows, connection_.query(Sql::leases, {space_, after, count(limit)}));
  std::vector<core::Lease> list;
  for (int row = 0; row < rows.size(); ++row) {
    TYER_TRY(core::Lease lease, to_lease(rows, row));
    list.push_back(std::move(lease));
  }
  return list;
}

Result<std::vector<core::Event>> PostgresView::events(const core::EventQuery& query) const {
  std::vector<Value> values{space_, count(query.after), count(query.limit)};
  if (!query.root.empty()) values.emplace_back(query.root);
  TYER_TRY(const Rows rows, connection_.query(query.root.empty() ? Sql::events : Sql::events_below,
                                              std::move(values)));
  return all(rows, to_event);
}

Result<core::Head> PostgresView::head() const {
  TYER_TRY(const Rows rows, connection_.query(Sql::head, {space_}));
  return read_head(rows).head;
}

Result<core::TextFound> PostgresView::search(const core::TextQuery& query) const {
  return search_texts(connection_, space_, query);
}

Result<std::optional<std::string>> PostgresView::indexed_text(const std::string& key) const {
  TYER_TRY(const Rows rows, connection_.query(Sql::text, {space_, key}));
  return rows.size() == 0 ? "" : std::string(rows.text(0, 0));
}

Result<core::Cursor> PostgresView::cursor(const std::string& reader) const {
  TYER_TRY(const Rows rows, connection_.query(Sql::cursor, {space_, reader}));
  return rows.size() == 0 ? core::Cursor{reader, 0} : to_cursor(rows, 0);
}

Result<std::vector<core::Cursor>> PostgresView::cursors() const {
  TYER_TRY(const Rows rows, connection_.query(Sql::cursors, {space_}));
  return all(rows, to_cursor);
}

SubjectRows read_subjects(const Rows& rows, std::span<const std::string> keys) {
  SubjectRows found;
  for (const std::string& key : keys) found.emplace(key, std::nullopt);
  for (int row = 0; row < rows.size(); ++row) {
    core::Subject subject = to_subject(rows, row);
    found[subject.key] = subject;
  }
  return found;
}

LeaseRows read_leases(const Rows& rows, std::span<const std::string> keys) {
  LeaseRows found;
  for (const std::string& key : keys) found.emplace(key, std::nullopt);
  for (int row = 0; row < rows.size(); ++row) {
    if (auto lease = to_lease(rows, row)) {
      found[lease->key] = *std::move(lease);
    } else {
      found.erase(std::string(rows.text(row, 0)));
    }
  }
  return found;
}

HeadRow read_head(const Rows& rows) {
  const core::Head head{positive(rows, 0, 0), from_micros(rows.number(0, 1)), positive(rows, 0, 2)};
  return {head, std::max(head.at, from_micros(rows.number(0, 3)))};
}

}  // namespace tyer::store
