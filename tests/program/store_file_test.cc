// The one file of a SQLite store: when it has everything, and what is said if it has nothing.

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

class StoreFile : public ProgramTest {
 protected:
  // The log as it is in the file alone, without what lies beside it.
  [[nodiscard]] std::string log_of_copy(const std::string& file) const {
    fs::copy_file(file, dir / "alone.db", fs::copy_options::overwrite_existing);
    for (const char* beside : {"-wal", "-shm"}) fs::remove(dir / "alone.db" + beside);
    return tyer("log --json --store sqlite:alone.db").out;
  }
};

TEST_F(StoreFile, HasEverythingAfterARestore) {
  make_store();
  const std::string before = tyer("log --json").out;
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  fs::remove_all(dir / ".tyer");

  ASSERT_EQ(tyer("store restore saved.db").code, 0);

  EXPECT_EQ(log_of_copy(dir / ".tyer/tyer.db"), before);
}

TEST_F(StoreFile, HasEverythingAfterACopy) {
  make_store();
  const std::string before = tyer("log --json").out;

  ASSERT_EQ(tyer("store copy sqlite:.tyer/tyer.db sqlite:other.db").code, 0);

  EXPECT_EQ(log_of_copy(dir / "other.db"), before);
}

TEST_F(StoreFile, HasEverythingWhenTheHubHasEnded) {
  const HubPlace place("sqlite");
  RunningHub hub(place, {"--open-loopback"});
  hub.visitor().make("/api/feeds", {{"name", "general"}});

  EXPECT_EQ(hub.stop().code, 0);

  EXPECT_TRUE(log_of_copy(place.dir() / ".tyer/tyer.db").contains("feed.created"));
}

TEST_F(StoreFile, HasItsTablesFromTheFirstCommandOn) {
  ASSERT_EQ(tyer("run TSK-1 -- true").code, 0);
  fs::copy_file(dir / ".tyer/tyer.db", dir / "alone.db");

  const ProgramResult check = tyer("store check --store sqlite:alone.db");

  EXPECT_EQ(check.code, 0) << check.err;
}

TEST_F(StoreFile, WithoutAnyTableIsNoStore) {
  // What a database has before its log was ever folded into it.
  ASSERT_EQ(
      run_program({.words = {dir / "alone.db", "PRAGMA journal_mode = WAL"}, .program = "sqlite3"})
          .code,
      0);
  for (const char* beside : {"-wal", "-shm"}) fs::remove(dir / "alone.db" + beside);
  ASSERT_GT(fs::file_size(dir / "alone.db"), 0U);

  const ProgramResult check = tyer("store check --store sqlite:alone.db");

  EXPECT_EQ(check.code, 1);
  EXPECT_TRUE(check.err.contains("alone.db is no store: there is nothing in it")) << check.err;
  EXPECT_TRUE(check.err.contains("tyer store backup")) << check.err;
  fs::create_directory(dir / ".tyer");
  fs::copy_file(dir / "alone.db", dir / ".tyer/tyer.db");
  EXPECT_TRUE(tyer("store check").err.contains("is no store")) << "in its usual place";
}

}  // namespace
}  // namespace tyer::testing
