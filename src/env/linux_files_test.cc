#include "env/linux_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <thread>

#include "support/small_disk.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

using testing::cannot_mount;
using testing::on_a_small_disk;

constexpr std::size_t plenty = 1 << 20;

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::vector<std::string> names_in(const std::string& path) {
  LinuxFiles files;
  std::vector<std::string> names;
  const std::vector<Entry> entries = files.list(path).value();
  for (const Entry& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

class SmallFilesOnly {
 public:
  explicit SmallFilesOnly(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SmallFilesOnly() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFilesOnly(const SmallFilesOnly&) = delete;
  SmallFilesOnly& operator=(const SmallFilesOnly&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(LinuxFile, KeepsWhatIsWrittenToIt) {
  const testing::TempDir dir;
  LinuxFiles files;
  const auto file = files.open(dir / "a", Open::write).value();

  ASSERT_TRUE(file->write(0, "hello world"));
  ASSERT_TRUE(file->write(6, "there"));
  ASSERT_TRUE(file->sync());

  EXPECT_EQ(*file->size(), 11U);
  EXPECT_EQ(*file->read(0, 100), "hello there");
  EXPECT_EQ(*file->read(6, 2), "th");
  EXPECT_EQ(*file->read(11, 5), "");
  EXPECT_EQ(*file->read(500, 5), "");
}

TEST(LinuxFile, ReadsAllThereIsHoweverMuchIsAskedFor) {
  const testing::TempDir dir;
  LinuxFiles files;
  const auto file = files.open(dir / "a", Open::write).value();
  std::string content(300'000, 'x');
  content.back() = 'y';
  ASSERT_TRUE(file->write(0, content));

  EXPECT_EQ(*file->read(0, std::size_t{1} << 62), content);
  EXPECT_EQ(*file->read(1, content.size()), content.substr(1));
}

TEST(LinuxFile, CanBeCutAndGrown) {
  const testing::TempDir dir;
  LinuxFiles files;
  const auto file = files.open(dir / "a", Open::write).value();
  ASSERT_TRUE(file->write(0, "hello"));

  ASSERT_TRUE(file->truncate(2));
  ASSERT_TRUE(file->truncate(4));

  EXPECT_EQ(*file->read(0, 10), std::string("he\0\0", 4));
}

TEST(LinuxFile, IsCurrentUntilItsNameLeadsElsewhere) {
  const testing::TempDir dir;
  LinuxFiles files;
  const auto file = files.open(dir / "a", Open::write).value();
  EXPECT_TRUE(file->is_current());

  ASSERT_TRUE(files.replace(dir / "a", "new"));
  EXPECT_FALSE(file->is_current());
  EXPECT_EQ(*file->size(), 0U);

  ASSERT_TRUE(files.remove(dir / "a"));
  EXPECT_FALSE(file->is_current());
}

TEST(LinuxFile, SaysThatTheDiskIsFull) {
  LinuxFiles files;
  const auto file = files.open("/dev/full", Open::write).value();
  const auto written = file->write(0, "x");

  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().fault, Fault::limit);
  EXPECT_EQ(written.error().what, "cannot write /dev/full: the disk is full; free some space");
}

TEST(LinuxFile, OpenedForReadingRefusesWrites) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "a", "x"));
  const auto file = files.open(dir / "a", Open::read).value();

  EXPECT_EQ(file->write(0, "y").error().fault, Fault::unavailable);
  EXPECT_EQ(file->truncate(0).error().fault, Fault::unavailable);
  EXPECT_EQ(*files.read(dir / "a", plenty), "x");
}

TEST(LinuxFiles, TellAMissingFileFromOneThatIsThere) {
  const testing::TempDir dir;
  LinuxFiles files;
  EXPECT_EQ(files.open(dir / "a", Open::read).error().fault, Fault::not_found);
  EXPECT_EQ(files.read(dir / "a", plenty).error().fault, Fault::not_found);
  EXPECT_TRUE(files.read(dir / "a", plenty).error().what.contains(dir / "a"));

  ASSERT_TRUE(files.open(dir / "a", Open::create_new));

  EXPECT_EQ(files.open(dir / "a", Open::create_new).error().fault, Fault::conflict);
  EXPECT_TRUE(files.open(dir / "a", Open::read));
  EXPECT_EQ(*files.read(dir / "a", plenty), "");
}

TEST(LinuxFiles, MakeEverythingPrivate) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.make_directory(dir / "x/y/z"));
  ASSERT_TRUE(files.open(dir / "x/a", Open::write));
  ASSERT_TRUE(files.open(dir / "x/b", Open::create_new));
  ASSERT_TRUE(files.replace(dir / "x/c", "c"));

  for (const char* name : {"x/a", "x/b", "x/c"}) EXPECT_EQ(mode_of(dir / name), 0600U) << name;
  for (const char* name : {"x", "x/y", "x/y/z"}) EXPECT_EQ(mode_of(dir / name), 0700U) << name;
}

