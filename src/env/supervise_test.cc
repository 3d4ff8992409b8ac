#include "env/supervise.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <numeric>

#include <fmt/format.h>

#include "env/linux_child.h"
#include "support/forked.h"

namespace tyer::env {
namespace {

using testing::Forked;
using testing::has_ended;
using testing::is_childless;
using testing::Pipe;

constexpr Span long_grace = 10s;  // Less than what the test itself waits.
constexpr Span short_grace = 50ms;

// Says what it is sent, and waits until a stop has its effect.
class TellingChild final : public Child {
 public:
  TellingChild(Child& child, int told_to) : child_(child), told_to_(told_to) {}

  [[nodiscard]] std::int64_t pid() const override { return child_.pid(); }
  [[nodiscard]] std::int64_t pid_start() const override { return child_.pid_start(); }
  [[nodiscard]] int fd() const override { return child_.fd(); }
  [[nodiscard]] Result<std::optional<Exit>> wait(Span at_most) override {
    return child_.wait(at_most);
  }
  [[nodiscard]] Result<> signal_group(int signal) override {
    TYER_TRY_OK(child_.signal_group(signal));
    if (signal == SIGSTOP) {
      siginfo_t info{};
      waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED);
    }
    dprintf(told_to_, "%s\n", fmt::format("sent {}", signal).c_str());
    return {};
  }
  void let_go() override {}

 private:
  Child& child_;
  int told_to_;
};

// A script behind a front, as the program runs it. `output` is its standard
// output, which all below the front have; `report` says how the keeper saw it.
class SupervisionTest : public ::testing::Test {
 protected:
  SupervisionTest() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~SupervisionTest() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  void begin(const std::string& script, Span grace = long_grace) {
    front.emplace([&] {
      setpgid(0, 0);
      if (ignored != 0) std::signal(ignored, SIG_IGN);
      dup2(input.out.get(), 0);
      dup2(output.in.get(), 1);
      output.in = Fd();
      input.in = Fd();
      stop.in = Fd();
      const Result<int> code =
          run_behind_front([&](const Front& seen) { return keep(seen, script, grace); });
      return code ? *code : 99;
    });
    for (Pipe* pipe : {&output, &report}) pipe->in = Fd();
    input.out = Fd();
    keeper_pid = std::stoi(report.line());
    command_pid = std::stoi(report.line());
  }

  int keep(const Front& seen, const std::string& script, Span grace) {
    Spawn spawn;
    spawn.argv = {"/bin/sh", "-c", script};
    spawn.input = 0;
    spawn.output = 1;
    spawn.errors = 2;
    spawn.ignored = seen.ignored();
    const auto child = start_child(spawn);
    if (!child) return 98;
    give_up_input();
    dprintf(report.in.get(), "%d\n%d\n", getpid(), static_cast<int>(child.value()->pid()));
    TellingChild telling(**child, report.in.get());
    const Result<Ended> ended = supervise({telling, seen, stop.out.get(), grace});
    if (!ended) return 97;
    constexpr const char* reasons[] = {"by itself", "stopped", "front gone"};
    dprintf(report.in.get(), "%s, code %d, signal %d, %s\n", reasons[static_cast<int>(ended->why)],
            ended->exit.code, ended->exit.signal,
            ended->left > 0     ? "left"
            : ended->killed > 0 ? "killed"
                                : "in order");
    return ended->exit.signal == 0 ? ended->exit.code : 128 + ended->exit.signal;
  }

  void expect_nothing_left() {
    EXPECT_EQ(output.rest(), "");
    EXPECT_TRUE(has_ended(keeper_pid));
    waitpid(keeper_pid, nullptr, WNOHANG);
    EXPECT_TRUE(is_childless());
  }

  Pipe input;
  Pipe output;
  Pipe report;
  Pipe stop;
  int ignored = 0;
  std::optional<Forked> front;
  pid_t keeper_pid = 0;
  pid_t command_pid = 0;
};

// Two generations away, in a session of its own, and deaf.
constexpr const char* daemon_script =
    "(setsid sh -c 'trap \"\" TERM HUP INT; echo ready; while :; do sleep 1000; done' &); ";

TEST_F(SupervisionTest, EndsWithTheCodeOfTheCommand) {
  begin("exit 5");

  EXPECT_EQ(report.line(), "by itself, code 5, signal 0, in order");
  EXPECT_EQ(front->code(), 5);
  expect_nothing_left();
}

TEST_F(SupervisionTest, EndsWithTheSignalThatEndedTheCommand) {
  begin("kill -SEGV $$");

  EXPECT_EQ(report.line(), "by itself, code 0, signal 11, in order");
  EXPECT_EQ(front->code(), 128 + SIGSEGV);
  expect_nothing_left();
}

TEST_F(SupervisionTest, LetsEveryByteThrough) {
  begin("exec cat");
  std::string bytes(40'000, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  ASSERT_EQ(::write(input.in.get(), bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
  input.in = Fd();

  EXPECT_EQ(output.rest(), bytes);
  EXPECT_EQ(front->code(), 0);
}

TEST_F(SupervisionTest, PassesSignalsToTheCommandAndItsChildren) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    SCOPED_TRACE(signal);
    output = Pipe();
    report = Pipe();
    begin(
        "trap 'echo got' TERM INT HUP USR1; "
        "sh -c 'trap \"echo got; exit\" TERM INT HUP USR1; echo ready; read nothing' ; "
        "exit 6");
    EXPECT_EQ(output.line(), "ready");

    ASSERT_EQ(kill(front->pid(), signal), 0);

    EXPECT_EQ(output.line(), "got");
    EXPECT_EQ(output.line(), "got");
    EXPECT_EQ(front->code(), 6);
    expect_nothing_left();
    input = Pipe();
  }
}

