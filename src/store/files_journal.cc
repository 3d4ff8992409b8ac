#include "store/files_journal.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "store/files_journal_read.h"
#include "store/files_layout.h"
#include "store/files_log.h"
#include "store/limits.h"

namespace tyer::store::files {
namespace {

constexpr int lock_tries_max = 8;

Result<> unknown(const Error& error) {
  return fail(Fault::unavailable,
              fmt::format("{}; perhaps it was committed all the same", error.what));
}

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

Journal::Journal(env::Env& env, std::string directory, Durability durability, std::size_t bytes_max)
    : env_(env),
      directory_(std::move(directory)),
      durability_(durability),
      bytes_max_(bytes_max),
      boot_(boot_here(env)) {}

Journal::~Journal() {
  // A small journal may stay: syncing the file system is no price for a short command.
  if (!file_ || !stamp_.full || stamp_.end <= bytes_max_ / 8) return;
  const Result<bool> locked = file_->try_lock();
  if (!locked || !*locked) return;
  locked_ = true;
  const auto size = file_->current_size();
  const Result<bool> clean = size && *size ? is_clean(**size) : Result<bool>(false);
  if (clean && *clean) (void)fold();
  leave();
}

Result<Standing> Journal::enter() {
  const auto entered = [&]() -> Result<Standing> {
    TYER_TRY(const std::uint64_t size, take_lock());
    TYER_TRY(const bool clean, is_clean(size));
    if (!clean) {
      if (const Result<> recovered = recover(); !recovered) {
        return std::unexpected(recovered.error().in("finishing what another process began"));
      }
    }
    TYER_TRY(log_size_, open_log());
    return log_size_ == stamp_.standing.log_end ? stamp_.standing : settle(stamp_.standing, *log_);
  }();
  if (!entered) leave();
  return entered;
}

void Journal::leave() {
  if (std::exchange(locked_, false)) file_->unlock();
}

Result<> Journal::commit(Record record) {
  TYER_CHECK(locked_, "law 9: who commits is the writer");
  record.after.number = stamp_.standing.number + 1;
  TYER_TRY_OK(make_directories(record));
  if (durability_ == Durability::full && !stamp_.full) {
    TYER_TRY_OK(env_.files.sync_all(directory_));
    stamp_.full = true;
  }
  record.full = stamp_.full;
  TYER_TRY_OK(append(record));

  const auto applied = [&]() -> Result<> {
    TYER_TRY_OK(apply_log(record, true));
    for (const FileChange& change : record.changes) TYER_TRY_OK(apply_change(change));
    return stamp(Stage::applied);
  }();
  // If it fails, the next commit tries again.
  if (applied && stamp_.end > bytes_max_) (void)fold();
  return {};
}

// Step 2, up to the commit point and the stamp `applying`.
Result<> Journal::append(const Record& record) {
  const bool full = durability_ == Durability::full;
  std::string bytes = encode(record);
  const std::uint64_t start = stamp_.end;
  const Stamp next{.stage = full ? Stage::prepared : Stage::applying,
                   .standing = record.after,
                   .start = start,
                   .end = start + bytes.size() + stamp_bytes,
                   .boot = boot_,
                   .full = stamp_.full};
  bytes += encode(next);
  if (const Result<> written = file_->write(start, bytes); !written) {
    // Power loss could bring back what was cut off, and its record may be whole.
    Result<> undone = file_->truncate(start);
    if (undone && full) undone = file_->sync();
    return undone ? written : unknown(written.error());
  }
  stamp_ = next;
  if (!full) return {};
  Result<> synced = file_->sync();
  if (synced) synced = stamp(Stage::applying);
  return synced ? synced : unknown(synced.error());
}

std::string Journal::path(std::string_view name) const {
  return (directory_ + '/').append(name);
}

// A kernel lock alone is not fair: who releases it and asks again at once is
// quicker than the one who was woken. Whoever has the queue is next.
Result<std::uint64_t> Journal::take_lock() {
  if (!queue_) {
    TYER_TRY(queue_, env_.files.open(path(queue_name), env::Open::write));
  }
  TYER_TRY_OK(queue_->lock());
  const Result<std::uint64_t> locked = lock_journal();
  queue_->unlock();
  return locked;
}

Result<std::uint64_t> Journal::lock_journal() {
  for (int i = 0; i < lock_tries_max; ++i) {
    if (!file_) {
      TYER_TRY(file_, env_.files.open(path(journal_name), env::Open::write));
    }
    TYER_TRY_OK(file_->lock());
    locked_ = true;
    TYER_TRY(const auto size, file_->current_size());
    if (size) return *size;
    leave();
    file_.reset();
  }
  return fail(Fault::unavailable, fmt::format("{} was removed {} times while waiting for its lock; "
                                              "stop whoever does that",
                                              path(journal_name), lock_tries_max));
}

Result<bool> Journal::is_clean(std::uint64_t size) {
  TYER_TRY(const std::optional<Stamp> newest, newest_stamp(*file_, size));
  if (!newest || newest->stage != Stage::applied || newest->boot != boot_) return false;
  stamp_ = *newest;
  return true;
}

Result<std::uint64_t> Journal::open_log() {
  if (log_) {
    TYER_TRY(const auto size, log_->current_size());
    if (size) return *size;
  }
  TYER_TRY(log_, env_.files.open(path(log_name), env::Open::write));
  return log_->size();
}

Result<> Journal::recover() {
  TYER_TRY(const std::uint64_t size, file_->size());
  TYER_TRY(const std::string bytes, read_journal(*file_, size));
  TYER_TRY(const Scan scan, scan_journal(bytes));
  const bool other_boot = scan.boot != boot_;
  if (!scan.base || other_boot) {
    TYER_TRY_OK(write_format());
    TYER_TRY_OK(cut_holes());
  }
  if (!scan.base) return start_afresh();
  const bool is_folded = scan.last && scan.last->stage == Stage::folded;
  if (scan.records.empty() || is_folded) {
    // What stands behind a base without its record was folded, or never whole.
    stamp_ = scan.records.empty() ? *scan.base : *scan.last;
    if (other_boot) TYER_TRY_OK(trust_log());
    return empty();
  }
  return other_boot ? redo_all(scan) : finish_last(scan, size);
}

// The power may have gone while the journal was emptied, and an old base come
// back. The log was synced before, so it is the log that knows.
Result<> Journal::trust_log() {
  TYER_TRY_OK(open_log());
  TYER_TRY(stamp_.standing, look_again(stamp_.standing, *log_));
  return {};
}

Result<> Journal::cut_holes() {
  TYER_TRY(const std::uint64_t size, open_log());
  TYER_TRY(const std::uint64_t whole, hole_start(*log_, size));
  return whole < size ? log_->truncate(whole) : Result<>();
}

// There is no journal, or it was cut off while it was made or emptied: all
// there is to know is in the files.
Result<> Journal::start_afresh() {
  TYER_TRY_OK(open_log());
  TYER_TRY(Standing standing, settle(Standing{}, *log_));
  standing.number =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, to_micros(env_.clock.now())));
  stamp_ = Stamp{.stage = Stage::applied, .standing = standing};
  return empty();
}