TEST(LinuxFiles, MakeADirectoryOnlyOnce) {
  const testing::TempDir dir;
  LinuxFiles files;
  EXPECT_TRUE(files.make_directory(dir / "x/y/"));
  EXPECT_TRUE(files.make_directory(dir / "x/y"));
  EXPECT_TRUE(files.make_directory("/"));
  EXPECT_FALSE(files.make_directory(""));

  ASSERT_TRUE(files.replace(dir / "file", ""));
  EXPECT_EQ(files.make_directory(dir / "file").error().fault, Fault::unavailable);
  EXPECT_EQ(files.make_directory(dir / "file/below").error().fault, Fault::unavailable);
}

TEST(LinuxFiles, ReadAFileUpToItsLimitAndNotBeyond) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "a", "12345"));

  EXPECT_EQ(*files.read(dir / "a", 5), "12345");
  EXPECT_EQ(*files.read(dir / "a", std::string::npos), "12345");
  EXPECT_EQ(files.read(dir / "a", 4).error().fault, Fault::limit);
  EXPECT_EQ(files.read(dir / "a", 0).error().fault, Fault::limit);
}

TEST(LinuxFiles, ReadAFileThatDoesNotSayHowLongItIs) {
  LinuxFiles files;

  EXPECT_GT(files.read("/proc/self/status", plenty)->size(), 600U);
  EXPECT_EQ(files.read("/proc/self/status", 100).error().fault, Fault::limit);
  EXPECT_EQ(files.read("/dev/zero", 1000).error().fault, Fault::limit);
}

TEST(LinuxFiles, DoNotHangOnAPipe) {
  const testing::TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  LinuxFiles files;

  EXPECT_EQ(files.read(dir / "pipe", plenty).error().fault, Fault::unavailable);
}

TEST(LinuxFiles, ReplaceLeavesNothingButTheFile) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "a", "old"));
  ASSERT_TRUE(files.replace(dir / "a", "new"));

  EXPECT_EQ(*files.read(dir / "a", plenty), "new");
  EXPECT_EQ(names_in(dir.path()), Names{"a"});
}

TEST(LinuxFiles, ReplaceAFileWithTheLongestNameThereCanBe) {
  const testing::TempDir dir;
  LinuxFiles files;
  const std::string name(255, 'n');

  EXPECT_TRUE(files.replace(dir / name, "x"));
  EXPECT_EQ(names_in(dir.path()), Names{name});
}

TEST(LinuxFiles, ReplaceThatFailsLeavesNothingBehind) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.make_directory(dir / "a"));
  EXPECT_EQ(files.replace(dir / "a", "x").error().fault, Fault::unavailable);
  EXPECT_EQ(files.replace(dir / "no/b", "x").error().fault, Fault::not_found);

  EXPECT_EQ(names_in(dir.path()), Names{"a"});
}

TEST(LinuxFiles, ReplaceShowsAReaderTheOldOrTheNew) {
  const testing::TempDir dir;
  LinuxFiles files;
  const std::array<std::string, 2> contents{std::string(50'000, 'a'), std::string(70'000, 'b')};
  ASSERT_TRUE(files.replace(dir / "a", contents[0]));
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0;
  std::thread reader([&] {
    while (!done) {
      const auto seen = files.read(dir / "a", plenty);
      if (!seen || (*seen != contents[0] && *seen != contents[1])) ++torn;
    }
  });

  for (std::size_t i = 1; i <= 300; ++i) EXPECT_TRUE(files.replace(dir / "a", contents[i % 2]));

  done = true;
  reader.join();
  EXPECT_EQ(torn, 0);
}

