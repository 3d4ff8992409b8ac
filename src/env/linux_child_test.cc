#include "env/linux_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "env/linux_clock.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"
#include "support/forked.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

using testing::Pipe;

constexpr Span long_enough = testing::give_up_after;

Spawn command(std::vector<std::string> argv,
              std::map<std::string, std::string, std::less<>> environment = {},
              std::string directory = "") {
  Spawn spawn;
  spawn.argv = std::move(argv);
  spawn.environment = std::move(environment);
  spawn.directory = std::move(directory);
  return spawn;
}

std::unique_ptr<Child> started(const Spawn& spawn) {
  auto child = start_child(spawn);
  EXPECT_TRUE(child) << child.error().what;
  return std::move(child).value();
}

Exit exit_of(const Spawn& spawn) {
  const auto child = started(spawn);
  const auto exit = child->wait(long_enough);
  EXPECT_TRUE(exit && exit->has_value());
  return exit->value();
}

std::string output_of(Spawn spawn) {
  Pipe pipe;
  spawn.output = pipe.in.get();
  const auto child = started(spawn);
  std::string text = pipe.rest();
  EXPECT_EQ(child->wait(long_enough).value(), Exit{});
  return text;
}

Spawn shell(const std::string& script) {
  return command({"/bin/sh", "-c", script});
}

TEST(Child, EndsWithItsCode) {
  EXPECT_EQ(exit_of(command({"true"})), Exit{.code = 0});
  EXPECT_EQ(exit_of(shell("exit 3")), Exit{.code = 3});
  EXPECT_EQ(exit_of(shell("exit 255")), Exit{.code = 255});
}

TEST(Child, EndsWithTheSignalThatKilledIt) {
  EXPECT_EQ(exit_of(shell("kill -TERM $$")), Exit{.signal = SIGTERM});
  EXPECT_EQ(exit_of(shell("kill -KILL $$")), Exit{.signal = SIGKILL});
}

TEST(Child, RemembersItsExit) {
  const auto child = started(shell("exit 3"));

  EXPECT_EQ(child->wait(long_enough).value(), Exit{.code = 3});
  EXPECT_EQ(child->wait(0s).value(), Exit{.code = 3});
}

TEST(Child, IsWaitedForNoLongerThanAsked) {
  const auto child = started(command({"sleep", "1000"}));
  const LinuxClock clock;
  const Span before = clock.mono();

  EXPECT_EQ(child->wait(0s).value(), std::nullopt);
  EXPECT_EQ(child->wait(-5s).value(), std::nullopt);
  EXPECT_EQ(child->wait(20ms).value(), std::nullopt);
  EXPECT_GE(clock.mono() - before, 20ms);
}

TEST(Child, CanBeWaitedForWithoutEnd) {
  const auto child = started(command({"true"}));

  EXPECT_EQ(child->wait(Span::max()).value(), Exit{});
}

TEST(Child, HasADescriptorThatTellsItsEnd) {
  Pipe pipe;
  Spawn spawn = command({"cat"});
  spawn.input = pipe.out.get();
  const auto child = started(spawn);
  EXPECT_FALSE(*wait_readable(child->fd(), 0s));

  pipe.in = Fd();

  EXPECT_TRUE(*wait_readable(child->fd(), long_enough));
}

TEST(Child, SeesNoDescriptorButItsThree) {
  const Fd leaky(fcntl(2, F_DUPFD, 100));
  ASSERT_EQ(fcntl(leaky.get(), F_GETFD), 0);

  // The fourth is the directory that ls reads.
  EXPECT_EQ(output_of(command({"ls", "/proc/self/fd"})), "0\n1\n2\n3\n");
}

TEST(Child, HasNullForTheStreamsItIsNotGiven) {
  const std::string text = output_of(shell("readlink /proc/self/fd/0 /proc/self/fd/2; cat"));

  EXPECT_EQ(text, "/dev/null\n/dev/null\n");
}

TEST(Child, GetsEachStreamWhereItBelongs) {
  Pipe input;
  Pipe output;
  Pipe errors;
  ASSERT_EQ(::write(input.in.get(), "hi\n", 3), 3);
  input.in = Fd();
  Spawn spawn = shell("read line; echo \"out $line\"; echo \"err $line\" >&2");
  spawn.input = input.out.get();
  spawn.output = output.in.get();
  spawn.errors = errors.in.get();
  EXPECT_EQ(exit_of(spawn), Exit{});

  EXPECT_EQ(output.rest(), "out hi\n");
  EXPECT_EQ(errors.rest(), "err hi\n");
}

