// SQLite's own way to the file system, with half as many writes to its log.
//
// SQLite writes every page of a transaction to the write-ahead log in two calls,
// a header of 24 bytes and the page right behind it, and a commit is mostly such
// calls. Here the header waits in memory for its page, and both go in one.
//
// Nothing else ever waits. A header is kept back only at the end of what was
// written before, where SQLite appends; one that is written anew further up, as
// after a page that changed twice in a transaction, goes out at once, and so does
// one that is followed by anything but its page. What is on disk and in what
// order it gets there is the same, byte for byte.
//
// What one commit with a sync appends may go together, in a single write before that
// sync: nobody looks at it earlier. See GatheredLog.

#pragma once

struct sqlite3;

namespace tyer::store {

// The name to open databases with. Nothing (null) if there is no such way here: then SQLite's.
[[nodiscard]] const char* sqlite_vfs();

// While it is there, what is written to the log of `database` is gathered until it is synced or
// read. For the statement COMMIT of a connection with `synchronous = FULL`, which syncs before it
// lets others see it.
class GatheredLog {
 public:
  explicit GatheredLog(sqlite3* database);
  // What a commit that failed has left is dropped: by then others may have written there.
  ~GatheredLog();
  // The commit has not failed: what is left, if anything is, is written.
  void keep();
  GatheredLog(const GatheredLog&) = delete;
  GatheredLog& operator=(const GatheredLog&) = delete;

 private:
  void* log_ = nullptr;  // None: everything is written at once, as ever.
};

}  // namespace tyer::store
