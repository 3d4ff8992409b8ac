// SQLite as bare as its C API allows: what our own store is measured against.
// Same journal and cache settings as ours, one table, prepared statements.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"
#include "env/clock.h"
#include "store/store.h"

namespace tyer::bench {

class RawSqlite {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RawSqlite>> open(const std::string& path) {
    std::unique_ptr<RawSqlite> raw(new RawSqlite);
    sqlite3_open(path.c_str(), &raw->database_);
    TYER_TRY_OK(
        raw->script("PRAGMA journal_mode = WAL; PRAGMA cache_size = -16000;"
                    "PRAGMA wal_autocheckpoint = 8000"));
    return raw;
  }
  ~RawSqlite() {
    for (sqlite3_stmt* const statement : {insert_, begin_, commit_, select_, remove_}) {
      sqlite3_finalize(statement);
    }
    sqlite3_close(database_);
  }
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;

  // Makes the table and writes until the log file has its full size and is used
  // again from its start: while it still grows, every sync costs more.
  [[nodiscard]] Result<> warm_up(store::Durability durability) {
    TYER_TRY_OK(
        script("PRAGMA synchronous = NORMAL; CREATE TABLE row (id INTEGER PRIMARY KEY, "
               "body TEXT)"));
    TYER_TRY(insert_, prepare("INSERT INTO row (body) VALUES (?)"));
    TYER_TRY(begin_, prepare("BEGIN IMMEDIATE"));
    TYER_TRY(commit_, prepare("COMMIT"));
    sqlite3_bind_text(insert_, 1, body_.data(), static_cast<int>(body_.size()), SQLITE_STATIC);
    for (int i = 0; i < 2'000; ++i) TYER_TRY_OK(insert(64));
    return set_durability(durability);
  }

  // Rows of 300 bytes per second, `rows_per_commit` in a transaction.
  [[nodiscard]] Result<double> insert_rate(const env::Clock& clock, int rows_per_commit,
                                           Span at_most) {
    double rows = 0;
    const Span start = clock.mono();
    Span now = start;
    for (; now < start + at_most; now = clock.mono()) {
      TYER_TRY_OK(insert(rows_per_commit));
      rows += rows_per_commit;
    }
    return rows * 1e6 / static_cast<double>((now - start).count());
  }

  // One row with this text, a commit of its own. After `warm_up`.
  [[nodiscard]] Result<> insert_text(std::string_view text) {
    sqlite3_bind_text(insert_, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    return run(insert_);
  }

  // Runs `sql` to its end, looks at every column, and returns how many rows there
  // were. Always the same statement.
  [[nodiscard]] Result<std::size_t> select(const std::string& sql) {
    if (select_ == nullptr) {
      TYER_TRY(select_, prepare(sql));
    }
    std::size_t rows = 0;
    const int columns = sqlite3_column_count(select_);
    while (sqlite3_step(select_) == SQLITE_ROW) {
      for (int i = 0; i < columns; ++i) {
        if (sqlite3_column_type(select_, i) == SQLITE_INTEGER) {
          seen_ += static_cast<std::size_t>(sqlite3_column_int64(select_, i));
        } else if (sqlite3_column_text(select_, i) != nullptr) {
          seen_ += static_cast<std::size_t>(sqlite3_column_bytes(select_, i));
        }
      }
      ++rows;
    }
    if (sqlite3_reset(select_) != SQLITE_OK) return std::unexpected(error());
    return rows;
  }

  // A table of leases, and pairs of one row's insertion and deletion per second,
  // a commit each.
  [[nodiscard]] Result<> prepare_lease() {
    TYER_TRY_OK(
        script("PRAGMA synchronous = NORMAL; CREATE TABLE lease (key TEXT PRIMARY KEY, record "
               "TEXT NOT NULL) WITHOUT ROWID"));
    TYER_TRY(insert_, prepare("INSERT INTO lease VALUES ('lock/alone', ?)"));
    TYER_TRY(remove_, prepare("DELETE FROM lease WHERE key = 'lock/alone'"));
    sqlite3_bind_text(insert_, 1, body_.data(), static_cast<int>(body_.size()), SQLITE_STATIC);
    return {};
  }
  [[nodiscard]] Result<double> lease_rate(const env::Clock& clock, Span at_most) {
    double pairs = 0;
    const Span start = clock.mono();
    Span now = start;
    for (; now < start + at_most; now = clock.mono(), ++pairs) {
      TYER_TRY_OK(run(insert_));
      TYER_TRY_OK(run(remove_));
    }
    return pairs * 1e6 / static_cast<double>((now - start).count());
  }

 private:
  RawSqlite() = default;

  [[nodiscard]] Error error() const {
    return {Fault::unavailable, fmt::format("raw SQLite: {}", sqlite3_errmsg(database_))};
  }

  [[nodiscard]] Result<> script(const std::string& sql) {
    const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? Result<>() : std::unexpected(error());
  }

  [[nodiscard]] Result<> set_durability(store::Durability durability) {
    return script(durability == store::Durability::full ? "PRAGMA synchronous = FULL"
                                                        : "PRAGMA synchronous = NORMAL");
  }

  // One row commits itself.
  [[nodiscard]] Result<> insert(int rows) {
    if (rows > 1) TYER_TRY_OK(run(begin_));
    for (int i = 0; i < rows; ++i) TYER_TRY_OK(run(insert_));
    if (rows > 1) TYER_TRY_OK(run(commit_));
    return {};
  }

  [[nodiscard]] Result<sqlite3_stmt*> prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr);
    if (code != SQLITE_OK) return std::unexpected(error());
    return statement;
  }

  [[nodiscard]] Result<> run(sqlite3_stmt* statement) {
    sqlite3_step(statement);
    return sqlite3_reset(statement) == SQLITE_OK ? Result<>() : std::unexpected(error());
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
  sqlite3_stmt* remove_ = nullptr;
  const std::string body_ = std::string(300, 'x');
  std::size_t seen_ = 0;
};

}  // namespace tyer::bench
