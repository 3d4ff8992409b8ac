#include "env/kin.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <list>

#include <gtest/gtest.h>

#include "env/proc_stat.h"
#include "support/forked.h"

namespace tyer::env {
namespace {

int wait_for_ever() {
  while (true) pause();
}

TEST(Kin, AreThoseBelowAProcess) {
  testing::Forked child(wait_for_ever);
  const Kin it{child.pid(), read_proc_stat(child.pid())->start};

  EXPECT_EQ(kin_below(getpid()), std::vector<Kin>{it});
  EXPECT_EQ(kin_below(child.pid()), std::vector<Kin>());
}

TEST(Kin, AreReadAsTheyWereWritten) {
  const std::vector<Kin> two{{12, 345}, {4'194'304, 9'999'999'999'999}};
  EXPECT_EQ(decode_kin(encode(two)), two);
  // Of a longer list that was there before, and of one that was cut off.
  EXPECT_EQ(decode_kin(encode(two) + "12 3"), two);
  EXPECT_EQ(decode_kin(std::string(400, 'x')), std::vector<Kin>());
}

TEST(Kin, AreEndedOnlyIfTheyAreWhoTheyWere) {
  testing::Forked child(wait_for_ever);
  const std::int64_t start = read_proc_stat(child.pid())->start;

  EXPECT_EQ(end_kin({{child.pid(), start + 1}, {getpid(), 1}}), TreeEnd{});
  EXPECT_EQ(end_kin({{child.pid(), start}}), (TreeEnd{.killed = 1}));
  EXPECT_EQ(child.code(), 128 + SIGKILL);
}

TEST(Kin, AreEndedThoughThereAreMoreThanWeMayOpen) {
  std::list<testing::Forked> children;
  std::vector<Kin> kin;
  for (int i = 0; i < 150; ++i) {
    const pid_t pid = children.emplace_back(wait_for_ever).pid();
    kin.push_back({pid, read_proc_stat(pid)->start});
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 100, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);

  const TreeEnd end = end_kin(kin);

  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(end, (TreeEnd{.killed = 150}));
  for (testing::Forked& child : children) EXPECT_EQ(child.code(), 128 + SIGKILL);
}

}  // namespace
}  // namespace tyer::env
