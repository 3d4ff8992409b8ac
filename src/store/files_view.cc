#include "store/files_view.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "store/files_codec.h"
#include "store/files_log.h"
#include "store/files_scan.h"
#include "store/limits.h"
#include "store/txn.h"

namespace tyer::store::files {
namespace {

// Where a file is damaged, as people would look for it.
template <class T>
Result<T> named(Result<T> decoded, const std::string& directory, const Place& place) {
  if (decoded) return decoded;
  const Result<std::string> path = path_of(place);
  return fail(Fault::broken,
              fmt::format("{}/{}: {}; put it right or remove it", directory,
                          printable(path ? *path : place.key), decoded.error().what));
}

bool is_broken(const Error& error) {
  return error.fault == Fault::broken;
}

}  // namespace

FilesView::FilesView(env::Files& files, std::string directory, const Standing& standing,
                     const env::File* log)
    : files_(files),
      directory_(std::move(directory)),
      standing_(standing),
      log_(log),
      log_is_known_(log != nullptr) {}

Result<std::optional<core::Subject>> FilesView::subject(const std::string& key) const {
  const Place place{Holds::subject, key};
  TYER_TRY(const std::optional<std::string> text, read(place));
  if (!text) return std::nullopt;
  TYER_TRY(core::Subject subject, named(decode_subject(key, *text), directory_, place));
  return subject;
}

Result<std::vector<core::Subject>> FilesView::subjects(const core::SubjectQuery& query) const {
  return list(query, false);
}

Result<std::vector<core::Subject>> FilesView::newest(const core::SubjectQuery& query) const {
  return list(query, true);
}

Result<std::vector<core::Subject>> FilesView::list(const core::SubjectQuery& query,
                                                   bool backward) const {
  std::vector<core::Subject> rows;
  if (query.limit == 0) return rows;
  TYER_TRY(Listing listing, list_places(files_, directory_, Holds::subject, query.kind));
  const core::KeyRange range = core::range_of(query);
  std::erase_if(listing.keys,
                [&](const std::string& key) { return key <= range.from || key >= range.until; });
  if (backward) std::ranges::reverse(listing.keys);
  for (const std::string& key : listing.keys) {
    auto found = subject(key);
    if (!found && is_broken(found.error())) continue;
    if (!found) return std::unexpected(found.error());
    if (*found && matches(query, **found)) rows.push_back(std::move(**found));
    if (rows.size() == query.limit) break;
  }
  return rows;
}

Result<std::vector<core::Subject>> FilesView::due(Time until, std::size_t limit) const {
  core::SubjectQuery all;
  all.limit = std::numeric_limits<std::size_t>::max();
  TYER_TRY(std::vector<core::Subject> rows, subjects(all));
  std::erase_if(rows, [&](const core::Subject& row) { return !row.due_at || *row.due_at > until; });
  std::ranges::sort(rows, [](const core::Subject& a, const core::Subject& b) {
    return std::tie(*a.due_at, a.key) < std::tie(*b.due_at, b.key);
  });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<std::optional<core::Lease>> FilesView::lease(const std::string& key) const {
  const Place place{Holds::lease, key};
  TYER_TRY(const std::optional<std::string> text, read(place));
  if (!text) return std::nullopt;
  TYER_TRY(core::Lease lease, named(core::decode_lease(key, *text), directory_, place));
  return lease;
}

Result<std::vector<core::Lease>> FilesView::leases(const std::string& after,
                                                   std::size_t limit) const {
  if (limit == 0) return std::vector<core::Lease>();
  TYER_TRY(const Listing listing, list_places(files_, directory_, Holds::lease, ""));
  return read_leases(listing.keys, after, limit);
}

Result<std::vector<core::Lease>> FilesView::leases_below(const std::string& root,
                                                         const std::string& after,
                                                         std::size_t limit) const {
  // The locks lie flat, one directory for all.
  if (limit == 0 || root.starts_with("lock")) return View::leases_below(root, after, limit);
  TYER_TRY(const Listing listing, list_leases_below(files_, directory_, root));
  return read_leases(listing.keys, after, limit);
}

Result<std::vector<core::Lease>> FilesView::read_leases(const std::vector<std::string>& keys,
                                                        const std::string& after,
                                                        std::size_t limit) const {
  std::vector<core::Lease> rows;
  for (auto key = std::ranges::upper_bound(keys, after); key != keys.end(); ++key) {
    auto found = lease(*key);
    if (!found && is_broken(found.error())) continue;
    if (!found) return std::unexpected(found.error());
    if (*found) rows.push_back(std::move(**found));
    if (rows.size() == limit) break;
  }
  return rows;
}

Result<std::vector<core::Event>> FilesView::events(const core::EventQuery& query) const {
  TYER_TRY_OK(need_log());
  if (log_ == nullptr || query.after >= standing_.head.seq) return std::vector<core::Event>();
  return read_events(*log_, standing_.log_end, query);
}

Result<core::Head> FilesView::head() const {
  TYER_TRY_OK(need_log());
  return standing_.head;
}

Result<core::Cursor> FilesView::cursor(const std::string& reader) const {
  const Place place{Holds::cursor, reader};
  TYER_TRY(const std::optional<std::string> text, read(place));
  if (!text) return core::Cursor{reader, 0};
  return named(decode_cursor(reader, *text), directory_, place);
}

Result<std::vector<core::Cursor>> FilesView::cursors() const {
  TYER_TRY(const Listing listing, list_places(files_, directory_, Holds::cursor, ""));
  std::vector<core::Cursor> rows;
  for (const std::string& reader : listing.keys) {
    auto found = cursor(reader);
    if (!found && is_broken(found.error())) continue;
    if (!found) return std::unexpected(found.error());
    rows.push_back(std::move(*found));
  }
  return rows;
}

Result<Time> FilesView::newest_time() const {
  const Result<> known = need_log();
  if (!known && !is_broken(known.error())) return std::unexpected(known.error());
  return standing_.head.at;
}

Result<std::vector<std::string>> FilesView::damage() const {
  std::vector<std::string> damage;
  const auto note = [&](const auto& result) -> Result<> {
    if (result) return {};
    if (!is_broken(result.error())) return std::unexpected(result.error());
    damage.push_back(result.error().what);
    return {};
  };
  const Result<> known = need_log();
  TYER_TRY_OK(note(known));
  if (known && log_ != nullptr) {
    const auto wrong = check_log(*log_, standing_.log_end);
    TYER_TRY_OK(note(wrong));
    if (wrong) damage = *wrong;
  }
  for (const Holds holds : {Holds::subject, Holds::lease, Holds::cursor}) {
    TYER_TRY(const Listing listing, list_places(files_, directory_, holds, ""));
    // Subjects and leases lie in the same directories: strangers there are told once.
    if (holds != Holds::lease) {
      damage.insert(damage.end(), listing.foreign.begin(), listing.foreign.end());
    }
    for (const std::string& key : listing.keys) {
      if (holds == Holds::subject) TYER_TRY_OK(note(subject(key)));
      if (holds == Holds::lease) TYER_TRY_OK(note(lease(key)));
      if (holds == Holds::cursor) TYER_TRY_OK(note(cursor(key)));
    }
  }
  return damage;
}

Result<std::optional<std::string>> FilesView::read(const Place& place) const {
  TYER_TRY(const std::string path, path_of(place));
  const std::size_t bytes_max =
      place.holds == Holds::lease ? limits::lock_file_bytes_max : limits::record_file_bytes_max;
  Result<std::string> text = files_.read(fmt::format("{}/{}", directory_, path), bytes_max);
  if (text) return std::move(*text);
  if (text.error().fault == Fault::not_found) return std::nullopt;
  // A file too long to be ours is a damaged one, not a limit somebody could raise.
  if (text.error().fault == Fault::limit) return fail(Fault::broken, text.error().what);
  return std::unexpected(text.error());
}

Result<> FilesView::need_log() const {
  if (log_is_known_) return {};
  auto opened = files_.open(fmt::format("{}/{}", directory_, log_name), env::Open::read);
  if (opened) {
    own_log_ = std::move(*opened);
    TYER_TRY(standing_, settle(standing_, *own_log_));
  } else if (opened.error().fault == Fault::not_found) {
    standing_.head.first = 0;
    standing_.log_end = 0;
  } else {
    return std::unexpected(opened.error());
  }
  log_ = own_log_.get();
  log_is_known_ = true;
  return {};
}

}  // namespace tyer::store::files