TEST_F(SupervisionTest, LetsTheCommandDecideWhatASignalMeans) {
  begin("trap '' TERM; echo ready; read line; echo \"$line\"; exit 4");
  EXPECT_EQ(output.line(), "ready");

  ASSERT_EQ(kill(front->pid(), SIGTERM), 0);
  EXPECT_EQ(report.line(), fmt::format("sent {}", SIGTERM));
  ASSERT_EQ(::write(input.in.get(), "on\n", 3), 3);

  EXPECT_EQ(output.line(), "on");
  EXPECT_EQ(front->code(), 4);
  expect_nothing_left();
}

TEST_F(SupervisionTest, StopsAndContinuesTheCommand) {
  begin("echo ready; read line; echo \"$line\"");
  EXPECT_EQ(output.line(), "ready");

  ASSERT_EQ(kill(front->pid(), SIGTSTP), 0);
  EXPECT_EQ(report.line(), fmt::format("sent {}", SIGSTOP));
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(front->pid()), &info, WSTOPPED), 0);
  ASSERT_EQ(kill(front->pid(), SIGCONT), 0);
  EXPECT_EQ(report.line(), fmt::format("sent {}", SIGCONT));

  ASSERT_EQ(::write(input.in.get(), "on\n", 3), 3);
  EXPECT_EQ(output.line(), "on");
  EXPECT_EQ(front->code(), 0);
  expect_nothing_left();
}

TEST_F(SupervisionTest, KeepsWhatNohupIgnores) {
  ignored = SIGHUP;
  begin("kill -HUP $$; echo alive");

  EXPECT_EQ(output.line(), "alive");
  EXPECT_EQ(front->code(), 0);
  expect_nothing_left();
}

TEST_F(SupervisionTest, EndsADaemonThatTheCommandLeaves) {
  begin(std::string(daemon_script) + "read nothing; exit 3", short_grace);
  EXPECT_EQ(output.line(), "ready");
  input.in = Fd();

  EXPECT_EQ(report.line(), "by itself, code 3, signal 0, killed");
  EXPECT_EQ(front->code(), 3);
  expect_nothing_left();
}

TEST_F(SupervisionTest, EndsTheRunWhenItMustStop) {
  begin("trap '/bin/echo cleaned; exit 9' TERM; echo ready; read nothing");
  EXPECT_EQ(output.line(), "ready");

  stop.in = Fd();

  EXPECT_EQ(output.line(), "cleaned");
  EXPECT_EQ(report.line(), "stopped, code 9, signal 0, in order");
  EXPECT_EQ(front->code(), 9);
  expect_nothing_left();
}

TEST_F(SupervisionTest, EndsACommandThatDoesNotWantToStop) {
  begin(std::string(daemon_script) + "trap '' TERM; echo ready; while :; do sleep 1000; done",
        short_grace);
  EXPECT_EQ(output.line(), "ready");
  EXPECT_EQ(output.line(), "ready");

  stop.in = Fd();

  EXPECT_EQ(report.line(), "stopped, code 0, signal 9, killed");
  EXPECT_EQ(front->code(), 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(SupervisionTest, EndsAStoppedCommand) {
  begin("trap '/bin/echo cleaned; exit 9' TERM; echo ready; read nothing");
  EXPECT_EQ(output.line(), "ready");
  ASSERT_EQ(kill(command_pid, SIGSTOP), 0);

  stop.in = Fd();

  EXPECT_EQ(output.line(), "cleaned");
  EXPECT_EQ(front->code(), 9);
  expect_nothing_left();
}

TEST_F(SupervisionTest, EndsTheRunWhenTheFrontIsKilled) {
  begin(std::string(daemon_script) + "read nothing", short_grace);
  EXPECT_EQ(output.line(), "ready");

  ASSERT_EQ(kill(front->pid(), SIGKILL), 0);

  EXPECT_EQ(report.line(), "front gone, code 0, signal 15, killed");
  EXPECT_EQ(front->code(), 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(SupervisionTest, LeavesNothingWhenTheKeeperIsKilled) {
  begin(std::string(daemon_script) + "read nothing");
  EXPECT_EQ(output.line(), "ready");

  ASSERT_EQ(kill(keeper_pid, SIGKILL), 0);

  EXPECT_EQ(front->code(), 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(SupervisionTest, LeavesNothingWhenTheCommandIsKilled) {
  begin(std::string(daemon_script) + "read nothing", short_grace);
  EXPECT_EQ(output.line(), "ready");

  ASSERT_EQ(kill(command_pid, SIGKILL), 0);

  EXPECT_EQ(report.line(), "by itself, code 0, signal 9, killed");
  EXPECT_EQ(front->code(), 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(SupervisionTest, LeavesNothingOfACommandThatForksAllTheTime) {
  begin("trap '' TERM; echo ready; while :; do sleep 1000 & true; done", 0s);
  EXPECT_EQ(output.line(), "ready");

  stop.in = Fd();

  EXPECT_EQ(report.line(), "stopped, code 0, signal 9, killed");
  EXPECT_EQ(front->code(), 128 + SIGKILL);
  expect_nothing_left();
}

}  // namespace
}  // namespace tyer::env
