// A store that others may read, because it was copied or unpacked, is its owner's alone from the
// next command that writes.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "support/locks.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

class StoreModes : public LockProgramTest {
 protected:
  void set_mode(const std::string& name, mode_t mode) const {
    ASSERT_EQ(::chmod((dir / name).c_str(), mode), 0) << name;
  }

  // As a copy or an archive without modes.
  void open_all(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(dir / name)) {
      ASSERT_EQ(::chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644), 0);
    }
    set_mode(name, 0755);
  }

  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat found{};
    EXPECT_EQ(::stat((dir / name).c_str(), &found), 0) << name;
    return found.st_mode & 07777;
  }
};

TEST_F(StoreModes, OfPlainFilesAreMendedByWhoWrites) {
  environment["TYER_STORE"] = "files:s";
  (void)acquire("K");
  open_all("s");

  EXPECT_EQ(tyer("lock list").code, 0);
  EXPECT_EQ(mode("s"), 0755U) << "who reads changes nothing";
  (void)acquire("other");

  EXPECT_EQ(mode("s"), 0700U);
  for (const char* name : {"s/format", "s/journal", "s/queue", "s/log.jsonl"}) {
    EXPECT_EQ(mode(name), 0600U) << name;
  }
}

TEST_F(StoreModes, OfADirectoryWithNothingButTheStoreAreMended) {
  environment["TYER_STORE"] = "files:s";
  (void)acquire("K");
  set_mode("s", 0755);

  (void)acquire("other");

  EXPECT_EQ(mode("s"), 0700U);
}

TEST_F(StoreModes, OfALockDirectoryThatAnotherToolMadeStay) {
  environment["TYER_STORE"] = "files:s";
  write_file("s/locks/theirs.lock.json", "{}");
  open_all("s");

  (void)acquire("K");
  (void)acquire("other");

  EXPECT_EQ(mode("s"), 0755U);
  EXPECT_EQ(mode("s/locks"), 0755U);
  EXPECT_EQ(mode("s/locks/theirs.lock.json"), 0644U);
  EXPECT_EQ(mode("s/journal"), 0600U);
}

TEST_F(StoreModes, OfADirectoryWithOtherThingsStay) {
  environment["TYER_STORE"] = "files:s";
  write_file("s/README", "mine");
  open_all("s");

  (void)acquire("K");
  (void)acquire("other");

  EXPECT_EQ(mode("s"), 0755U);
}

TEST_F(StoreModes, OfADirectoryThatIsSharedOnPurposeStay) {
  environment["TYER_STORE"] = "files:s";
  (void)acquire("K");
  open_all("s");
  set_mode("s", 02775);

  (void)acquire("other");

  EXPECT_EQ(mode("s"), 02775U);
  EXPECT_EQ(mode("s/journal"), 0644U);
}

TEST_F(StoreModes, OfSqliteAreMendedByWhoWrites) {
  environment["TYER_STORE"] = "sqlite:s/tyer.db";
  fs::create_directory(dir / "s");
  (void)acquire("K");
  open_all("s");

  EXPECT_EQ(tyer("lock list").code, 0);
  EXPECT_EQ(mode("s/tyer.db"), 0644U) << "who reads changes nothing";
  (void)acquire("other");

  for (const auto& entry : fs::directory_iterator(dir / "s")) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(mode("s/" + name), 0600U) << name;
  }
  EXPECT_EQ(mode("s"), 0755U) << "the directory may have anything in it";
}

TEST_F(StoreModes, OfSqliteInADirectoryThatIsSharedOnPurposeStay) {
  write_file("shared/x", "");
  environment["TYER_STORE"] = "sqlite:shared/tyer.db";
  (void)acquire("K");
  set_mode("shared/tyer.db", 0660);
  set_mode("shared", 02770);

  (void)acquire("other");

  EXPECT_EQ(mode("shared/tyer.db"), 0660U);
}

TEST_F(StoreModes, ThatAreSomebodyElsesStay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  environment["TYER_STORE"] = "files:s";
  (void)acquire("K");
  open_all("s");
  for (const auto& entry : fs::recursive_directory_iterator(dir / "s")) {
    ASSERT_EQ(::chown(entry.path().c_str(), 65534, 65534), 0);
  }
  ASSERT_EQ(::chown((dir / "s").c_str(), 65534, 65534), 0);

  (void)acquire("other");

  EXPECT_EQ(mode("s"), 0755U);
  EXPECT_EQ(mode("s/journal"), 0644U);
}

}  // namespace
}  // namespace tyer::testing
