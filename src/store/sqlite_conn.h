// A thin layer over the SQLite C API: connections, cached statements, errors.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tyer::store {

// A prepared statement in use. Binding is in the order of the question marks.
//
//   auto rows = conn.query("SELECT seq FROM event WHERE key = ?");
//   rows.bind(key);
//   while (true) { TYER_TRY(const bool more, rows.next()); if (!more) break; rows.integer(0); }
class SqliteRows {
 public:
  SqliteRows(sqlite3* database, sqlite3_stmt* statement);
  ~SqliteRows();
  SqliteRows(SqliteRows&&) noexcept;
  SqliteRows& operator=(SqliteRows&&) = delete;

  SqliteRows& bind(std::string_view text);         // The text must live until the last next().
  SqliteRows& bind_bytes(std::string_view bytes);  // The same.
  SqliteRows& bind(std::int64_t number);
  SqliteRows& bind(std::uint64_t number) { return bind(static_cast<std::int64_t>(number)); }
  SqliteRows& bind_null();

  [[nodiscard]] Result<bool> next();  // True: a row is there.
  [[nodiscard]] Result<> run();       // To the end, rows ignored.

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

class SqliteConn {
 public:
  enum class Mode : std::uint8_t { create, existing };

  // Opens the file, or a private database in memory for ":memory:".
  [[nodiscard]] static Result<std::unique_ptr<SqliteConn>> open(const std::string& path, Mode mode);
  ~SqliteConn();
  SqliteConn(const SqliteConn&) = delete;
  SqliteConn& operator=(const SqliteConn&) = delete;

  // The cached statement for `sql`, which must be a literal. Statements are
  // few; a statement that cannot be prepared fails at its first next().
  [[nodiscard]] SqliteRows query(std::string_view sql);
  // The first number that it finds, 0 if none.
  [[nodiscard]] Result<std::int64_t> ask(std::string_view sql);

  // How many rows the last INSERT, UPDATE or DELETE touched.
  [[nodiscard]] std::int64_t changes() const;

  // One or more statements without rows.
  [[nodiscard]] Result<> run(const std::string& sql);

  // From now on the log is folded into the database only when it is said to be, not by a commit.
  void keep_log();
  // Pages in the log after the last commit.
  [[nodiscard]] int log_pages() const { return log_pages_; }
  // As far as nobody reads them. What cannot be folded stays for the next time.
  void fold_log();

  [[nodiscard]] sqlite3* handle() const { return database_; }

 private:
  explicit SqliteConn(sqlite3* database) : database_(database) {}

  sqlite3* database_;
  int log_pages_ = 0;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

}  // namespace tyer::store
