#include "env/front.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include <fmt/format.h>

#include "support/forked.h"

namespace tyer::env {
namespace {

using testing::Forked;
using testing::has_ended;
using testing::is_childless;
using testing::Pipe;

void say(std::string_view text) {
  const std::string line = fmt::format("{}\n", text);
  EXPECT_EQ(::write(1, line.data(), line.size()), static_cast<ssize_t>(line.size()));
}

// A front in a process of its own. What is below it has `pipe` as its output.
class FrontTest : public ::testing::Test {
 protected:
  using Keeper = std::function<int(const Front&)>;

  // Whom a killed front leaves comes to us, and is seen.
  FrontTest() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~FrontTest() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  void begin(const Keeper& keeper, const std::function<void()>& prepare = [] { setpgid(0, 0); }) {
    front.emplace([&] {
      dup2(pipe.in.get(), 1);
      pipe.in = Fd();
      prepare();
      const Result<int> code = run_behind_front([&](const Front& seen) {
        say(std::to_string(getpid()));
        return keeper(seen);
      });
      return code ? *code : 99;
    });
    pipe.in = Fd();
    keeper_pid = std::stoi(pipe.line());
  }

  void end_by_signal() {
    ASSERT_EQ(kill(front->pid(), SIGTERM), 0);
    EXPECT_EQ(pipe.line(), fmt::format("signal {}", SIGTERM));
    EXPECT_EQ(front->code(), 7);
    expect_nothing_left();
  }

  // After the front is gone nothing may be there, not even a zombie.
  void expect_nothing_left() {
    EXPECT_EQ(pipe.rest(), "");
    EXPECT_TRUE(has_ended(keeper_pid));
    waitpid(keeper_pid, nullptr, WNOHANG);
    EXPECT_TRUE(is_childless());
  }

  Pipe pipe;
  std::optional<Forked> front;
  pid_t keeper_pid = 0;
};

// Signals come as lines. Ends by SIGTERM, or when the front is gone.
int tell_signals(const Front& front) {
  say("ready");
  while (true) {
    std::array<pollfd, 2> entries{pollfd{.fd = front.signals_fd(), .events = POLLIN},
                                  pollfd{.fd = front.gone_fd(), .events = POLLIN}};
    poll(entries.data(), entries.size(), -1);
    if (entries[1].revents != 0) return 5;
    while (const std::optional<int> signal = front.next_signal()) {
      say(fmt::format("signal {}", *signal));
      if (*signal == SIGTERM) return 7;
    }
  }
}

// A daemon that ignores every request, with a child of its own.
void start_daemon() {
  if (fork() != 0) return;
  setsid();
  std::signal(SIGTERM, SIG_IGN);
  fork();
  while (true) pause();
}

TEST_F(FrontTest, EndsWithTheCodeOfItsKeeper) {
  begin([](const Front&) { return 42; });

  EXPECT_EQ(front->code(), 42);
  expect_nothing_left();
}

TEST_F(FrontTest, HasAKeeperInASessionOfItsOwn) {
  begin([](const Front& seen) {
    say(std::to_string(getsid(0)));
    return tell_signals(seen);
  });

  EXPECT_EQ(pipe.line(), std::to_string(keeper_pid));
  EXPECT_EQ(getpgid(front->pid()), front->pid());
  EXPECT_EQ(pipe.line(), "ready");
  end_by_signal();
}

TEST_F(FrontTest, PassesSignalsOn) {
  begin(tell_signals);
  EXPECT_EQ(pipe.line(), "ready");

  for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT}) {
    ASSERT_EQ(kill(front->pid(), signal), 0);
    EXPECT_EQ(pipe.line(), fmt::format("signal {}", signal));
  }
  end_by_signal();
}

TEST_F(FrontTest, StopsAndGoesOnWithItsKeeperTold) {
  begin(tell_signals);
  EXPECT_EQ(pipe.line(), "ready");

  ASSERT_EQ(kill(front->pid(), SIGTSTP), 0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(front->pid()), &info, WSTOPPED), 0);
  EXPECT_EQ(info.si_status, SIGTSTP);
  EXPECT_EQ(pipe.line(), fmt::format("signal {}", SIGTSTP));

  ASSERT_EQ(kill(front->pid(), SIGCONT), 0);
  EXPECT_EQ(pipe.line(), fmt::format("signal {}", SIGCONT));
  end_by_signal();
}

