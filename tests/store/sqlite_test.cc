// What is special to the SQLite store.

#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "store/conformance.h"
#include "support/temp_dir.h"

namespace tyer::testing {
namespace {

struct SqliteFile : ::testing::Test {
  Result<std::unique_ptr<store::Store>> open(bool create = true) {
    return store::open("sqlite:" + path, world.env, {.create = create});
  }

  void run_sql(const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

  TempDir dir;
  std::string path = dir / "tyer.db";
  TestEnv world;
};

using Sqlite = SqliteFile;

TEST_F(Sqlite, RefusesASchemaFromTheFuture) {
  ASSERT_OK(open());
  run_sql("PRAGMA user_version = 999");

  const auto opened = open();

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::conflict);
  EXPECT_TRUE(opened.error().what.contains("newer tyer")) << opened.error().what;
}

TEST_F(Sqlite, LeavesTheDatabaseOfAnotherProgramAlone) {
  run_sql("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");

  const auto opened = open();

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::conflict);
  EXPECT_TRUE(opened.error().what.contains("another program")) << opened.error().what;
  std::string header(19, '\0');
  std::ifstream(path).read(header.data(), 19);
  EXPECT_EQ(header[18], 1) << "it was given a write-ahead log";
}

TEST_F(Sqlite, SaysThatAFileIsNoDatabase) {
  std::ofstream(path) << std::string(10'000, 'x');

  const auto opened = open();

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::broken);
  EXPECT_TRUE(opened.error().what.contains(path)) << opened.error().what;
}

TEST_F(Sqlite, FindsADamagedPage) {
  {
    const auto store = open();
    ASSERT_OK(store);
    for (int i = 0; i < 200; ++i) {
      ASSERT_OK(store::write(**store, [&](store::Txn& txn) -> Result<> {
        txn.append(event(fmt::format("n/{}", i)));
        return {};
      }));
    }
  }
  run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (int page = 2; page < 10; ++page) {
    file.seekp(4096 * page);
    file << std::string(200, '\xff');
  }
  file.close();

  const auto store = open();
  if (!store) {
    EXPECT_EQ(store.error().fault, Fault::broken);
    return;
  }
  const auto problems = (*store)->check();
  EXPECT_TRUE(!problems || !problems->empty());
}

TEST_F(Sqlite, IsTheUsersAlone) {
  ASSERT_OK(open());
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Sqlite, IsNotMadeWhenItShouldBeThere) {
  const auto opened = open(false);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::not_found);
}

TEST_F(Sqlite, CannotBeOpenedWithoutItsDirectory) {
  path = dir / "missing/tyer.db";
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_NE(info(opened.error().fault).exit_code, 0);
}

TEST_F(Sqlite, OpensForManyProcessesAtOnceWhenItIsNew) {
  static constexpr unsigned processes = 8;
  constexpr int times = 25;
  for (int time = 0; time < times; ++time) {
    path = dir / fmt::format("{}.db", time);
    std::vector<pid_t> children;
    for (unsigned i = 0; i < processes; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        TestEnv own;
        const auto store = store::open("sqlite:" + path, own.env, {});
        _exit(store && store::write(**store,
                                    [](store::Txn& txn) -> Result<> {
                                      txn.append(event("n/1"));
                                      return {};
                                    })
                  ? 0
                  : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    const auto store = open();
    ASSERT_OK(store);
    ASSERT_OK((*store)->read([](const core::View& view) -> Result<> {
      EXPECT_EQ(view.head()->seq, std::uint64_t{processes});
      return {};
    }));
  }
}

// Several processes write as fast as they can until a common number of commits
// is reached; none may be left out. They begin together and sync each commit, as
// who writes a store does: what is measured is how the store divides, not who was
// started first or was given the processor for longest.
TEST_F(Sqlite, LetsEveryWritingProcessHaveItsShare) {
  constexpr int writers = 4;
  constexpr std::uint64_t commits = 400;
  ASSERT_OK(open());
  int ready[2];
  int go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < writers; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      TestEnv own;
      const auto store = store::open("sqlite:" + path, own.env, {});
      if (!store) _exit(1);
      char byte = 'r';
      if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) _exit(3);
      std::uint64_t head = 0;
      while (head < commits) {
        const Result<> written = store::write(**store, [&](store::Txn& txn) -> Result<> {
          head = txn.append(event(fmt::format("n/{}", i)));
          return {};
        });
        if (!written) _exit(2);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  close(ready[1]);
  for (int i = 0; i < writers; ++i) {
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1) << "a writer ended before it began";
  }
  EXPECT_EQ(write(go[1], "gogo", writers), writers);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const int end : {ready[0], go[0], go[1]}) close(end);
  const auto store = open();
  ASSERT_OK(store);
  std::vector<std::size_t> shares;
  ASSERT_OK((*store)->read([&](const core::View& view) -> Result<> {
    shares.clear();
    for (int i = 0; i < writers; ++i) {
      TYER_TRY(const auto events,
               view.events({.root = fmt::format("n/{}", i), .limit = 2 * commits}));
      shares.push_back(events.size());
    }
    return {};
  }));
  const auto [least, most] = std::ranges::minmax(shares);
  EXPECT_GE(least * 20, most) << fmt::format("{}", fmt::join(shares, " "));
}

// W18: who waits for a commit does not wait for the log to be folded.
TEST_F(Sqlite, TellsOfACommitBeforeItFoldsItsLog) {
  const auto store = open();
  ASSERT_OK(store);
  const auto size = [&] { return std::filesystem::file_size(path); };
  int folds = 0;
  for (int i = 0; i < 200; ++i) {
    const auto before = size();
    auto when_told = before;
    ASSERT_OK(store::write(**store, {[&](store::Txn& txn) -> Result<> {
                                       txn.append(event(fmt::format("n/{}", i)));
                                       core::Subject large = subject(fmt::format("n/{}", i));
                                       large.state = std::string(40'000, 'x');
                                       txn.put(std::move(large));
                                       return {};
                                     },
                                     {},
                                     [&](const Result<>&) { when_told = size(); }}));
    EXPECT_EQ(when_told, before) << "only folding lets it grow";
    folds += size() > before ? 1 : 0;
  }
  EXPECT_GE(folds, 2);
  EXPECT_LE(std::filesystem::file_size(path + "-wal"), 4U << 20);
}

TEST_F(Sqlite, LetsTheNextWriterInWhenTheOneBeforeIsKilled) {
  const auto store = open();
  ASSERT_OK(store);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    TestEnv own;
    const auto mine = store::open("sqlite:" + path, own.env, {});
    if (!mine || !(*mine)->begin({})) _exit(1);
    if (write(ready[1], "x", 1) != 1) _exit(2);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  // It holds the store; killing it lets the next writer in at once.
  std::jthread killer([child] { kill(child, SIGKILL); });
  EXPECT_TRUE(store::write(**store, [](store::Txn& txn) -> Result<> {
    txn.append(event("n/1"));
    return {};
  }));
  int status = 0;
  waitpid(child, &status, 0);
}

}  // namespace
}  // namespace tyer::testing
