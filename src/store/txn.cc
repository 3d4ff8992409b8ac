#include "store/txn.h"

#include <algorithm>

#include "base/check.h"
#include "core/key.h"

namespace tyer::store {
namespace {

// Sets `map[key]` and remembers what it was. In the usual case, a new row, the
// memory is small enough to need no allocation.
template <class Map, class Value>
void set_with_undo(Map& map, const std::string& key, Value value,
                   std::vector<std::function<void()>>& undo) {
  const auto [row, is_new] = map.try_emplace(key);
  if (is_new) {
    undo.emplace_back([&map, made = row] { map.erase(made); });
  } else {
    undo.emplace_back([changed = row, before = row->second] { changed->second = before; });
  }
  row->second = std::move(value);
}

// The row of `key` as it was found before, or as `find` finds it now.
template <class Row, class Find>
Result<std::optional<Row>> remember(std::unordered_map<std::string, std::optional<Row>>& rows,
                                    const std::string& key, const Find& find) {
  if (const auto known = rows.find(key); known != rows.end()) return known->second;
  TYER_TRY(std::optional<Row> row, find(key));
  if (rows.size() >= limits::page_rows_max) rows.clear();
  rows.emplace(key, row);
  return row;
}

// Rows of a listing ordered by key: the base's pages with the written rows laid
// over them. `page(after)` asks the base for at most `limit` rows; `written` is
// every row that could be in the listing, an absent value meaning that the
// base's row is not in it any more.
template <class Row, class Page>
Result<std::vector<Row>> overlay(std::string after, std::size_t limit, const Page& page,
                                 const std::map<std::string, std::optional<Row>>& written) {
  std::vector<Row> rows;
  bool exhausted = false;
  auto mine = written.upper_bound(after);
  while (rows.size() < limit) {
    std::vector<Row> base;
    if (!exhausted) {
      TYER_TRY(base, page(after));
      exhausted = base.size() < limit;
    }
    const auto take_mine_before = [&](const std::string* bound) {
      for (; mine != written.end() && rows.size() < limit &&
             (bound == nullptr || mine->first < *bound);
           ++mine) {
        if (mine->second) rows.push_back(*mine->second);
      }
    };
    for (Row& row : base) {
      after = row.key;
      take_mine_before(&row.key);
      if (!written.contains(row.key) && rows.size() < limit) rows.push_back(std::move(row));
      if (mine != written.end() && mine->first == after && rows.size() < limit) {
        if (mine->second) rows.push_back(*mine->second);
        ++mine;
      }
    }
    if (!exhausted) continue;
    take_mine_before(nullptr);
    break;
  }
  return rows;
}

}  // namespace

Txn::Txn(Begun begun, std::size_t works)
    : base_(*begun.view),
      now_(begun.now),
      begun_at_(begun.head.at),
      head_(begun.head),
      subjects_(std::move(begun.subjects)),
      leases_(std::move(begun.leases)) {
  writes_.events.reserve(works);
  undo_.reserve(2 * works);
  TYER_CHECK(now_ >= head_.at, "law 6: a transaction is not before the newest event");
}

void Txn::put(core::Subject subject) {
  const std::string key = subject.key;
  set_with_undo(writes_.subjects, key, std::move(subject), undo_);
}

void Txn::put(core::Lease lease) {
  const std::string key = lease.key;
  set_with_undo(writes_.leases, key, std::optional(std::move(lease)), undo_);
}

void Txn::drop_lease(const std::string& key) {
  set_with_undo(writes_.leases, key, std::optional<core::Lease>{}, undo_);
}

void Txn::put(core::Cursor cursor) {
  const std::string reader = cursor.reader;
  set_with_undo(writes_.cursors, reader, std::move(cursor), undo_);
}

void Txn::put_text(const std::string& key, std::string text) {
  set_with_undo(writes_.texts, key, std::move(text), undo_);
}

std::uint64_t Txn::append(core::Event event) {
  undo_.emplace_back([this] {
    writes_.events.pop_back();
    if (head_.first == head_.seq) head_.first = 0;
    --head_.seq;
    head_.at = writes_.events.empty() ? begun_at_ : now_;
  });
  event.seq = head_.seq + 1;
  event.at = now_;
  head_ = {event.seq, event.at, head_.first == 0 ? event.seq : head_.first};
  writes_.events.push_back(std::move(event));
  return head_.seq;
}

void Txn::trim(std::uint64_t before) {
  const std::uint64_t bound = std::min(before, head_.seq);
  if (bound <= head_.first) return;
  undo_.emplace_back([this, first = head_.first, trim = writes_.trim_before] {
    head_.first = first;
    writes_.trim_before = trim;
  });
  head_.first = bound;
  writes_.trim_before = bound;
}

Result<> Txn::attempt(const std::function<Result<>()>& part) {
  const std::size_t mark = undo_.size();
  Result<> result = part();
  if (result) return result;
  while (undo_.size() > mark) {
    undo_.back()();
    undo_.pop_back();
  }
  return result;
}

Result<std::optional<core::Subject>> Txn::subject(const std::string& key) const {
  const auto found = writes_.subjects.find(key);
  if (found != writes_.subjects.end()) return found->second;
  return remember(subjects_, key, [&](const std::string& its) { return base_.subject(its); });
}

auto Txn::written_in(const core::KeyRange& range) const -> WrittenRange {
  const auto from = writes_.subjects.upper_bound(range.from);
  // A range may be empty, its end before its beginning.
  const bool is_empty = range.until <= range.from;
  return {from, is_empty ? from : writes_.subjects.lower_bound(range.until)};
}

Result<std::vector<core::Subject>> Txn::subjects(const core::SubjectQuery& query) const {
  std::map<std::string, std::optional<core::Subject>> written;
  for (const auto& [key, subject] : written_in(core::range_of(query))) {
    written.emplace(key, matches(query, subject) ? std::optional(subject) : std::nullopt);
  }
  const auto page = [&](const std::string& after) {
    core::SubjectQuery next = query;
    next.after = after;
    return base_.subjects(next);
  };
  return overlay<core::Subject>(query.after, query.limit, page, written);
}

Result<std::vector<core::Subject>> Txn::newest(const core::SubjectQuery& query) const {
  // Written rows may hide as many of the base's, so ask for that many more.
  const auto written = written_in(core::range_of(query));
  core::SubjectQuery more = query;
  more.limit += static_cast<std::size_t>(std::ranges::distance(written));
  TYER_TRY(std::vector<core::Subject> rows, base_.newest(more));
  std::erase_if(rows, [&](const core::Subject& row) { return writes_.subjects.contains(row.key); });
  for (const auto& [key, subject] : written) {
    if (matches(query, subject)) rows.push_back(subject);
  }
  std::ranges::sort(rows, std::ranges::greater(), &core::Subject::key);
  if (rows.size() > query.limit) rows.resize(query.limit);
  return rows;
}

Result<std::vector<core::Subject>> Txn::due(Time until, std::size_t limit) const {
  // Written rows may hide as many of the base's, so ask for that many more.
  TYER_TRY(std::vector<core::Subject> rows, base_.due(until, limit + writes_.subjects.size()));
  std::erase_if(rows, [&](const core::Subject& row) { return writes_.subjects.contains(row.key); });
  for (const auto& [key, subject] : writes_.subjects) {
    if (subject.due_at && *subject.due_at <= until) rows.push_back(subject);
  }
  std::ranges::sort(rows, [](const core::Subject& a, const core::Subject& b) {
    return std::tie(*a.due_at, a.key) < std::tie(*b.due_at, b.key);
  });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<std::optional<core::Lease>> Txn::lease(const std::string& key) const {
  const auto found = writes_.leases.find(key);
  if (found != writes_.leases.end()) return found->second;
  return remember(leases_, key, [&](const std::string& its) { return base_.lease(its); });
}

Result<std::vector<core::Lease>> Txn::leases(const std::string& after, std::size_t limit) const {
  const auto page = [&](const std::string& next) { return base_.leases(next, limit); };
  return overlay<core::Lease>(after, limit, page, writes_.leases);
}

Result<std::vector<core::Lease>> Txn::leases_below(const std::string& root,
                                                   const std::string& after,
                                                   std::size_t limit) const {
  const std::string prefix = root + "/";
  std::map<std::string, std::optional<core::Lease>> written;
  for (auto each = writes_.leases.lower_bound(prefix);
       each != writes_.leases.end() && each->first.starts_with(prefix); ++each) {
    written.insert(*each);
  }
  const auto page = [&](const std::string& next) { return base_.leases_below(root, next, limit); };
  return overlay<core::Lease>(std::max(prefix, after), limit, page, written);
}

Result<std::vector<core::Event>> Txn::events(const core::EventQuery& query) const {
  TYER_TRY(std::vector<core::Event> rows, base_.events(query));
  std::erase_if(rows, [&](const core::Event& event) { return event.seq < head_.first; });
  for (const core::Event& event : writes_.events) {
    if (rows.size() >= query.limit) break;
    const bool wanted = query.root.empty() || core::covers(query.root, event.key);
    if (event.seq > query.after && event.seq >= head_.first && wanted) rows.push_back(event);
  }
  return rows;
}

Result<core::Cursor> Txn::cursor(const std::string& reader) const {
  const auto found = writes_.cursors.find(reader);
  if (found != writes_.cursors.end()) return found->second;
  return base_.cursor(reader);
}

Result<std::vector<core::Cursor>> Txn::cursors() const {
  TYER_TRY(const std::vector<core::Cursor> base, base_.cursors());
  std::map<std::string, core::Cursor> all = writes_.cursors;
  for (const core::Cursor& cursor : base) all.emplace(cursor.reader, cursor);
  std::vector<core::Cursor> rows;
  for (auto& [reader, cursor] : all) rows.push_back(std::move(cursor));
  return rows;
}

bool matches(const core::SubjectQuery& query, const core::Subject& subject) {
  const core::KeyRange range = core::range_of(query);
  return subject.key < range.until && (query.below.empty() || subject.key > query.below + "/") &&
         (query.parent.empty() || subject.parent == query.parent) &&
         (query.kind.empty() || core::kind_of(subject.key) == query.kind) &&
         (query.status.empty() || subject.status == query.status);
}

}  // namespace tyer::store
