#include "store/sqlite_conn.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/limits.h"
#include "store/sqlite_vfs.h"

namespace tyer::store {
namespace {

Error error_of(sqlite3* database, int code) {
  const char* file = sqlite3_db_filename(database, "main");
  const std::string where = file == nullptr || *file == '\0' ? "the database in memory" : file;
  const std::string detail = sqlite3_errmsg(database);
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Fault::timeout, fmt::format("{} is busy with another writer", where)};
    case SQLITE_FULL:
      return {Fault::limit, fmt::format("{}: the disk is full; make room and try again", where)};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Fault::broken,
              fmt::format("{} is damaged or not a tyer store ({}); look with 'tyer store "
                          "check', restore a backup with 'tyer store restore'",
                          where, detail)};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {Fault::unavailable,
              fmt::format("{} cannot be written ({}); check its permissions and "
                          "those of its directory",
                          where, detail)};
    case SQLITE_CANTOPEN:
      return {Fault::unavailable,
              fmt::format("{} cannot be opened ({}); check that its directory exists and is yours",
                          where, detail)};
    case SQLITE_IOERR: {
      const int code_of_disk = sqlite3_system_errno(database);
      if (code_of_disk == ENOSPC || code_of_disk == EDQUOT || code_of_disk == EFBIG) {
        return {Fault::limit, fmt::format("{}: the disk is full; make room and try again", where)};
      }
      return {Fault::unavailable, fmt::format("{}: {}", where, detail)};
    }
    default:
      return {Fault::unavailable, fmt::format("{}: {} (SQLite code {})", where, detail, code)};
  }
}

}  // namespace

SqliteRows::SqliteRows(sqlite3* database, sqlite3_stmt* statement)
    : database_(database), statement_(statement) {}

SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      bound_(other.bound_) {}

SqliteRows::~SqliteRows() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

SqliteRows& SqliteRows::bind(std::string_view text) {
  if (statement_ == nullptr) return *this;
  // An empty view may have no data, which SQLite would take for NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(statement_, ++bound_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

SqliteRows& SqliteRows::bind_bytes(std::string_view bytes) {
  if (statement_ == nullptr) return *this;
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  sqlite3_bind_blob64(statement_, ++bound_, data, bytes.size(), SQLITE_STATIC);
  return *this;
}

SqliteRows& SqliteRows::bind(std::int64_t number) {
  if (statement_ != nullptr) sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

SqliteRows& SqliteRows::bind_null() {
  if (statement_ != nullptr) sqlite3_bind_null(statement_, ++bound_);
  return *this;
}

Result<bool> SqliteRows::next() {
  if (statement_ == nullptr)
    return std::unexpected(error_of(database_, sqlite3_errcode(database_)));
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(error_of(database_, code));
}

Result<> SqliteRows::run() {
  while (true) {
    TYER_TRY(const bool more, next());
    if (!more) return {};
  }
}

std::string SqliteRows::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return data == nullptr
             ? ""
             : std::string(data,
                           static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::int64_t SqliteRows::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

bool SqliteRows::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<std::unique_ptr<SqliteConn>> SqliteConn::open(const std::string& path, Mode mode) {
  // Before SQLite starts: its count of memory costs a lock at every allocation.
  static const int uncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)uncounted;
  sqlite3* database = nullptr;
  // Each connection is used by one thread at a time; SQLite need not lock for us.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == Mode::create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, sqlite_vfs());
  if (code != SQLITE_OK) {
    Error error =
        database == nullptr
            ? Error{Fault::unavailable, fmt::format("{}: SQLite could not be started", path)}
            : Error{error_of(database, code).fault,
                    fmt::format("{} cannot be opened ({}); check that its directory exists and "
                                "is yours",
                                path, sqlite3_errmsg(database))};
    sqlite3_close(database);
    return std::unexpected(std::move(error));
  }
  sqlite3_busy_timeout(database, static_cast<int>(limits::store_wait_max / 1ms));
  // A command that lives for a millisecond must not fold the WAL away at its
  // end: that would cost two more syncs. Checkpoints come with its growth.
  int keep_wal = 1;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_wal);
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return std::unique_ptr<SqliteConn>(new SqliteConn(database));
}

SqliteConn::~SqliteConn() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

SqliteRows SqliteConn::query(std::string_view sql) {
  const auto found = statements_.find(sql.data());
  if (found != statements_.end()) return {database_, found->second};
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code == SQLITE_OK) statements_.emplace(sql.data(), statement);
  return {database_, statement};
}

Result<std::int64_t> SqliteConn::ask(std::string_view sql) {
  auto rows = query(sql);
  TYER_TRY(const bool found, rows.next());
  return found ? rows.integer(0) : 0;
}

std::int64_t SqliteConn::changes() const {
  return sqlite3_changes64(database_);
}

void SqliteConn::keep_log() {
  const auto count = [](void* self, sqlite3*, const char*, int pages) {
    static_cast<SqliteConn*>(self)->log_pages_ = pages;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(database_, count, this);
}

void SqliteConn::fold_log() {
  log_pages_ = 0;
  (void)sqlite3_wal_checkpoint_v2(database_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

Result<> SqliteConn::run(const std::string& sql) {
  const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error_of(database_, code));
  return {};
}

}  // namespace tyer::store
