// A store that somebody else has prepared, as in a repository that was cloned: it is touched in its
// own files only, and nothing in it keeps a command waiting.

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "program/clocks.h"
#include "store/files_layout.h"
#include "store/files_record.h"
#include "support/locks.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;
using store::files::Record;
using store::files::Stage;
using store::files::Stamp;

constexpr const char* precious = "what is outside of the store\n";

class HostileStore : public LockProgramTest {
 protected:
  HostileStore() {
    environment["TYER_STORE"] = "files:s";
    write_file("outside/precious", precious);
  }

  // A journal of another boot with one record, committed and not applied, about the file `path`.
  void forge_journal(const std::string& path, const std::optional<std::string>& content) const {
    Stamp base{.stage = Stage::applied, .end = store::files::stamp_bytes, .boot = 7};
    base.standing.number = 10;
    Record record;
    record.after = base.standing;
    record.after.number = 11;
    record.changes = {{path, content}};
    std::string bytes = encode(base) + encode(record);
    Stamp last{.stage = Stage::applying, .standing = record.after, .start = base.end, .boot = 7};
    last.end = bytes.size() + store::files::stamp_bytes;
    write_file("s/journal", bytes + encode(last));
  }

  [[nodiscard]] bool is_untouched() const {
    const fs::directory_iterator all(dir / "outside");
    return std::distance(begin(all), end(all)) == 1 && read_file("outside/precious") == precious;
  }

  void make_sparse(const std::string& name, const std::string& start = "") const {
    write_file(name, start);
    fs::resize_file(dir / name, std::uintmax_t{50} << 30);
  }

  void make_pipe(const std::string& name) const {
    ASSERT_EQ(::mkfifo((dir / name).c_str(), 0600), 0) << name;
  }

  // What its files are, in order.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir / "s")) {
      found.push_back(fs::relative(entry.path(), dir / "s").string());
    }
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(HostileStore, ThatHasAForgedJournalChangesAndRemovesNothingElsewhere) {
  for (const std::optional<std::string>& content :
       {std::optional<std::string>("bad\n"), std::optional<std::string>()}) {
    for (const std::string& path :
         {std::string("../outside/precious"), std::string("locks/../../outside/precious"),
          dir / "outside/precious", std::string("../outside/new.json")}) {
      forge_journal(path, content);

      for (const char* line :
           {"lock list", "lock check K", "store check", "lock acquire K --no-keeper", "log"}) {
        const ProgramResult result = tyer(line);

        EXPECT_GE(result.code, 2) << line;
        EXPECT_TRUE(result.err.contains(path)) << line << ": " << result.err;
        EXPECT_TRUE(result.err.contains("Nothing was done")) << line << ": " << result.err;
        EXPECT_TRUE(is_untouched()) << line << " with " << path;
        EXPECT_EQ(names().front(), "journal") << line;
      }
    }
  }
}

TEST_F(HostileStore, ThatHasAGoodJournalIsFinished) {
  forge_journal("locks/K.lock.json", "not a lease\n");

  EXPECT_EQ(tyer("lock list").code, 0);

  EXPECT_EQ(read_file("s/locks/K.lock.json"), "not a lease\n");
}

TEST_F(HostileStore, IsNotLeftThroughALinkThatIsAFile) {
  for (const char* name : {"journal", "log.jsonl", "queue", "format"}) {
    fs::remove_all(dir / "s");
    fs::create_directory(dir / "s");
    fs::create_symlink("../outside/precious", dir / ("s/" + std::string(name)));

    for (const char* line : {"lock list", "store check"}) (void)tyer(line);
    const ProgramResult refused = tyer("lock acquire K --no-keeper");

    EXPECT_GE(refused.code, 2) << name;
    EXPECT_TRUE(refused.err.contains(name)) << refused.err;
    EXPECT_TRUE(refused.err.contains("is a symbolic link")) << refused.err;
    EXPECT_TRUE(is_untouched()) << name;
  }
}

TEST_F(HostileStore, IsNotLeftThroughADirectoryThatIsALink) {
  (void)acquire("K");
  fs::remove_all(dir / "s/locks");
  fs::create_symlink("../outside", dir / "s/locks");

  EXPECT_GE(tyer("lock acquire K --no-keeper").code, 2);
  EXPECT_GE(tyer("lock acquire other --no-keeper").code, 2);
  EXPECT_EQ(tyer("lock list").code, 0);
  const ProgramResult check = tyer("store check");

  EXPECT_EQ(check.code, 1);
  EXPECT_TRUE(check.out.contains("s/locks is a symbolic link")) << check.out;
  EXPECT_TRUE(is_untouched());
}

TEST_F(HostileStore, MayBeReachedThroughALink) {
  fs::create_directory(dir / "real");
  fs::create_symlink("real", dir / "s");

  (void)acquire("K");

  EXPECT_TRUE(has_file("real/locks/K.lock.json"));
}

