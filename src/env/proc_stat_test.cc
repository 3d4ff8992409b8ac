#include "env/proc_stat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace tyer::env {
namespace {

std::string stat_line(const std::string& name, char state, int threads) {
  return "4711 (" + name + ") " + state + " 1 4711 4700 34816 4711 4194304 1 2 3 4 5 6 7 8 20 0 " +
         std::to_string(threads) + " 0 987654 10 20 30\n";
}

TEST(ProcStat, ReadsWhatItSaysOfAProcess) {
  const ProcStat expected{
      .state = 'S', .parent = 1, .group = 4711, .session = 4700, .threads = 3, .start = 987654};
  EXPECT_EQ(parse_proc_stat(stat_line("sleep", 'S', 3)), expected);
}

TEST(ProcStat, IsNotFooledByTheNameOfAProgram) {
  for (const char* name : {"a b", ") Z 1 2 3", "((", "))", "x\ny", ""}) {
    const auto stat = parse_proc_stat(stat_line(name, 'R', 1));
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, 'R') << name;
    EXPECT_EQ(stat->start, 987654) << name;
  }
}

TEST(ProcStat, RefusesWhatIsNotALineOfTheProcessTable) {
  for (const char* text : {"", "4711", "4711 (sleep)", "4711 (sleep) ", "4711 (sleep) S 1 2",
                           "4711 (s) S 1 1 x 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
                           "4711 (s) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 -"}) {
    EXPECT_FALSE(parse_proc_stat(text)) << text;
  }
}

TEST(ProcStat, CallsAZombieOverUnlessItsOtherThreadsRun) {
  EXPECT_TRUE(parse_proc_stat(stat_line("x", 'Z', 1))->is_over());
  EXPECT_TRUE(parse_proc_stat(stat_line("x", 'X', 1))->is_over());
  EXPECT_FALSE(parse_proc_stat(stat_line("x", 'Z', 2))->is_over());
  EXPECT_FALSE(parse_proc_stat(stat_line("x", 'T', 1))->is_over());
  EXPECT_FALSE(parse_proc_stat(stat_line("x", 'D', 1))->is_over());
}

TEST(ProcStat, TellsWhoHasNoEnvironmentForCertain) {
  const auto has_none = [](char state, const char* flags, const char* from, const char* to) {
    std::string line =
        fmt::format("7 (x) {} 1 7 7 0 7 {} 1 2 3 4 5 6 7 8 20 0 1 0 9", state, flags);
    for (int field = 23; field <= 49; ++field) line += " 0";
    return parse_proc_stat(fmt::format("{} {} {} 0\n", line, from, to))->has_no_environment;
  };
  EXPECT_TRUE(has_none('S', "4194304", "140729000000000", "140729000000000"));
  EXPECT_FALSE(has_none('R', "4194304", "140729000000000", "140729000000000"));
  EXPECT_FALSE(has_none('R', "4194304", "140729000000000", "140729000000099"));
  EXPECT_FALSE(has_none('R', "4194304", "0", "0")) << "in the middle of an exec";
  EXPECT_TRUE(has_none('S', "2129984", "0", "0")) << "a thread of the kernel";
  EXPECT_TRUE(has_none('Z', "4194304", "0", "0"));
}

TEST(ProcStat, FindsThisProcessUnderItsPid) {
  const auto by_pid = read_proc_stat(getpid());
  const auto own = read_own_proc_stat();

  ASSERT_TRUE(by_pid && own);
  EXPECT_EQ(by_pid->start, own->start);
  EXPECT_EQ(by_pid->session, getsid(0));
  EXPECT_GT(by_pid->start, 0);
  EXPECT_EQ(by_pid->parent, getppid());
  EXPECT_EQ(by_pid->group, getpgrp());
}

TEST(ProcTable, HasThisProcessAndItsParent) {
  const auto table = read_proc_table();

  for (const pid_t pid : {getpid(), getppid()}) {
    EXPECT_EQ(std::ranges::count(table, pid, &ProcEntry::pid), 1) << pid;
  }
}

}  // namespace
}  // namespace tyer::env
