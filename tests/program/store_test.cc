#include <filesystem>
#include <fstream>

#include <sys/mount.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"
#include "support/pgbouncer.h"

namespace tyer::testing {
namespace {

using StoreCommand = ProgramTest;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Changes rows behind tyer's back.
void run_sql(const std::string& database, const std::string& sql) {
  const ProgramResult result = run_program({.words = {database, sql}, .program = "sqlite3"});
  ASSERT_EQ(result.code, 0) << result.err;
}

TEST_F(StoreCommand, CheckFindsNothingWrongInAGoodStore) {
  make_store();

  const ProgramResult result = tyer("store check");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            store_url() + "\n  6 events, 1 subject, 1 lease, 1 cursor\nNothing is wrong.\n");
  const Json json = parse_json(tyer("store check --json").out).value_or(Json());
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["events"], 6);
  EXPECT_EQ(json["problems"], Json::array());
}

TEST_F(StoreCommand, CheckNamesWhatBreaksTheLaws) {
  make_store();
  run_sql(dir / ".tyer/tyer.db",
          "UPDATE subject SET status = 'running'; UPDATE cursor SET seq = 99;"
          "DELETE FROM event WHERE seq = 5;");

  const ProgramResult result = tyer("store check");

  EXPECT_EQ(result.code, 1);
  for (const char* says : {"run/1: its status is not what its events say (law 3)",
                           "reader page stands at 99, beyond the newest event 6 (law 4)",
                           "event 4 is followed by 6 (law 9"}) {
    EXPECT_TRUE(result.out.contains(says)) << result.out;
  }
  EXPECT_FALSE(result.out.contains("hunter2")) << "a secret in a report";
  EXPECT_EQ(parse_json(tyer("store check --json").out).value_or(Json())["ok"], false);
}

TEST_F(StoreCommand, BackupAndRestoreBringEverythingBack) {
  make_store();
  const std::string before = tyer("log --json").out;

  const ProgramResult backup = tyer("store backup saved.db");
  ASSERT_EQ(backup.code, 0) << backup.err;
  EXPECT_TRUE(backup.out.starts_with("Copied 6 events, 1 subject, 1 lease and 1 cursor\n"))
      << backup.out;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    EXPECT_FALSE(entry.path().string().contains("saved.db") && entry.path() != dir / "saved.db")
        << entry;
  }
  struct stat facts{};
  ASSERT_EQ(::stat((dir / "saved.db").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  std::filesystem::remove_all(dir / ".tyer");

  const ProgramResult restore = tyer("store restore saved.db --json");
  ASSERT_EQ(restore.code, 0) << restore.err;
  EXPECT_EQ(parse_json(restore.out).value_or(Json())["events"], 6);
  EXPECT_EQ(tyer("log --json").out, before);
  EXPECT_EQ(tyer("store check").code, 0);
}

TEST_F(StoreCommand, KeysAreValidAfterARestore) {
  const std::string key =
      text_or(parse_json(tyer("agent add bob --json").out).value_or(Json::object()), "key");
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  std::filesystem::remove_all(dir / ".tyer");

  ASSERT_EQ(tyer("store restore saved.db").code, 0);

  environment["TYER_API_KEY"] = key;
  EXPECT_EQ(tyer("feed list").code, 0);
  environment["TYER_API_KEY"] = key.substr(0, key.size() - 1) + (key.ends_with('x') ? "y" : "x");
  EXPECT_EQ(tyer("feed list").code, 4);
}

TEST_F(StoreCommand, RestoreMakesAPrivateDirectoryThatGitIgnores) {
  fill_demo("sqlite:" + (dir / "saved.db"));

  ASSERT_EQ(tyer("store restore saved.db").code, 0);

  struct stat facts{};
  ASSERT_EQ(::stat((dir / ".tyer").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  EXPECT_EQ(contents(dir / ".tyer/.gitignore"), "*\n");
}

TEST_F(StoreCommand, BackupNeverReplacesAFile) {
  make_store();
  write_file("saved.db", "precious");

  const ProgramResult result = tyer("store backup saved.db");

  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("saved.db exists already")) << result.err;
  EXPECT_EQ(contents(dir / "saved.db"), "precious");
}

TEST_F(StoreCommand, BackupStartsOverAfterOneThatWasKilled) {
  make_store();
  write_file("saved.db.partial", "half a backup");

  EXPECT_EQ(tyer("store backup saved.db").code, 0);
  EXPECT_EQ(tyer("store check --store sqlite:saved.db").code, 0);
}

TEST_F(StoreCommand, BackupOfNothingLeavesNothing) {
  EXPECT_EQ(tyer("store backup saved.db").code, 1);
  EXPECT_FALSE(has_file("saved.db"));
  EXPECT_FALSE(has_file("saved.db.partial"));
}

TEST_F(StoreCommand, RestoreNeedsABackupAndAnEmptyStore) {
  EXPECT_EQ(tyer("store restore none.db").code, 1);
  EXPECT_FALSE(has_file(".tyer")) << "made before it was needed";

  make_store();
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  const ProgramResult result = tyer("store restore saved.db");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("is not empty")) << result.err;
}

TEST_F(StoreCommand, CopyGoesThroughPlainFilesAndBack) {
  make_store();
  const std::string before = tyer("log --json").out;

  ASSERT_EQ(tyer("store copy sqlite:.tyer/tyer.db files:plain").code, 0);
  ASSERT_EQ(tyer("store copy files:plain sqlite:back.db").code, 0);

  EXPECT_EQ(tyer("log --json --store files:plain").out, before);
  EXPECT_EQ(tyer("log --json --store sqlite:back.db").out, before);
  EXPECT_EQ(tyer("store check --store files:plain").code, 0);
  EXPECT_EQ(tyer("store check --store sqlite:back.db").code, 0);
  EXPECT_EQ(tyer("store copy sqlite:back.db files:plain").code, 4);
}

TEST_F(StoreCommand, CopyOfADamagedStoreIsRefused) {
  fill_demo("files:" + (dir / "plain"));
  write_file("plain/locks/TSK-01-01.lock.json", "{half");

  const ProgramResult result = tyer("store copy files:plain sqlite:copy.db");

  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(result.err.contains("damaged")) << result.err;
}

TEST_F(StoreCommand, AFileThatIsNoDatabaseIsBroken) {
  write_file(".tyer/tyer.db", std::string(8192, 'x'));

  for (const char* line : {"log", "store check", "store backup b.db"}) {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 3) << line << result.err;
    EXPECT_TRUE(result.err.contains(".tyer/tyer.db")) << result.err;
  }
  EXPECT_EQ(parse_json(tyer("log --json").err).value_or(Json())["error"]["code"], "broken");
}

