// Whom the lock on a file excludes, and when it is gone.

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "env/linux_files.h"
#include "support/forked.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

TEST(FileLock, ExcludesAnotherFileOfTheSameProcess) {
  const testing::TempDir dir;
  LinuxFiles files;
  const auto first = files.open(dir / "lock", Open::write).value();
  const auto second = files.open(dir / "lock", Open::write).value();

  ASSERT_TRUE(first->lock());
  EXPECT_FALSE(*second->try_lock());

  first->unlock();
  EXPECT_TRUE(*second->try_lock());
  EXPECT_FALSE(*first->try_lock());
}

TEST(FileLock, ExcludesAnotherProcess) {
  const testing::TempDir dir;
  LinuxFiles files;
  const auto file = files.open(dir / "lock", Open::write).value();
  const auto child_gets_it = [&] {
    return testing::Forked([&] {
             const auto own = files.open(dir / "lock", Open::write).value();
             return *own->try_lock() ? 1 : 0;
           })
        .code();
  };

  ASSERT_TRUE(file->lock());
  EXPECT_EQ(child_gets_it(), 0);
  file->unlock();
  EXPECT_EQ(child_gets_it(), 1);
}

TEST(FileLock, IsGoneWhenItsProcessIsKilled) {
  const testing::TempDir dir;
  LinuxFiles files;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto own = files.open(dir / "lock", Open::write).value();
    const char done = own->lock() ? 'y' : 'n';
    if (write(ends[1], &done, 1) != 1) _exit(1);
    while (true) pause();
  }
  char said = '?';
  ASSERT_EQ(read(ends[0], &said, 1), 1);
  ASSERT_EQ(said, 'y');
  const auto file = files.open(dir / "lock", Open::write).value();
  EXPECT_FALSE(*file->try_lock());

  kill(pid, SIGKILL);

  // Waits, without the child having been reaped.
  EXPECT_TRUE(file->lock());
  waitpid(pid, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(FileLock, IsGoneWithItsFile) {
  const testing::TempDir dir;
  LinuxFiles files;
  auto first = files.open(dir / "lock", Open::write).value();
  const auto second = files.open(dir / "lock", Open::write).value();
  ASSERT_TRUE(first->lock());

  first.reset();

  EXPECT_TRUE(*second->try_lock());
}

}  // namespace
}  // namespace tyer::env
