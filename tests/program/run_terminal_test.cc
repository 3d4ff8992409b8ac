// tyer run on a terminal: from an interactive shell with job control, and instead of a shell, as
// after `ssh -t` or in a window that was opened for it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/locks.h"
#include "support/screen.h"

namespace tyer::testing {
namespace {

// What is awaited is never what was typed, which the terminal shows as well.
class RunOnATerminal : public LockProgramTest {
 protected:
  RunOnATerminal() { make_store(); }

  void run(const std::string& script) {
    write_file("script", script);
    screen.type("$TYER run K -- sh script\n");
  }

  // The shell is the one that reads again, and says how the last command ended.
  void expect_code(int code) {
    screen.type("echo code$((0))=$?\n");
    (void)screen.until(fmt::format("code0={}", code));
  }

  Screen screen{80, 24};
  Program bash{shell(fmt::format(
      "exec setsid --wait --ctty bash --norc --noprofile -i <{0} >{0} 2>&1", screen.path()))};
};

TEST_F(RunOnATerminal, ReadsAPasswordInTheForeground) {
  run("set -- $(cat /proc/$$/stat); [ $5 = $8 ] && echo in the foreground\n"
      "printf 'password: ' >/dev/tty; read -r word </dev/tty; echo got $word\n");
  (void)screen.until("in the foreground");
  (void)screen.until("password: ");
  screen.type("secret\n");
  (void)screen.until("got secret");
  expect_code(0);
}

TEST_F(RunOnATerminal, StopsAndGoesOnAsAJobOfTheShell) {
  // Not in the middle of reading the terminal: it might still get what is typed for the shell.
  run("echo it waits; read -r x <go; echo it reads; read -r word; echo got $word; exit 3\n");
  (void)screen.until("it waits");

  screen.type("\x1a");

  (void)screen.until("Stopped");
  screen.type("$TYER lock check K >/dev/null && echo kept$((1 + 1))\n");
  (void)screen.until("kept2");
  screen.type("fg\n");
  (void)screen.until("$TYER run K -- sh script");
  tell_go();
  (void)screen.until("it reads");
  screen.type("hello\n");
  (void)screen.until("got hello");
  expect_code(3);
}

TEST_F(RunOnATerminal, StopsInTheBackgroundWhenItReads) {
  write_file("script", "read -r word; echo got $word\n");
  // The shell waits until the job has ended or stopped, and tells of it.
  screen.type("$TYER run K -- sh script & wait %1\n");
  (void)screen.until("Stopped");
  screen.type("fg %1\n");
  (void)screen.until("run K -- sh script");
  (void)screen.until("run K -- sh script");
  screen.type("hello\n");
  (void)screen.until("got hello");
}

TEST_F(RunOnATerminal, PassesAnInterruptionOnOnce) {
  run("trap 'echo interrupted $((n += 1))' INT; echo it waits\n"
      "while read -r word; do echo got $word; [ \"$word\" = end ] && exit 7; done\n"
      "while read -r word; do echo got $word; [ \"$word\" = end ] && exit 7; done\n");
  (void)screen.until("it waits");

  screen.type("\x03");

  (void)screen.until("interrupted 1");
  screen.type("end\n");
  EXPECT_FALSE(screen.until("got end").contains("interrupted 2"));
  expect_code(7);
}

TEST_F(RunOnATerminal, IsToldByItsShellThatTheTerminalWasClosed) {
  run("trap 'echo hung up >story; exit 9' HUP; echo it waits; while :; do read -r x <go; done\n");
  (void)screen.until("it waits");

  screen.close();

  (void)bash.finish();
  EXPECT_EQ(tyer("run K --wait 1m -- true").code, 0);
  EXPECT_EQ(read_file("story"), "hung up\n");
}

// What the kernel tells of the terminal it tells the leader of the session alone.
class RunInsteadOfAShell : public LockProgramTest {
 protected:
  [[nodiscard]] ProgramCall run(const std::string& script) const {
    ProgramCall run = call({"run", "K", "--", "sh", "-c", script});
    run.terminal = screen.path();
    return run;
  }

  // A signal that is caught ends a `read`.
  const std::string reads = "echo ready; while :; do read -r x; [ \"$x\" = end ] && exit 7; done";
  Screen screen{80, 24};
};

TEST_F(RunInsteadOfAShell, IsToldThatTheTerminalWasClosed) {
  Program running(
      run("trap 'echo hung up; exit 9' HUP; echo ready; while :; do read -r x <go; done"));
  ASSERT_TRUE(running.wait_for("ready"));

  screen.close();

  const ProgramResult result = running.finish();
  EXPECT_EQ(result.out, "ready\nhung up\n");
  EXPECT_EQ(result.code, 9);
}

TEST_F(RunInsteadOfAShell, IsNotStoppedByTheKeyThatStopsJobs) {
  Program running(run(reads));
  ASSERT_TRUE(running.wait_for("ready"));

  screen.type("\x1a");
  screen.type("end\n");

  EXPECT_EQ(running.finish().code, 7);
}

// As programs do that first give the terminal back as it was.
TEST_F(RunInsteadOfAShell, IsNotStoppedByACommandThatStopsItself) {
  Program running(run("trap 'trap - TSTP; kill -TSTP $$' TSTP; " + reads));
  ASSERT_TRUE(running.wait_for("ready"));

  screen.type("\x1a");
  screen.type("end\n");

  EXPECT_EQ(running.finish().code, 7);
}

}  // namespace
}  // namespace tyer::testing
