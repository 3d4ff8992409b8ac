// The one file of a SQLite store: when it has everything, and what is said if it has nothing.

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* no_log = "there is no log beside it, as with a copy of the file alone";

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

// What short commands have written is in the log beside it. One that lasted for a second, as they
// do on a busy machine, folds the log into the file.
TEST_F(StoreFile, AloneAfterShortCommandsDoesNotPassTheCheckInSilence) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(tyer("run TSK-1 -- true").code, 0);
  EXPECT_FALSE(tyer("store check").out.contains("there is no log")) << "where it belongs";
  fs::copy_file(dir / ".tyer/tyer.db", dir / "alone.db");

  const ProgramResult check = tyer("store check --store sqlite:alone.db");

  EXPECT_TRUE(check.code == 1 || check.out.contains(no_log)) << check.out;
}

TEST_F(StoreFile, AloneThatMayLackSomethingIsNeverCheckedNorCopiedInSilence) {
  make_store();
  ASSERT_EQ(tyer("store copy sqlite:.tyer/tyer.db sqlite:all.db").code, 0);
  add_run("sqlite:" + (dir / "all.db"), "later");
  fs::copy_file(dir / "all.db", dir / "alone.db");

  // Not only at first sight.
  for (int i = 0; i < 2; ++i) {
    const ProgramResult check = tyer("store check --store sqlite:alone.db");
    EXPECT_EQ(check.code, 0) << check.out;
    EXPECT_TRUE(check.out.contains(no_log)) << check.out;
  }
  const ProgramResult json = tyer("store check --json --store sqlite:alone.db");
  EXPECT_EQ(parse_json(json.out).value_or(Json())["lacks_log"], true);
  EXPECT_TRUE(tyer("store copy sqlite:alone.db files:plain").err.contains(no_log));
  EXPECT_TRUE(tyer("store restore alone.db").err.contains(no_log));
  EXPECT_FALSE(tyer("store check").out.contains(no_log)) << "a store of its own";
  EXPECT_EQ(tyer("store check --store sqlite:all.db").out.contains(no_log), false);
}

TEST_F(StoreFile, OfABackupLacksNothingAndCanBeUsedAsAStore) {
  make_store();
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  fs::copy_file(dir / "saved.db", dir / "copy.db");
  EXPECT_FALSE(tyer("store check --store sqlite:copy.db").out.contains(no_log));
  EXPECT_FALSE(tyer("store restore copy.db --store files:plain").err.contains(no_log));

  EXPECT_EQ(tyer("run TSK-1 --store sqlite:copy.db -- true").code, 0);
  const ProgramResult check = tyer("store check --store sqlite:copy.db");
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_FALSE(check.out.contains(no_log)) << check.out;
  EXPECT_TRUE(has_file("copy.db-wal")) << "readers never wait for writers";
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