// It is not synced when it is made: power loss may take it, or a part of it.
Result<> Journal::write_format() {
  const auto format = env_.files.read(path(format_name), limits::lock_file_bytes_max);
  if (!format && format.error().fault != Fault::not_found) return std::unexpected(format.error());
  if (format && format->ends_with('\n')) return {};
  return env_.files.replace(path(format_name), format_text);
}

// In the boot it was written in, only the last record can be unfinished.
Result<> Journal::finish_last(const Scan& scan, std::uint64_t size) {
  const Record& record = scan.records.back();
  stamp_ = Stamp{.stage = scan.last ? scan.last->stage : Stage::prepared,
                 .standing = record.after,
                 .start = scan.frame_start,
                 .end = scan.stamp_start + stamp_bytes,
                 .boot = boot_,
                 .full = scan.full};
  if (stamp_.stage == Stage::prepared && scan.last) {
    // Nobody was told that it is committed, and readers go by the state before.
    stamp_ = *scan.before;
    return file_->truncate(stamp_.end);
  }
  if (size > stamp_.end) TYER_TRY_OK(file_->truncate(stamp_.end));
  if (stamp_.stage == Stage::applied) return {};
  if (stamp_.stage == Stage::prepared) {
    TYER_TRY_OK(file_->sync());
    TYER_TRY_OK(stamp(Stage::applying));
  }
  TYER_TRY_OK(apply_log(record, false));
  for (const FileChange& change : record.changes) TYER_TRY_OK(apply_change(change));
  sweep_temporaries(record);
  return stamp(Stage::applied);
}

