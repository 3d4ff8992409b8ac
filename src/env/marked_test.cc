#include "env/marked.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/linux_child.h"
#include "env/proc_use.h"
#include "support/forked.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

Result<std::unique_ptr<Child>> start_marked(const std::string& value, const std::string& script,
                                            int output) {
  return start_child({.argv = {"sh", "-c", script},
                      .environment = {{"PATH", "/usr/bin:/bin"}, {"TYER_MARK", value}},
                      .output = output});
}

TEST(Marked, EndsAllThatHaveTheMarkAndNobodyElse) {
  const std::string value = fmt::format("{}-a", getpid());
  testing::Pipe pipe;
  const auto deaf = start_marked(
      value, "trap '' TERM; setsid sh -c 'echo below; kill -STOP $$' & echo here; kill -STOP $$",
      pipe.in.get());
  const auto other = start_marked(value + "b", "echo other; kill -STOP $$", pipe.in.get());
  ASSERT_TRUE(deaf && other);
  for (int i = 0; i < 3; ++i) EXPECT_NE(pipe.line(), "");
  const std::string mark = "TYER_MARK=" + value;
  EXPECT_EQ(marked_processes(mark).size(), 2U);

  const TreeEnd end = end_marked(mark);

  EXPECT_EQ(end.killed, 2U);
  EXPECT_EQ(end.left, 0U);
  EXPECT_TRUE(marked_processes(mark).empty());
  EXPECT_EQ(marked_processes(mark + "b"), std::vector<std::int64_t>{(*other)->pid()});
  EXPECT_EQ((*deaf)->wait(testing::give_up_after)->value().signal, SIGKILL);
}

TEST(Marked, EndsOnlyThoseThatHaveASecondMarkIfItIsAskedTo) {
  const std::string value = fmt::format("{}-two", getpid());
  testing::Pipe pipe;
  const auto child = start_marked(value, "echo here; kill -STOP $$", pipe.in.get());
  ASSERT_TRUE(child);
  EXPECT_EQ(pipe.line(), "here");

  EXPECT_EQ(end_marked("TYER_MARK=" + value, "PATH=/elsewhere"), TreeEnd{});
  EXPECT_EQ(end_marked("TYER_MARK=" + value, "PATH=/usr/bin:/bin"), (TreeEnd{.killed = 1}));
}

TEST(Marked, IsSeenInTheMiddleOfAnExec) {
  const std::string value = fmt::format("{}-exec", getpid());
  // Not for ever, should nobody end it.
  const std::string again = R"(test $1 != 0 && exec sh -c "$0" "$0" $(($1 - 1)))";
  testing::Pipe pipe;
  const auto child = start_child({.argv = {"sh", "-c", "echo runs; " + again, again, "30000"},
                                  .environment = {{"PATH", "/usr/bin:/bin"}, {"TYER_MARK", value}},
                                  .output = pipe.in.get()});
  ASSERT_TRUE(child);
  ASSERT_EQ(pipe.line(), "runs");

  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(marked_processes("TYER_MARK=" + value).size(), 1U) << "at look " << i;
  }
  EXPECT_EQ(end_marked("TYER_MARK=" + value), (TreeEnd{.killed = 1, .left = 0}));
}

// Who may not be read by those who execute it hides as one does that hides itself. Root reads all.
TEST(Marked, IsAWordOfTheCommandLineOfOneThatHidesItsEnvironment) {
  const testing::TempDir dir;
  const std::string program = dir / "hidden";
  std::filesystem::copy_file("/bin/sh", program);
  ASSERT_EQ(::chmod(program.c_str(), 0111), 0);
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  testing::in_a_copy([&] {
    testing::become_nobody();
    const std::string mark = fmt::format("TYER_MARK={}-hidden", getpid());
    testing::Pipe pipe;
    Spawn spawn{.argv = {program, "-c", "echo here; kill -STOP $$", "sh", mark}};
    spawn.output = pipe.in.get();
    const auto hidden = start_child(spawn);
    spawn.argv.front() = "/bin/sh";
    const auto open = start_child(spawn);
    ASSERT_TRUE(hidden && open);
    EXPECT_EQ(pipe.line(), "here");
    EXPECT_EQ(pipe.line(), "here");

    EXPECT_EQ(marked_processes(mark), std::vector<std::int64_t>{(*hidden)->pid()});
    EXPECT_EQ(end_marked(mark), (TreeEnd{.killed = 1}));
  });
}

TEST(Marked, IsNobodyWithoutTheWholeMark) {
  EXPECT_TRUE(marked_processes("TYER_MARK=nobody-has-this").empty());
  EXPECT_EQ(end_marked("TYER_MARK=nobody-has-this"), TreeEnd{});
}

TEST(ProcUse, IsThatOfAllBelow) {
  testing::Pipe pipe;
  const auto child = start_marked("use",
                                  "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; "
                                  "echo worked; kill -STOP $$",
                                  pipe.in.get());
  ASSERT_TRUE(child);
  EXPECT_EQ(pipe.line(), "worked");
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>((*child)->pid()), &info, WSTOPPED | WNOWAIT), 0);
  const Use use = use_below(getpid());

  EXPECT_EQ(use.processes, 1U);
  EXPECT_EQ(use.stopped, 1U);
  EXPECT_GT(use.cpu, Span::zero());
  EXPECT_GT(use.io, 0U);
  EXPECT_EQ(use_below((*child)->pid()).processes, 0U);
}

}  // namespace
}  // namespace tyer::env
