#include "store/copy.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "store/sqlite_conn.h"
#include "store/sqlite_store.h"

namespace tyer::store {
namespace {

// Rows asked for at a time, and bytes that are committed at a time: few enough
// to hold even if every row is as large as it may be.
constexpr std::size_t page_rows = 200;
constexpr std::size_t commit_rows = 1'000;
constexpr std::size_t commit_bytes = 4 << 20;

class Copy {
 public:
  Copy(Store& to, const TextOf& text_of, const std::function<void(const Copied&)>& progress)
      : to_(to), text_of_(text_of), progress_(progress) {}

  // May be called again with a later picture: events never change, so those
  // that were copied stay, and the rows are written once more.
  Result<> run(const core::View& view) {
    pending_ = {};
    pending_rows_ = pending_bytes_ = 0;
    first_event_ = first_committed_;
    last_event_ = last_committed_;
    TYER_TRY_OK(copy_events(view));
    TYER_TRY_OK(copy_subjects(view));
    TYER_TRY_OK(copy_leases(view));
    TYER_TRY(const std::vector<core::Cursor> cursors, view.cursors());
    copied.cursors = cursors.size();
    for (const core::Cursor& cursor : cursors) {
      pending_.cursors[cursor.reader] = cursor;
      TYER_TRY_OK(added(cursor.reader.size()));
    }
    return commit();
  }

  Copied copied;

 private:
  Result<> copy_events(const core::View& view) {
    TYER_TRY(const core::Head head, view.head());
    copied.events_total = head.seq == 0 ? 0 : head.seq - head.first + 1;
    // A log that was trimmed since the last picture is trimmed in the copy too.
    if (last_event_ != 0 && head.first > first_event_) {
      const bool overtaken = head.first > last_event_;
      if (overtaken) return fail(Fault::conflict, "the log was trimmed past the copy; try again");
      pending_.trim_before = first_event_ = head.first;
    }
    while (true) {
      TYER_TRY(std::vector<core::Event> page,
               view.events({.after = last_event_, .root = "", .limit = page_rows}));
      for (core::Event& event : page) {
        if (first_event_ == 0) first_event_ = event.seq;
        last_event_ = event.seq;
        const std::size_t bytes = event.body.size() + event.key.size();
        pending_.events.push_back(std::move(event));
        copied.events = last_event_ - first_event_ + 1;
        TYER_TRY_OK(added(bytes));
      }
      if (page.size() < page_rows) return commit();
    }
  }

  Result<> copy_subjects(const core::View& view) {
    copied.subjects = 0;
    const bool is_repeated = std::exchange(has_run_, true);
    core::SubjectQuery query{
        .parent = "", .kind = "", .status = "", .after = "", .limit = page_rows};
    while (true) {
      TYER_TRY(std::vector<core::Subject> page, view.subjects(query));
      for (core::Subject& subject : page) {
        query.after = subject.key;
        std::string text = text_of_(subject);
        const std::size_t bytes = subject.state.size() + subject.key.size() + text.size();
        // Also if it says nothing any more: it may have, in an earlier picture.
        if (!text.empty() || is_repeated) pending_.texts[subject.key] = std::move(text);
        pending_.subjects.emplace(query.after, std::move(subject));
        ++copied.subjects;
        TYER_TRY_OK(added(bytes));
      }
      if (page.size() < page_rows) return {};
    }
  }

  Result<> copy_leases(const core::View& view) {
    std::set<std::string> ended = std::move(leases_);
    leases_.clear();
    std::string after;
    while (true) {
      TYER_TRY(std::vector<core::Lease> page, view.leases(after, page_rows));
      for (core::Lease& lease : page) {
        after = lease.key;
        ended.erase(lease.key);
        leases_.insert(lease.key);
        pending_.leases[after] = std::move(lease);
        TYER_TRY_OK(added(after.size()));
      }
      if (page.size() < page_rows) break;
    }
    for (const std::string& key : ended) pending_.leases[key] = std::nullopt;
    copied.leases = leases_.size();
    return {};
  }

  Result<> added(std::size_t bytes) {
    pending_bytes_ += bytes;
    if (++pending_rows_ < commit_rows && pending_bytes_ < commit_bytes) return {};
    return commit();
  }

  Result<> commit() {
    progress_(copied);
    if (pending_.empty()) return {};
    TYER_TRY_OK(to_.begin({}));
    TYER_TRY_OK(to_.commit(pending_));
    first_committed_ = first_event_;
    last_committed_ = last_event_;
    pending_ = {};
    pending_rows_ = pending_bytes_ = 0;
    return {};
  }

  Store& to_;
  const TextOf& text_of_;
  const std::function<void(const Copied&)>& progress_;

  Writes pending_;
  std::size_t pending_rows_ = 0;
  std::size_t pending_bytes_ = 0;

  std::uint64_t first_event_ = 0;
  std::uint64_t last_event_ = 0;

  // What the target has, perhaps from an earlier picture.
  std::uint64_t first_committed_ = 0;
  std::uint64_t last_committed_ = 0;
  std::set<std::string> leases_;
  bool has_run_ = false;
};

}  // namespace

Result<Copied> copy(Store& from, Store& to, const TextOf& text_of,
                    const std::function<void(const Copied&)>& progress, const Along& along) {
  bool empty = false;
  TYER_TRY_OK(to.read([&](const core::View& view) -> Result<> {
    TYER_TRY(empty, is_empty(view));
    return {};
  }));
  if (!empty) {
    return fail(Fault::conflict,
                fmt::format("{} is not empty; a copy needs an empty target", to.name()));
  }
  Copy copying(to, text_of, progress);
  TYER_TRY_OK(from.read([&](const core::View& view) -> Result<> {
    if (along) TYER_TRY_OK(along(view));
    return copying.run(view);
  }));
  return copying.copied;
}

Result<> fold_into_file(const std::string& path) {
  TYER_TRY(const auto conn, SqliteConn::open(path, SqliteConn::Mode::existing));
  TYER_TRY(const std::int64_t busy, conn->ask("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy != 0) return fail(Fault::conflict, fmt::format("{} is in use by somebody else", path));
  return conn->run("PRAGMA journal_mode = DELETE");
}

bool lacks_log(const std::string& url, env::Files& files) {
  constexpr std::string_view scheme = "sqlite:";
  return url.starts_with(scheme) && sqlite_lacks_log(url.substr(scheme.size()), files);
}

Result<bool> is_empty(const core::View& view) {
  TYER_TRY(const core::Head head, view.head());
  TYER_TRY(const auto subjects,
           view.subjects({.parent = "", .kind = "", .status = "", .after = "", .limit = 1}));
  TYER_TRY(const auto leases, view.leases("", 1));
  TYER_TRY(const auto cursors, view.cursors());
  return head.seq == 0 && subjects.empty() && leases.empty() && cursors.empty();
}

}  // namespace tyer::store
