// How several processes change many files all at once, and crash while at it.
//
// The journal is one file. Its kernel lock is the right to write; its newest
// stamp says how the files stand. A transaction is
//
//   1  lock, and finish what a dead writer left
//   2  write the record and its stamp behind the journal's end  (`applying`)
//   3  do what the record says to the log and the files
//   4  overwrite the stamp: `applied`; unlock
//
// With Durability::full, step 2 writes the stamp as `prepared`, syncs the
// journal, and only then overwrites it with `applying`.
//
// Why it is right
//  - One writer. The lock belongs to an open file and is gone with its process.
//    Who gets it checks that the path still leads to that file, so that a
//    journal removed by hand does not leave two locks.
//  - All or nothing. Files change only after the record is whole in the
//    journal. A record cut short is known by its sum and dropped: nothing of it
//    was done; so is one still `prepared`. Any other is done again by the next to
//    get the lock, and doing it twice is doing it once: files get given contents,
//    and log lines belong behind the last line with a smaller number.
//  - Only what was left is done again. In the boot in which a record was
//    applied its stamp says so, and a lock file removed by hand stays removed.
//  - Power loss. Only the journal is synced at a commit, so after a reboot any
//    file may have fallen back to what it was at the last fold; all records
//    since then are still here and are done again, in order. A fold syncs
//    everything, says so in the stamp, and only then empties the journal. The
//    record is synced before the first file changes: no file can be newer than
//    what the journal knows. The journal's own name is synced before anybody
//    relies on it. Power lost in a fold may bring an old base back; then all is
//    synced, and the log itself says where it ends.
//  - Readers take no lock. State n stands while the newest stamp says `applied`
//    or `folded` n, or `prepared` n+1: files change only under `applying`. A
//    reader that sees the same n before and after has seen state n.
//  - Numbers never go back: each stamp carries the newest event's number and
//    time, whatever becomes of the log (L5).
//  - A full disk. Before step 2 is done nothing has changed, and the journal is
//    cut back: `limit`. After it the transaction is committed and its answer is
//    yes, even if step 3 finds no room: the record is as durable as it was asked
//    to be, nobody can see the half-done files, and everybody who comes next
//    finishes it first, or is told `limit` while there is still no room.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/env.h"
#include "store/files_record.h"
#include "store/store.h"

namespace tyer::store::files {

class Journal {
 public:
  Journal(env::Env& env, std::string directory, Durability durability, std::size_t bytes_max);

  // Folds a long journal if nobody else writes.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Step 1: takes the lock and answers how things stand. `leave` gives it back.
  [[nodiscard]] Result<Standing> enter();
  void leave();

  // Steps 2 to 4. Requires `enter`. `record.after.number` is set here. An error
  // other than `unavailable` means that nothing was changed.
  [[nodiscard]] Result<> commit(Record record);

  // The log as it was found by `enter`.
  [[nodiscard]] const env::File& log() const { return *log_; }

 private:
  [[nodiscard]] std::string path(std::string_view name) const;
  [[nodiscard]] Result<std::uint64_t> take_lock();
  [[nodiscard]] Result<std::uint64_t> lock_journal();
  [[nodiscard]] Result<bool> is_clean(std::uint64_t size);
  [[nodiscard]] Result<std::uint64_t> open_log();

  [[nodiscard]] Result<> recover();
  [[nodiscard]] Result<> write_format();
  [[nodiscard]] Result<> cut_holes();
  [[nodiscard]] Result<> trust_log();
  [[nodiscard]] Result<> start_afresh();
  [[nodiscard]] Result<> finish_last(const Scan& scan, std::uint64_t size);
  [[nodiscard]] Result<> redo_all(const Scan& scan);

  [[nodiscard]] Result<> make_directories(const Record& record);
  [[nodiscard]] Result<> append(const Record& record);
  [[nodiscard]] Result<> apply_log(const Record& record, bool log_is_known);
  [[nodiscard]] Result<> apply_change(const FileChange& change);
  void sweep_temporaries(const Record& record);

  [[nodiscard]] Result<> stamp(Stage stage);
  [[nodiscard]] Result<> fold();
  [[nodiscard]] Result<> empty();

  env::Env& env_;
  const std::string directory_;
  const Durability durability_;
  const std::size_t bytes_max_;
  const std::uint64_t boot_;

  std::unique_ptr<env::File> queue_;
  std::unique_ptr<env::File> file_;
  std::unique_ptr<env::File> log_;
  bool locked_ = false;
  Stamp stamp_;                 // The newest; right while locked.
  std::uint64_t log_size_ = 0;  // Right while locked.
  std::set<std::string> made_;  // Directories that were there once.
};

}  // namespace tyer::store::files