// L3
TEST_F(HostileStore, ListsTheOtherLocksWhateverStandsWhereOneBelongs) {
  (void)acquire("good");
  make_pipe("s/locks/pipe.lock.json");
  make_sparse("s/locks/sparse.lock.json");
  fs::create_symlink("loop.lock.json", dir / "s/locks/loop.lock.json");
  fs::create_symlink("../../outside/precious", dir / "s/locks/link.lock.json");
  fs::create_directory(dir / "s/locks/directory.lock.json");

  const ProgramResult list = tyer("lock list");
  const ProgramResult check = tyer("store check");

  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_TRUE(list.out.contains("good")) << list.out;
  EXPECT_EQ(check.code, 1) << check.err;
  for (const std::string name : {"pipe", "sparse", "loop", "link", "directory"}) {
    EXPECT_FALSE(list.out.contains(name)) << list.out;
    EXPECT_TRUE(check.out.contains(name + ".lock.json is ")) << name << ": " << check.out;
    for (const std::string line : {"lock check ", "lock acquire --no-keeper "}) {
      const ProgramResult one = tyer(line + name);
      EXPECT_GE(one.code, 2) << line << name;
      EXPECT_TRUE(one.err.contains(name + ".lock.json is ")) << one.err;
    }
  }
  EXPECT_TRUE(is_untouched());
}

TEST_F(HostileStore, ListsItsLocksWhateverItsLogIs) {
  const auto put_pipe = [&] { make_pipe("s/log.jsonl"); };
  const auto put_hole = [&] { make_sparse("s/log.jsonl", "{\"seq\":1,\"key\":\"a/b\"}\n"); };
  const auto put_link = [&] { fs::create_symlink("log.jsonl", dir / "s/log.jsonl"); };
  const auto put_directory = [&] { fs::create_directory(dir / "s/log.jsonl"); };
  (void)acquire("K");
  for (const std::function<void()>& put :
       std::vector<std::function<void()>>{put_pipe, put_hole, put_link, put_directory}) {
    fs::remove_all(dir / "s/log.jsonl");
    put();

    const ProgramResult list = tyer("lock list");
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_TRUE(list.out.contains("K ")) << list.out;
    for (const char* line : {"store check", "log", "lock acquire other --no-keeper"}) {
      const ProgramResult refused = tyer(line);
      EXPECT_EQ(refused.code, 3) << line;
      EXPECT_TRUE(refused.err.contains("log.jsonl")) << line << ": " << refused.err;
    }
  }
}

TEST_F(HostileStore, SaysAtOnceThatItsJournalOrQueueIsNone) {
  for (const std::string name : {"journal", "queue"}) {
    fs::remove_all(dir / "s");
    fs::create_directory(dir / "s");
    make_pipe("s/" + name);
    for (const char* line : {"store check", "lock acquire K --no-keeper"}) {
      const ProgramResult result = tyer(line);
      EXPECT_NE(result.code, 0) << line;
      EXPECT_TRUE((result.out + result.err).contains(name + " is a named pipe")) << result.err;
    }
    EXPECT_EQ(tyer("lock list").code, name == "queue" ? 0 : 3);
  }
  fs::remove_all(dir / "s");
  fs::create_directory(dir / "s");
  make_sparse("s/journal");
  for (const char* line : {"lock list", "store check", "lock acquire K --no-keeper"}) {
    const ProgramResult result = tyer(line);
    EXPECT_TRUE(result.err.contains("journal has 53687091200 bytes")) << line << result.err;
  }
}

TEST_F(HostileStore, OfSqliteWritesNothingThroughLinksBesideIt) {
  environment["TYER_STORE"] = "sqlite:s/tyer.db";
  fs::create_directory(dir / "s");
  for (const std::string name : {"tyer.db-queue", "tyer.db-writer", "tyer.db-wal", "tyer.db-shm"}) {
    fs::create_symlink("../outside/precious", dir / ("s/" + std::string(name)));

    const ProgramResult acquired = tyer("lock acquire K --no-keeper");

    const bool is_ours = name.ends_with("-queue") || name.ends_with("-writer");
    EXPECT_EQ(acquired.err.contains(name + " is a symbolic link"), is_ours) << acquired.err;
    EXPECT_TRUE(is_untouched()) << name;
    fs::remove_all(dir / "s");
    fs::create_directory(dir / "s");
  }
}

// L10: nobody has been heard of later than now.
TEST_F(HostileStore, WithHeartbeatsOfTheFutureHoldsALockNoLongerThanASilence) {
  write_file("s/locks/K.lock.json",
             R"({"taskId":"K","command":"x","pid":1,"sessionId":"550e8400-e29b-41d4-a716-4466554)"
             R"(40000","startedAt":"9999-01-01T00:00:00.000Z","heartbeatAt":"9999-01-01T00:00:00)"
             R"(.000Z","timeout":1800000})");

  EXPECT_EQ(tyer("lock acquire K --no-keeper").code, 1) << "its holder may live";
  set_clocks_ahead(environment, 170s);
  EXPECT_EQ(tyer("lock acquire K --no-keeper").code, 1);
  set_clocks_ahead(environment, 190s);
  const ProgramResult taken = tyer("lock acquire K --no-keeper");

  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_TRUE(taken.err.contains("no heartbeat for 3 min")) << taken.err;
}

}  // namespace
}  // namespace tyer::testing
