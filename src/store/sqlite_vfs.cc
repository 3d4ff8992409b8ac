#include "store/sqlite_vfs.h"

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace tyer::store {
namespace {

constexpr const char* name = "tyer";
constexpr int header_bytes = 24;
constexpr int page_bytes_max = 4096;  // Of larger pages the two calls do not matter.
constexpr sqlite3_int64 nowhere = -1;
// More goes in several writes: of one, SQLite takes the lowest 17 bits of its length.
constexpr std::size_t gathered_bytes_max = (128 << 10) - 1;

// A log. SQLite gives us the memory; the file itself stands behind this in it.
struct Log {
  sqlite3_file base;
  sqlite3_int64 end;      // Of the page written last; `nowhere` if the last write was no page.
  sqlite3_int64 waiting;  // Where the header in `bytes` belongs; `nowhere` if there is none.
  std::array<char, header_bytes + page_bytes_max> bytes;
  bool gathers;
  sqlite3_int64 gathered_at;    // Where the first of it belongs.
  std::vector<char>* gathered;  // None before it is needed.

  [[nodiscard]] sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  [[nodiscard]] const sqlite3_io_methods& methods() { return *file()->pMethods; }

  // Sends what waits.
  int send() {
    if (gathered != nullptr && !gathered->empty()) {
      const int sent = methods().xWrite(file(), gathered->data(),
                                        static_cast<int>(gathered->size()), gathered_at);
      gathered->clear();
      if (sent != SQLITE_OK) return sent;
    }
    if (waiting == nowhere) return SQLITE_OK;
    const sqlite3_int64 at = waiting;
    waiting = nowhere;
    return methods().xWrite(file(), bytes.data(), header_bytes, at);
  }

  int gather(const char* from, std::size_t size, sqlite3_int64 at) {
    if (gathered == nullptr) gathered = new std::vector<char>;
    const auto held = static_cast<sqlite3_int64>(gathered->size());
    if (at != gathered_at + held || gathered->size() + size > gathered_bytes_max) {
      if (const int sent = send(); sent != SQLITE_OK) return sent;
    }
    if (gathered->empty()) gathered_at = at;
    gathered->insert(gathered->end(), from, from + size);
    end = at + static_cast<sqlite3_int64>(size);
    return SQLITE_OK;
  }
};
// As SQLite's memory is, and what it puts there.
static_assert(alignof(Log) <= alignof(sqlite3_int64) && sizeof(Log) % alignof(sqlite3_int64) == 0,
              "a file can stand behind it");

Log& log_of(sqlite3_file* file) {
  return *reinterpret_cast<Log*>(file);
}

int close(sqlite3_file* file) {
  Log& log = log_of(file);
  const int sent = log.send();
  delete log.gathered;
  const int closed = log.methods().xClose(log.file());
  return sent != SQLITE_OK ? sent : closed;
}

int read(sqlite3_file* file, void* into, int bytes, sqlite3_int64 at) {
  Log& log = log_of(file);
  if (const int sent = log.send(); sent != SQLITE_OK) return sent;
  return log.methods().xRead(log.file(), into, bytes, at);
}

int write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 at) {
  Log& log = log_of(file);
  if (log.gathers && log.waiting == nowhere) {
    return log.gather(static_cast<const char*>(from), static_cast<std::size_t>(bytes), at);
  }
  const bool is_page = log.waiting != nowhere && at == log.waiting + header_bytes;
  if (is_page && bytes <= page_bytes_max) {
    std::memcpy(log.bytes.data() + header_bytes, from, static_cast<std::size_t>(bytes));
    const sqlite3_int64 start = log.waiting;
    log.waiting = nowhere;
    log.end = at + bytes;
    return log.methods().xWrite(log.file(), log.bytes.data(), header_bytes + bytes, start);
  }
  if (const int sent = log.send(); sent != SQLITE_OK) return sent;
  if (bytes == header_bytes && at == log.end) {
    std::memcpy(log.bytes.data(), from, header_bytes);
    log.waiting = at;
    return SQLITE_OK;
  }
  // Whatever it is, what is appended to it may wait again.
  log.end = at + bytes;
  return log.methods().xWrite(log.file(), from, bytes, at);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  Log& log = log_of(file);
  if (const int sent = log.send(); sent != SQLITE_OK) return sent;
  return log.methods().xTruncate(log.file(), size);
}

int sync(sqlite3_file* file, int flags) {
  Log& log = log_of(file);
  if (const int sent = log.send(); sent != SQLITE_OK) return sent;
  return log.methods().xSync(log.file(), flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  Log& log = log_of(file);
  if (const int sent = log.send(); sent != SQLITE_OK) return sent;
  return log.methods().xFileSize(log.file(), size);
}

int lock(sqlite3_file* file, int level) {
  return log_of(file).methods().xLock(log_of(file).file(), level);
}

int unlock(sqlite3_file* file, int level) {
  return log_of(file).methods().xUnlock(log_of(file).file(), level);
}

int check_reserved_lock(sqlite3_file* file, int* is_reserved) {
  return log_of(file).methods().xCheckReservedLock(log_of(file).file(), is_reserved);
}

int file_control(sqlite3_file* file, int what, void* value) {
  return log_of(file).methods().xFileControl(log_of(file).file(), what, value);
}

int sector_size(sqlite3_file* file) {
  return log_of(file).methods().xSectorSize(log_of(file).file());
}

int device_characteristics(sqlite3_file* file) {
  return log_of(file).methods().xDeviceCharacteristics(log_of(file).file());
}

// Version 1: no shared memory and no mapping, which a log has no use for.
constexpr sqlite3_io_methods log_methods{1,
                                         close,
                                         read,
                                         write,
                                         truncate,
                                         sync,
                                         file_size,
                                         lock,
                                         unlock,
                                         check_reserved_lock,
                                         file_control,
                                         sector_size,
                                         device_characteristics,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr};

sqlite3_vfs& usual(sqlite3_vfs* vfs) {
  return *static_cast<sqlite3_vfs*>(vfs->pAppData);
}

// Only the log is ours; everything else is opened as if we were not there.
int open(sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags, int* got) {
  if ((flags & SQLITE_OPEN_WAL) == 0) return usual(vfs).xOpen(&usual(vfs), path, file, flags, got);
  Log& log = *new (file) Log{.base = {},
                             .end = nowhere,
                             .waiting = nowhere,
                             .bytes = {},
                             .gathers = false,
                             .gathered_at = nowhere,
                             .gathered = nullptr};
  log.file()->pMethods = nullptr;
  const int opened = usual(vfs).xOpen(&usual(vfs), path, log.file(), flags, got);
  // Without methods it is not closed.
  if (opened == SQLITE_OK) log.base.pMethods = &log_methods;
  return opened;
}

int add_vfs() {
  sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  if (usual == nullptr) return SQLITE_ERROR;
  static sqlite3_vfs ours = *usual;
  ours.szOsFile = usual->szOsFile + static_cast<int>(sizeof(Log));
  ours.pNext = nullptr;
  ours.zName = name;
  ours.pAppData = usual;
  ours.xOpen = open;
  return sqlite3_vfs_register(&ours, 0);
}

}  // namespace

GatheredLog::GatheredLog(sqlite3* database) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods != &log_methods) {
    return;
  }
  log_of(file).gathers = true;
  log_ = file;
}

void GatheredLog::keep() {
  if (log_ != nullptr) (void)static_cast<Log*>(log_)->send();
}

GatheredLog::~GatheredLog() {
  if (log_ == nullptr) return;
  Log& log = *static_cast<Log*>(log_);
  log.gathers = false;
  if (log.gathered != nullptr) log.gathered->clear();
}

const char* sqlite_vfs() {
  static const int added = add_vfs();
  return added == SQLITE_OK ? name : nullptr;
}

}  // namespace tyer::store
