#include "env/file_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "env/linux_child.h"
#include "env/linux_files.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

constexpr Span soon = 20s;  // Far more than a wake takes; a test that passes never waits it out.

void append_to(const std::string& path) {
  std::ofstream(path, std::ios::app) << "x\n" << std::flush;
}

std::unique_ptr<FileWatch> watch_on(std::vector<std::string> paths) {
  auto watch = FileWatch::open(std::move(paths));
  EXPECT_TRUE(watch) << watch.error().what;
  return std::move(watch).value();
}

TEST(FileWatch, WakesWhenAnotherProcessWrites) {
  const testing::TempDir dir;
  append_to(dir / "log");
  const auto watch = watch_on({dir / "log"});
  Spawn writer;
  writer.argv = {"/bin/sh", "-c", "echo x >> \"$0\"", dir / "log"};
  const auto child = start_child(writer).value();

  EXPECT_TRUE(*watch->wait(soon));
  EXPECT_TRUE(child->wait(soon)->has_value());
}

TEST(FileWatch, SaysNothingIfNothingHappens) {
  const testing::TempDir dir;
  append_to(dir / "log");
  const auto watch = watch_on({dir / "log"});

  EXPECT_FALSE(*watch->wait(0s));
  EXPECT_FALSE(*watch->wait(-1s));
  EXPECT_FALSE(*watch->wait(2ms));
}

TEST(FileWatch, TellsOfOneThingOnce) {
  const testing::TempDir dir;
  append_to(dir / "log");
  const auto watch = watch_on({dir / "log"});
  append_to(dir / "log");
  append_to(dir / "log");

  EXPECT_TRUE(*watch->wait(0s));
  EXPECT_FALSE(*watch->wait(0s));
}

TEST(FileWatch, DoesNotWakeForItsNeighbours) {
  const testing::TempDir dir;
  const auto watch = watch_on({dir / "log"});
  append_to(dir / "log2");
  append_to(dir / "other");

  EXPECT_FALSE(*watch->wait(0s));
}

TEST(FileWatch, DoesNotWakeForReadersAndLocks) {
  const testing::TempDir dir;
  append_to(dir / "log");
  const auto watch = watch_on({dir / "log"});
  LinuxFiles files;
  ASSERT_TRUE(files.open(dir / "log", Open::write).value()->lock());
  ASSERT_TRUE(files.read(dir / "log", 100));

  EXPECT_FALSE(*watch->wait(0s));
}

TEST(FileWatch, SeesAFileAppearChangeBeReplacedAndGo) {
  const testing::TempDir dir;
  const auto watch = watch_on({dir / "later"});
  LinuxFiles files;

  append_to(dir / "later");
  EXPECT_TRUE(*watch->wait(0s));
  append_to(dir / "later");
  EXPECT_TRUE(*watch->wait(0s));
  ASSERT_TRUE(files.replace(dir / "later", "new"));
  EXPECT_TRUE(*watch->wait(0s));
  append_to(dir / "later");
  EXPECT_TRUE(*watch->wait(0s));
  ASSERT_TRUE(files.remove(dir / "later"));
  EXPECT_TRUE(*watch->wait(0s));
  EXPECT_FALSE(*watch->wait(0s));
}

TEST(FileWatch, SeesTheEntriesOfADirectory) {
  const testing::TempDir dir;
  std::filesystem::create_directory(dir / "locks");
  const auto watch = watch_on({dir / "locks"});

  append_to(dir / "locks/a");
  EXPECT_TRUE(*watch->wait(0s));
  std::filesystem::remove(dir / "locks/a");
  EXPECT_TRUE(*watch->wait(0s));
  EXPECT_FALSE(*watch->wait(0s));
}

TEST(FileWatch, SeesTheEntriesOfADirectoryThatIsMadeLaterAndAgain) {
  const testing::TempDir dir;
  const auto watch = watch_on({dir / "locks/"});
  for (int i = 0; i < 3; ++i) {
    std::filesystem::create_directory(dir / "locks");
    EXPECT_TRUE(*watch->wait(0s));
    append_to(dir / "locks/a");
    EXPECT_TRUE(*watch->wait(0s));
    std::filesystem::remove_all(dir / "locks");
    EXPECT_TRUE(*watch->wait(0s));
    EXPECT_FALSE(*watch->wait(0s));
  }
}

TEST(FileWatch, FollowsALinkToTheRealFile) {
  const testing::TempDir dir;
  std::filesystem::create_directory(dir / "real");
  append_to(dir / "real/log");
  std::filesystem::create_symlink("real/log", dir / "log");
  const auto watch = watch_on({dir / "log"});

  append_to(dir / "real/log");

  EXPECT_TRUE(*watch->wait(0s));
}

TEST(FileWatch, WatchesSeveralPathsAtOnce) {
  const testing::TempDir dir;
  const auto watch = watch_on({dir / "db", dir / "db-wal", dir / "db-shm"});

  append_to(dir / "db-wal");
  EXPECT_TRUE(*watch->wait(0s));
  append_to(dir / "db");
  EXPECT_TRUE(*watch->wait(0s));
}

TEST(FileWatch, NeedsTheParentDirectory) {
  const testing::TempDir dir;
  const auto watch = FileWatch::open({dir / "no/log"});

  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().fault, Fault::not_found);
  EXPECT_TRUE(watch.error().what.contains(dir / "no"));
}

}  // namespace
}  // namespace tyer::env