TEST_F(StoreCommand, ADatabaseDamagedInTheMiddleIsReported) {
  make_store();
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  std::string bytes = contents(dir / "saved.db");
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = 'x';
  write_file("bad.db", bytes);

  const ProgramResult result = tyer("store check --store sqlite:bad.db");

  EXPECT_TRUE(result.code == 1 || result.code == 3) << result.code << result.err;
}

TEST_F(StoreCommand, APlaceThatCannotBeWrittenIsOutOfReach) {
  fill_demo("sqlite:" + (dir / "saved.db"));

  for (const char* target : {"sqlite:/proc/none/x.db", "files:/proc/none", "sqlite:missing/x.db"}) {
    const ProgramResult result = tyer({"store", "copy", "sqlite:saved.db", target});
    EXPECT_EQ(result.code, 3) << target << ": " << result.err;
    EXPECT_TRUE(result.err.starts_with("tyer: ")) << result.err;
  }
}

TEST_F(StoreCommand, AServerThatIsNotThereIsOutOfReach) {
  const ProgramResult result = tyer("log --store postgres://127.0.0.1:1/none");

  EXPECT_EQ(result.code, 3) << result.err;
}

TEST_F(StoreCommand, APoolerThatMixesSessionsIsAWrongConfiguration) {
  PgBouncer pooler({"pool_mode = transaction"});
  const std::string url = pooler.fresh_url();

  for (const char* line : {"store check", "log", "lock list"}) {
    const ProgramResult result = tyer(std::string(line) + " --store " + url);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_TRUE(result.err.contains("set pool_mode = session")) << result.err;
  }
}

TEST_F(StoreCommand, APoolerThatKeepsSessionsApartIsAsGoodAsTheServer) {
  PgBouncer pooler({"pool_mode = session"});
  const std::string place = " --store " + pooler.fresh_url();

  EXPECT_EQ(tyer("run T" + place + " -- echo ran").out, "ran\n");
  EXPECT_EQ(tyer("lock acquire T --no-keeper --session s" + place).code, 0);
  EXPECT_EQ(tyer("run T" + place + " -- echo twice").code, 1);
  EXPECT_EQ(tyer("lock release T --session s" + place).code, 0);
  EXPECT_EQ(tyer("store check" + place).code, 0);
  EXPECT_TRUE(tyer("log" + place).out.contains("lease.released"));
}

// A file system of its own, gone with the test.
class SmallDisk {
 public:
  SmallDisk(const std::string& path, unsigned long flags, const char* options) : path_(path) {
    std::filesystem::create_directory(path);
    mounted_ = ::mount("tmpfs", path.c_str(), "tmpfs", flags, options) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  const std::string path_;
  bool mounted_ = false;
};

TEST_F(StoreCommand, AFullDiskIsALimitAndTheBackupIsTakenBack) {
  const SmallDisk disk(dir / "disk", 0, "size=64k");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a small disk";
  make_store();
  for (int i = 0; i < 300; ++i)
    add_run(store_url(), "filler-" + std::string(150, 'x') + std::to_string(i));

  const ProgramResult result = tyer("store backup disk/saved.db");

  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_TRUE(result.err.contains("full")) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(dir / "disk"));
}

TEST_F(StoreCommand, AReadOnlyDiskIsOutOfReach) {
  const SmallDisk disk(dir / "disk", MS_RDONLY, "");
  if (!disk.mounted()) GTEST_SKIP() << "only root can mount a disk";
  fill_demo("sqlite:" + (dir / "saved.db"));

  for (const char* line :
       {"store copy sqlite:saved.db sqlite:disk/x.db", "store copy sqlite:saved.db files:disk/x",
        "store backup disk/b.db --store sqlite:saved.db"}) {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 3) << line << ": " << result.err;
  }
  ProgramCall inside = call({"store", "restore", dir / "saved.db"});
  inside.directory = dir / "disk";
  EXPECT_EQ(run_program(inside).code, 3);
}

}  // namespace
}  // namespace tyer::testing