TEST(Child, GetsStreamsThatTradePlacesWithOurs) {
  Pipe input;
  Pipe output;
  ASSERT_EQ(::write(input.in.get(), "hi\n", 3), 3);
  input.in = Fd();
  const Fd kept_input(fcntl(0, F_DUPFD_CLOEXEC, 10));
  const Fd kept_output(fcntl(1, F_DUPFD_CLOEXEC, 10));
  ASSERT_EQ(dup2(output.in.get(), 0), 0);
  ASSERT_EQ(dup2(input.out.get(), 1), 1);

  Spawn spawn = command({"cat"});
  spawn.input = 1;
  spawn.output = 0;
  const auto child = start_child(spawn);

  kept_input ? dup2(kept_input.get(), 0) : close(0);
  dup2(kept_output.get(), 1);
  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ(output.rest(), "hi\n");
}

TEST(Child, RunsInASessionOfItsOwn) {
  Pipe pipe;
  Spawn spawn = command({"cat", "/proc/self/stat"});
  spawn.output = pipe.in.get();
  const auto child = started(spawn);
  const auto stat = parse_proc_stat(pipe.rest());

  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->session, child->pid());
  EXPECT_EQ(stat->start, child->pid_start());
  EXPECT_NE(stat->session, getsid(0));
}

TEST(Child, StartsWithNoSignalBlockedOrIgnored) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  const std::string text = output_of(command({"grep", "-E", "SigBlk|SigIgn", "/proc/self/status"}));
  std::signal(SIGPIPE, handler);
  sigprocmask(SIG_SETMASK, &before, nullptr);

  std::istringstream words(text);
  std::string name;
  std::string mask;
  int lines = 0;
  for (; words >> name >> mask; ++lines) {
    const unsigned long long bits = std::stoull(mask, nullptr, 16);
    // 32 and 33 are the C library's own.
    EXPECT_EQ(bits & 0x7fffffffULL, 0U) << name;
  }
  EXPECT_EQ(lines, 2);
}

TEST(Child, KeepsASignalIgnoredIfAsked) {
  Spawn spawn = shell("kill -HUP $$; kill -USR1 $$");
  spawn.ignored = {SIGHUP, SIGUSR2};
  const auto hup_handler = std::signal(SIGHUP, SIG_IGN);
  const auto usr1_handler = std::signal(SIGUSR1, SIG_IGN);
  const Exit exit = exit_of(spawn);
  std::signal(SIGHUP, hup_handler);
  std::signal(SIGUSR1, usr1_handler);

  EXPECT_EQ(exit, Exit{.signal = SIGUSR1});
}

TEST(Child, SeesTheGivenEnvironmentAndNothingElse) {
  EXPECT_EQ(output_of(command({"/usr/bin/env"}, {{"A", "1"}, {"B", "x=y z"}})), "A=1\nB=x=y z\n");
}

TEST(Child, RunsInTheGivenDirectory) {
  const testing::TempDir dir;

  EXPECT_EQ(output_of(command({"/bin/pwd"}, {}, dir.path())), dir.path() + "\n");
}

TEST(Child, IsLookedForInItsOwnPath) {
  const testing::TempDir dir;
  std::ofstream(dir / "only-here") << "#!/bin/sh\necho \"$0 $1\"\n";
  ASSERT_EQ(chmod((dir / "only-here").c_str(), 0700), 0);

  EXPECT_EQ(output_of(command({"only-here", "a b"}, {{"PATH", dir.path()}})),
            dir / "only-here" + " a b\n");
  EXPECT_EQ(start_child(command({"only-here"})).error().fault, Fault::not_found);
}

TEST(Child, CannotBeStartedFromNothing) {
  EXPECT_EQ(start_child({}).error().fault, Fault::invalid);
}

TEST(Child, CannotBeAMissingProgram) {
  const auto child = start_child(command({"no-such-program"}));

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().fault, Fault::not_found);
  EXPECT_TRUE(child.error().what.contains("no-such-program"));
}

TEST(Child, CannotRunInAMissingDirectory) {
  const auto child = start_child(command({"true"}, {}, "/no/such/place"));

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().fault, Fault::not_found);
  EXPECT_TRUE(child.error().what.contains("/no/such/place"));
  EXPECT_TRUE(
      start_child(command({"true"}, {}, "/etc/passwd")).error().what.contains("/etc/passwd"));
}

TEST(Child, IsNotGivenToAShellIfItIsNoProgram) {
  const testing::TempDir dir;
  std::ofstream(dir / "text") << "echo hello\n";
  std::ofstream(dir / "lost") << "#!/no/such/interpreter\n";
  for (const char* name : {"text", "lost"}) chmod((dir / name).c_str(), 0700);

  EXPECT_EQ(start_child(command({dir / "text"})).error().fault, Fault::invalid);
  const auto lost = start_child(command({dir / "lost"}));
  EXPECT_EQ(lost.error().fault, Fault::not_found);
  EXPECT_TRUE(lost.error().what.contains("interpreter")) << lost.error().what;
}

