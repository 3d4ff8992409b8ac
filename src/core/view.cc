#include "core/view.h"

#include <algorithm>
#include <iterator>

#include "core/search.h"

namespace tyer::core {

KeyRange range_of(const SubjectQuery& query) {
  // Keys below "a" lie between "a/" and "a0"; all keys lie before '{', since they begin with a
  // lower-case letter.
  KeyRange range{query.after, query.before.empty() ? "{" : query.before};
  for (const std::string* root : {&query.kind, &query.below}) {
    if (root->empty()) continue;
    range.from = std::max(range.from, *root + "/");
    range.until = std::min(range.until, *root + "0");
  }
  return range;
}

// For those who hardly ever ask.
Result<std::vector<Subject>> View::newest(const SubjectQuery& query) const {
  std::vector<Subject> rows;
  SubjectQuery page = query;
  page.limit = limits::page_rows_max;
  while (true) {
    TYER_TRY(std::vector<Subject> more, subjects(page));
    std::ranges::move(more, std::back_inserter(rows));
    if (rows.size() > query.limit)
      rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(query.limit));
    if (more.size() < page.limit) break;
    page.after = rows.back().key;
  }
  std::ranges::reverse(rows);
  return rows;
}

// Reads through the subjects themselves.
Result<TextFound> View::search(const TextQuery& query) const {
  TextFound found;
  if (query.text == nullptr || query.limit == 0) return found;
  SubjectQuery page{.kind = query.kind, .before = query.before};
  for (std::size_t looked = 0; looked < limits::search_rows_max;) {
    TYER_TRY(const std::vector<Subject> rows, newest(page));
    for (const Subject& row : rows) {
      page.before = found.next = row.key;
      if (holds(clean_text(query.text(row)), query.words)) found.keys.push_back(row.key);
      if (++looked == limits::search_rows_max || found.keys.size() == query.limit) return found;
    }
    if (rows.size() < page.limit) break;
  }
  found.next.clear();
  return found;
}

Result<std::optional<std::string>> View::indexed_text(const std::string&) const {
  return std::nullopt;
}

Result<std::vector<Lease>> View::leases_below(const std::string& root, const std::string& after,
                                              std::size_t limit) const {
  const std::string prefix = root + "/";
  TYER_TRY(std::vector<Lease> rows, leases(std::max(prefix, after), limit));
  const auto end = std::ranges::find_if(
      rows, [&](const Lease& lease) { return !lease.key.starts_with(prefix); });
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace tyer::core
