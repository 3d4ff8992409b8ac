// Our way to SQLite's log beside SQLite's own: what is written by one is read by the other.

#include "store/sqlite_vfs.h"

#include <sqlite3.h>

#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/rng.h"
#include "support/temp_dir.h"

namespace tyer::testing {
namespace {

constexpr int rows = 300;

class Database {
 public:
  Database(const std::string& path, const char* vfs) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database_, flags, vfs), SQLITE_OK);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database_);
  }

  std::string ask(const std::string& sql) {
    std::string answer;
    const auto take = [](void* into, int, char** values, char**) {
      *static_cast<std::string*>(into) += values[0] == nullptr ? "null" : values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), take, &answer, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database_);
    return answer;
  }

  [[nodiscard]] sqlite3* handle() const { return database_; }

 private:
  sqlite3* database_ = nullptr;
};

// With so little memory pages go to the log in the middle of a transaction, and
// again when they are changed once more: then their headers are written anew.
void prepare(Database& database, const std::string& synchronous) {
  database.run(
      fmt::format("PRAGMA journal_mode = WAL; PRAGMA synchronous = {}; PRAGMA cache_size = 8;"
                  "PRAGMA wal_autocheckpoint = 200",
                  synchronous));
}

struct Way {
  std::string synchronous;
  bool gathers = false;
};

class SqliteVfs : public ::testing::TestWithParam<Way> {};

TEST_P(SqliteVfs, WritesALogThatSqliteReads) {
  const TempDir dir;
  const std::string path = dir / "x.db";
  Database ours(path, store::sqlite_vfs());
  const auto [synchronous, gathers] = GetParam();
  prepare(ours, synchronous);
  if (gathers) ours.run("PRAGMA cache_size = 400");
  ours.run("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, filler TEXT)");
  std::vector<std::uint64_t> expected(rows, 0);
  for (int i = 0; i < rows; ++i) {
    ours.run(fmt::format("INSERT INTO t VALUES ({}, 0, '{}')", i, std::string(700, 'x')));
  }
  Database theirs(path, nullptr);
  sim::Rng rng(1);

  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> next = expected;
    ours.run("BEGIN IMMEDIATE");
    for (std::uint64_t left = rng.between(1, 60); left > 0; --left) {
      const std::uint64_t id = rng.between(0, rows - 1);
      next[id] = rng.between(0, 1'000'000);
      ours.run(fmt::format("UPDATE t SET number = {} WHERE id = {}", next[id], id));
    }
    // More than goes in one write.
    if (gathers && rng.one_in(10)) ours.run("UPDATE t SET filler = filler || 'x'");
    const bool commits = !rng.one_in(5);
    if (commits && gathers) {
      store::GatheredLog gathered(ours.handle());
      ours.run("COMMIT");
      gathered.keep();
    } else {
      ours.run(commits ? "COMMIT" : "ROLLBACK");
    }
    if (commits) expected = std::move(next);
    // SQLite's own writes come in between, and start the log anew.
    if (rng.one_in(10)) theirs.run("UPDATE t SET filler = filler WHERE id < 9");

    std::uint64_t sum = 0;
    for (std::size_t id = 0; id < expected.size(); ++id) sum += expected[id] * (id + 1);
    ASSERT_EQ(theirs.ask("SELECT sum(number * (id + 1)) FROM t"), std::to_string(sum)) << round;
  }

  EXPECT_EQ(theirs.ask("PRAGMA integrity_check"), "ok");
  // One who comes anew reads the log itself and believes its sums, not what is shared in memory.
  std::filesystem::copy_file(path, dir / "copy.db");
  std::filesystem::copy_file(path + "-wal", dir / "copy.db-wal");
  Database copy(dir / "copy.db", nullptr);
  EXPECT_EQ(copy.ask("PRAGMA integrity_check"), "ok");
  constexpr const char* all = "SELECT group_concat(number) FROM t";
  EXPECT_EQ(copy.ask(all), theirs.ask(all));
}

INSTANTIATE_TEST_SUITE_P(Synchronous, SqliteVfs,
                         ::testing::Values(Way{"FULL"}, Way{"FULL", true}, Way{"NORMAL"},
                                           Way{"OFF"}),
                         [](const auto& test) {
                           return test.param.synchronous + (test.param.gathers ? "Gathered" : "");
                         });

}  // namespace
}  // namespace tyer::testing
