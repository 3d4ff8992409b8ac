// The bytes of the journal. Pure; files_journal.h says what they are for.
//
//   stamp  record stamp  record stamp  …
//
// A record is one transaction, to be done again any number of times. The stamp
// behind it says how far that has come and is overwritten in place, so that
// finishing a transaction needs no further room on the disk. The first stamp
// is the base: all before it is in the files and needs no record. Everything
// is checked by a sum and by its number and place: a torn frame, or an old one
// that shows up behind a newer one, is seen as what it is.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "core/event.h"

namespace tyer::store::files {

// What the transactions so far have come to.
struct Standing {
  std::uint64_t number = 0;   // Of the newest transaction; only grows.
  core::Head head;            // After it.
  std::uint64_t log_end = 0;  // Where the log ends after it.

  friend bool operator==(const Standing&, const Standing&) = default;
};

enum class Stage : std::uint8_t {
  prepared,  // The record is written, and not yet known to survive power loss.
  applying,  // Committed; the files are somewhere between before and after.
  applied,   // The files are as after it.
  folded,    // As applied, and all files were synced: the journal may be emptied.
};

struct Stamp {
  Stage stage = Stage::applied;
  Standing standing;
  std::uint64_t start = 0;  // Where its frame starts: the end of the stamp before.
  std::uint64_t end = 0;    // Where it ends.
  std::uint64_t boot = 0;   // Of the machine that wrote it.
  bool full = false;        // Somebody relies on this journal to survive power loss.

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

inline constexpr std::size_t stamp_bytes = 170;

struct FileChange {
  std::string path;                    // Below the store's directory.
  std::optional<std::string> content;  // Nothing: it is removed.

  friend bool operator==(const FileChange&, const FileChange&) = default;
};

struct Record {
  Standing after;
  std::string log;  // Lines to be in the log from `log_offset` on, and nothing after.
  std::uint64_t log_offset = 0;
  std::uint64_t log_first = 0;  // The number of the first of them.
  bool log_whole = false;       // They are the whole log, which was trimmed.
  bool full = false;            // As in its stamp, which may be torn when the record is not.
  std::vector<FileChange> changes;

  friend bool operator==(const Record&, const Record&) = default;
};

// What a stamp says of a boot id.
[[nodiscard]] std::uint64_t boot_number(std::string_view boot);

[[nodiscard]] std::string encode(const Stamp& stamp);

// `end` is where the bytes end in the journal.
[[nodiscard]] std::optional<Stamp> decode_stamp(std::string_view bytes, std::uint64_t end);

[[nodiscard]] std::string encode(const Record& record);

// A journal from its beginning as far as it is whole.
struct Scan {
  std::optional<Stamp> base;    // None: it is empty or unreadable.
  std::vector<Record> records;  // Whole ones, in order.
  std::optional<Stamp> last;    // The stamp of the last record, or the base; none if torn.
  std::optional<Stamp> before;  // The stamp before the last record.
  bool full = false;            // Of the last record, or the base.
  std::uint64_t boot = 0;
  std::uint64_t frame_start = 0;  // Where the last frame starts,
  std::uint64_t stamp_start = 0;  // and where its stamp belongs.
};

// `broken` if a whole record would change a file that no store writes: somebody forged it, since
// anybody can make a sum. Nothing of such a journal is done.
[[nodiscard]] Result<Scan> scan_journal(std::string_view bytes);

}  // namespace tyer::store::files