TEST(LinuxFiles, ReplaceOnAFullDiskKeepsTheOldFile) {
  const testing::TempDir dir;
  const int code = on_a_small_disk(dir.path(), 64, [&] {
    LinuxFiles files;
    if (!files.replace(dir / "a", "old")) return 1;
    const auto replaced = files.replace(dir / "a", std::string(100'000, 'x'));
    if (replaced || replaced.error().fault != Fault::limit) return 2;
    if (*files.read(dir / "a", plenty) != "old") return 3;
    if (names_in(dir.path()) != Names{"a"}) return 4;
    return files.replace(dir / "a", "new") ? 0 : 5;
  });

  if (code == cannot_mount) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(code, 0);
}

TEST(LinuxFiles, ReplaceBeyondTheFileSizeLimitKeepsTheOldFile) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "a", "old"));
  Result<> replaced;
  {
    const SmallFilesOnly limited(4096);
    replaced = files.replace(dir / "a", std::string(10'000, 'x'));
  }

  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().fault, Fault::limit);
  EXPECT_EQ(*files.read(dir / "a", plenty), "old");
  EXPECT_EQ(names_in(dir.path()), Names{"a"});
}

TEST(LinuxFiles, OnAReadOnlyFileSystemCanBeReadAndSayWhy) {
  const testing::TempDir dir;
  const int code = on_a_small_disk(dir.path(), 64, [&] {
    LinuxFiles files;
    if (!files.replace(dir / "a", "old")) return 1;
    if (!testing::make_read_only(dir.path(), true)) return 2;
    const auto is_refused = [](const auto& result) {
      return !result && result.error().fault == Fault::unavailable &&
             result.error().what.contains("read-only");
    };
    if (!is_refused(files.replace(dir / "a", "new"))) return 3;
    if (!is_refused(files.remove(dir / "a"))) return 4;
    if (!is_refused(files.make_directory(dir / "b"))) return 5;
    if (!is_refused(files.open(dir / "a", Open::write))) return 6;
    if (!files.make_directory(dir.path())) return 7;
    return *files.read(dir / "a", plenty) == "old" ? 0 : 8;
  });

  if (code == cannot_mount) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(code, 0);
}

TEST(LinuxFiles, RemoveWhatIsThereAndAcceptWhatIsNot) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "a", "x"));

  EXPECT_TRUE(files.remove(dir / "a"));
  EXPECT_TRUE(files.remove(dir / "a"));
  EXPECT_EQ(names_in(dir.path()), Names{});
}

TEST(LinuxFiles, ListNamesAndTellDirectories) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.make_directory(dir / "d"));
  ASSERT_TRUE(files.replace(dir / "f", ""));
  ASSERT_EQ(symlink("d", (dir / "to_d").c_str()), 0);
  ASSERT_EQ(symlink("nothing", (dir / "to_nothing").c_str()), 0);
  auto entries = files.list(dir.path()).value();
  std::ranges::sort(entries, {}, &Entry::name);

  EXPECT_EQ(entries,
            (std::vector<Entry>{{"d", true}, {"f", false}, {"to_d", true}, {"to_nothing", false}}));
}

TEST(LinuxFiles, ListNothingInADirectoryThatIsMissing) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "f", ""));

  EXPECT_TRUE(files.list(dir / "no")->empty());
  EXPECT_EQ(files.list(dir / "f").error().fault, Fault::unavailable);
}

TEST(LinuxFiles, SyncTheFileSystemOfAPath) {
  const testing::TempDir dir;
  LinuxFiles files;
  ASSERT_TRUE(files.replace(dir / "a", "x"));

  EXPECT_TRUE(files.sync_all(dir.path()));
  EXPECT_TRUE(files.sync_all(dir / "a"));
  EXPECT_EQ(files.sync_all(dir / "no").error().fault, Fault::not_found);
}

}  // namespace
}  // namespace tyer::env