TEST(Child, IsNotGivenHalfAnArgument) {
  const std::string cut("a\0b", 3);
  EXPECT_EQ(start_child(command({"echo", cut})).error().fault, Fault::invalid);
  EXPECT_EQ(start_child(command({"true"}, {{"A", cut}})).error().fault, Fault::invalid);
  EXPECT_EQ(start_child(command({"true"}, {{"A=B", "c"}})).error().fault, Fault::invalid);
  EXPECT_EQ(start_child(command({"true"}, {{"", "c"}})).error().fault, Fault::invalid);
}

TEST(Child, RefusesArgumentsThatAreTooLong) {
  EXPECT_EQ(start_child(command({"true", std::string(1 << 20, 'x')})).error().fault, Fault::limit);
}

TEST(Child, KeepsItsExitEvenIfWeWereStartedIgnoringChildren) {
  const auto handler = std::signal(SIGCHLD, SIG_IGN);
  const Exit exit = exit_of(shell("exit 3"));
  std::signal(SIGCHLD, handler);

  EXPECT_EQ(exit, Exit{.code = 3});
}

// A shell that has started a grandchild and said its pid.
struct Family {
  Pipe pipe;
  std::unique_ptr<Child> child;
  pid_t grandchild = 0;
  Fd grandchild_end;  // Readable once it has ended.

  explicit Family(const std::string& rest) {
    Spawn spawn = shell("sleep 1000 & echo $!; " + rest);
    spawn.output = pipe.in.get();
    child = started(spawn);
    grandchild = std::stoi(pipe.line());
    grandchild_end = Fd(static_cast<int>(syscall(SYS_pidfd_open, grandchild, 0)));
    EXPECT_TRUE(grandchild_end);
  }
};

TEST(ChildGroup, DiesTogether) {
  const Family family("wait");
  ASSERT_TRUE(family.child->signal_group(SIGKILL));

  EXPECT_TRUE(*wait_readable(family.grandchild_end.get(), long_enough));
  EXPECT_EQ(family.child->wait(long_enough).value(), Exit{.signal = SIGKILL});
}

TEST(ChildGroup, CanBeEndedAfterItsLeader) {
  const Family family("exit 5");
  ASSERT_EQ(family.child->wait(long_enough).value(), Exit{.code = 5});
  EXPECT_FALSE(*wait_readable(family.grandchild_end.get(), 0s));

  ASSERT_TRUE(family.child->signal_group(SIGKILL));

  EXPECT_TRUE(*wait_readable(family.grandchild_end.get(), long_enough));
}

TEST(ChildGroup, MayBeEmptyWhenItIsSignalled) {
  const auto child = started(command({"true"}));
  ASSERT_EQ(child->wait(long_enough).value(), Exit{});

  EXPECT_TRUE(child->signal_group(SIGTERM));
  EXPECT_TRUE(child->signal_group(SIGKILL));
}

TEST(ChildGroup, KeepsItsNumberUntilTheChildIsLetGo) {
  auto child = started(command({"true"}));
  const auto pid = static_cast<pid_t>(child->pid());
  ASSERT_EQ(child->wait(long_enough).value(), Exit{});
  EXPECT_EQ(kill(pid, 0), 0);

  child.reset();

  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildGroup, DiesWithAChildThatWasNotWaitedFor) {
  Family family("wait");
  const auto pid = static_cast<pid_t>(family.child->pid());

  family.child.reset();

  EXPECT_TRUE(*wait_readable(family.grandchild_end.get(), long_enough));
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildGroup, OutlivesAChildThatWasLetGo) {
  Pipe input;
  Spawn spawn = command({"cat"});
  spawn.input = input.out.get();
  auto child = started(spawn);
  const auto pid = static_cast<pid_t>(child->pid());
  child->let_go();

  child.reset();

  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0);
  input.in = Fd();
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
}

TEST(ChildGroup, IsLeftAloneOnceSomebodyElseTookTheChild) {
  const auto child = started(command({"true"}));
  ASSERT_EQ(waitpid(static_cast<pid_t>(child->pid()), nullptr, 0), child->pid());

  EXPECT_EQ(child->wait(long_enough).error().fault, Fault::broken);
  EXPECT_TRUE(child->signal_group(SIGKILL));
}

// Or a worker would collect a dead entry of the process table for every run.
TEST(LinuxChild, ThatWasLetGoIsReapedIfItsEndWasSeen) {
  auto child = start_child({.argv = {"true"}, .environment = {{"PATH", "/usr/bin:/bin"}}});
  ASSERT_TRUE(child) << child.error().what;
  const auto pid = static_cast<pid_t>((*child)->pid());
  (*child)->let_go();
  ASSERT_TRUE((*child)->wait(20s).value());
  child->reset();

  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace tyer::env