TEST_F(FrontTest, DoesNotLeaveItsKeeperStoppedWhereItCannotBeItself) {
  // In a session without its parent nobody could continue the front.
  begin(tell_signals, [] { setsid(); });
  EXPECT_EQ(pipe.line(), "ready");

  ASSERT_EQ(kill(front->pid(), SIGTSTP), 0);

  // The second takes back the first, if that was not read yet.
  std::string line = pipe.line();
  if (line == fmt::format("signal {}", SIGTSTP)) line = pipe.line();
  EXPECT_EQ(line, fmt::format("signal {}", SIGCONT));
  end_by_signal();
}

TEST_F(FrontTest, LeavesIgnoredSignalsIgnored) {
  begin(
      [](const Front& seen) {
        say(seen.ignored() == std::vector{SIGHUP} ? "as it was" : "changed");
        return tell_signals(seen);
      },
      [] { std::signal(SIGHUP, SIG_IGN); });
  EXPECT_EQ(pipe.line(), "as it was");
  EXPECT_EQ(pipe.line(), "ready");

  kill(front->pid(), SIGHUP);
  kill(keeper_pid, SIGHUP);
  kill(front->pid(), SIGUSR1);
  EXPECT_EQ(pipe.line(), fmt::format("signal {}", SIGUSR1));
  end_by_signal();
}

TEST_F(FrontTest, IsMissedByItsKeeperWhenItIsKilled) {
  begin(tell_signals);
  EXPECT_EQ(pipe.line(), "ready");

  ASSERT_EQ(kill(front->pid(), SIGKILL), 0);
  EXPECT_EQ(front->code(), 128 + SIGKILL);

  // It is ours now.
  EXPECT_EQ(pipe.rest(), "");
  int status = 0;
  ASSERT_EQ(waitpid(keeper_pid, &status, 0), keeper_pid);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_TRUE(is_childless());
}

TEST_F(FrontTest, LeavesNothingOfAKeeperThatIsKilled) {
  begin([](const Front& seen) {
    start_daemon();
    return tell_signals(seen);
  });
  EXPECT_EQ(pipe.line(), "ready");

  ASSERT_EQ(kill(keeper_pid, SIGKILL), 0);

  EXPECT_EQ(front->code(), 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(FrontTest, LeavesNothingOfAKeeperThatForgetsItsChildren) {
  begin([](const Front&) {
    start_daemon();
    return 3;
  });

  EXPECT_EQ(front->code(), 3);
  expect_nothing_left();
}

TEST_F(FrontTest, SparesChildrenItWasBornWith) {
  Pipe other;
  begin([](const Front&) { return 3; },
        [&] {
          if (fork() == 0) {
            dup2(other.in.get(), 1);
            say(std::to_string(getpid()));
            while (true) pause();
          }
        });
  const pid_t spared = std::stoi(other.line());

  EXPECT_EQ(front->code(), 3);

  EXPECT_EQ(kill(spared, SIGKILL), 0);
  EXPECT_EQ(waitpid(spared, nullptr, 0), spared);
  expect_nothing_left();
}

TEST_F(FrontTest, StandsWithoutStandardStreams) {
  begin(
      [](const Front& seen) {
        const bool above = seen.signals_fd() > 2 && seen.gone_fd() > 2;
        const bool open = fcntl(0, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0;
        say(above && open ? "in order" : "mixed up");
        return 3;
      },
      [] {
        close(0);
        close(2);
      });

  EXPECT_EQ(pipe.line(), "in order");
  EXPECT_EQ(front->code(), 3);
  expect_nothing_left();
}

TEST_F(FrontTest, DoesNotHoldTheInput) {
  Pipe input;
  begin(
      [](const Front& seen) {
        give_up_input();
        return tell_signals(seen);
      },
      [&] {
        dup2(input.out.get(), 0);
        input.out = Fd();
        input.in = Fd();
      });
  EXPECT_EQ(pipe.line(), "ready");
  input.out = Fd();

  // Nobody reads any more, and whoever writes is told.
  pollfd entry{.fd = input.in.get(), .events = 0, .revents = 0};
  EXPECT_EQ(poll(&entry, 1, 20'000), 1);
  EXPECT_NE(entry.revents & POLLERR, 0);
  end_by_signal();
}

TEST_F(FrontTest, DoesNotWriteTwiceWhatWasBuffered) {
  begin([](const Front&) { return 0; }, [] { std::fputs("1\n", stdout); });
  keeper_pid = std::stoi(pipe.line());

  EXPECT_EQ(front->code(), 0);
  expect_nothing_left();
}

}  // namespace
}  // namespace tyer::env