Result<> Journal::redo_all(const Scan& scan) {
  std::map<std::string, FileChange> newest;
  for (const Record& record : scan.records) {
    TYER_TRY_OK(apply_log(record, false));
    for (const FileChange& change : record.changes) newest[change.path] = change;
  }
  for (const auto& [path, change] : newest) TYER_TRY_OK(apply_change(change));
  sweep_temporaries(scan.records.back());
  stamp_ = Stamp{.stage = Stage::applying,
                 .standing = scan.records.back().after,
                 .start = scan.frame_start,
                 .end = scan.stamp_start + stamp_bytes,
                 .boot = scan.boot,
                 .full = scan.full};
  TYER_TRY_OK(trust_log());
  TYER_TRY_OK(file_->truncate(stamp_.end));
  return fold();
}

// Before the commit: a name in the way must not stop a record that is committed.
Result<> Journal::make_directories(const Record& record) {
  for (const FileChange& change : record.changes) {
    const std::string parent = parent_of(change.path);
    if (!change.content || made_.contains(parent)) continue;
    TYER_TRY_OK(env_.files.make_directory(path(parent)));
    if (made_.size() >= limits::page_rows_max) made_.clear();
    made_.insert(parent);
  }
  return {};
}

Result<> Journal::apply_log(const Record& record, bool log_is_known) {
  if (record.log_whole) {
    log_.reset();
    return env_.files.replace(path(log_name), record.log);
  }
  if (record.log.empty()) return {};
  std::uint64_t at = record.log_offset;
  if (!log_is_known) {
    TYER_TRY(log_size_, open_log());
    TYER_TRY(at, place_of(*log_, record.log_first, record.log_offset));
  }
  TYER_TRY_OK(log_->write(at, record.log));
  const std::uint64_t end = at + record.log.size();
  if (log_size_ > end) TYER_TRY_OK(log_->truncate(end));
  return {};
}

Result<> Journal::apply_change(const FileChange& change) {
  const std::string file = path(change.path);
  if (!change.content) return env_.files.remove(file);
  const Result<> replaced = env_.files.replace(file, *change.content);
  if (replaced || replaced.error().fault != Fault::not_found) return replaced;
  TYER_TRY_OK(env_.files.make_directory(parent_of(file)));
  return env_.files.replace(file, *change.content);
}

// What a dead writer's replacements left lying about. Whether it works does not matter.
void Journal::sweep_temporaries(const Record& record) {
  std::set<std::string> places;
  if (record.log_whole) places.insert(directory_);
  for (const FileChange& change : record.changes) places.insert(parent_of(path(change.path)));
  for (const std::string& place : places) {
    const auto entries = env_.files.list(place);
    if (!entries) continue;
    for (const env::Entry& entry : *entries) {
      if (is_temporary(entry.name)) {
        (void)env_.files.remove(fmt::format("{}/{}", place, entry.name));
      }
    }
  }
}

Result<> Journal::stamp(Stage stage) {
  Stamp next = stamp_;
  next.stage = stage;
  next.boot = boot_;
  TYER_TRY_OK(file_->write(next.end - stamp_bytes, encode(next)));
  stamp_ = next;
  return {};
}

Result<> Journal::fold() {
  if (stamp_.full) TYER_TRY_OK(env_.files.sync_all(directory_));
  TYER_TRY_OK(stamp(Stage::folded));
  return empty();
}

Result<> Journal::empty() {
  Stamp base = stamp_;
  base.stage = Stage::applied;
  base.start = 0;
  base.end = stamp_bytes;
  base.boot = boot_;
  TYER_TRY_OK(file_->write(0, encode(base)));
  TYER_TRY_OK(file_->truncate(stamp_bytes));
  stamp_ = base;
  return {};
}

}  // namespace tyer::store::files
