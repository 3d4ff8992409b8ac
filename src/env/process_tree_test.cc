#include "env/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "env/linux_child.h"
#include "support/forked.h"

namespace tyer::env {
namespace {

using testing::has_ended;
using testing::in_a_copy;
using testing::is_childless;
using testing::Pipe;

constexpr Span long_grace = 10s;  // Less than what the test itself waits.
constexpr Span short_grace = 50ms;

std::unique_ptr<Child> start(const Pipe& pipe, const std::string& script) {
  Spawn spawn;
  spawn.argv = {"/bin/sh", "-c", script};
  spawn.output = pipe.in.get();
  auto child = start_child(spawn);
  EXPECT_TRUE(child) << child.error().what;
  child.value()->let_go();
  return std::move(child).value();
}

// What is below a process of its own, which adopts orphans.
void below(const std::function<void(Pipe&)>& body) {
  in_a_copy([&] {
    ASSERT_TRUE(adopt_orphans());
    Pipe pipe;
    body(pipe);
  });
}

TEST(ProcessTree, OfAProcessThatStartedNothingIsEmpty) {
  below([](Pipe&) {
    EXPECT_TRUE(descendants().empty());
    EXPECT_TRUE(children().empty());
    EXPECT_EQ(end_descendants(long_grace), TreeEnd{});
  });
}

TEST(ProcessTree, HasGrandchildrenAfterTheirParents) {
  below([](Pipe& pipe) {
    const auto child = start(pipe, "sleep 1000 & echo $!; wait");
    const std::int64_t grandchild = std::stoll(pipe.line());

    EXPECT_EQ(descendants(), (std::vector{child->pid(), grandchild}));
    EXPECT_EQ(children(), (std::vector{child->pid()}));
    end_descendants(0s);
  });
}

TEST(ProcessTree, HasADaemonWhoseParentsAreGone) {
  below([](Pipe& pipe) {
    const auto child = start(pipe, "(setsid sh -c 'echo $$; exec sleep 1000' &)");
    const std::int64_t daemon = std::stoll(pipe.line());
    ASSERT_TRUE(child->wait(long_grace)->has_value());

    EXPECT_EQ(descendants(), (std::vector{daemon}));
    end_descendants(0s);
  });
}

TEST(ProcessTree, HasItsDeadReapedExceptTheOneThatIsNot) {
  below([](Pipe& pipe) {
    const auto kept = start(pipe, "exit 3");
    const auto other = start(pipe, "exit 4");
    ASSERT_TRUE(has_ended(static_cast<pid_t>(kept->pid())));
    ASSERT_TRUE(has_ended(static_cast<pid_t>(other->pid())));

    EXPECT_TRUE(descendants({.unreaped = kept->pid()}).empty());

    EXPECT_EQ(kept->wait(0s).value(), Exit{.code = 3});
    EXPECT_EQ(other->wait(0s).error().fault, Fault::broken);
  });
}

TEST(ProcessTree, DoesNotHaveWhatIsSpared) {
  below([](Pipe& pipe) {
    const auto spared = start(pipe, "sleep 1000 & echo $!; wait");
    static_cast<void>(pipe.line());
    const Exempt exempt{.spared = children()};
    const auto other = start(pipe, "exec sleep 1000");

    EXPECT_EQ(descendants(exempt), (std::vector{other->pid()}));
    EXPECT_EQ(end_descendants(0s, exempt), (TreeEnd{.killed = 1}));
    EXPECT_EQ(descendants().size(), 2U);
    end_descendants(0s);
  });
}

TEST(EndOfATree, IsLeftToThoseWhoEndWhenAsked) {
  below([](Pipe& pipe) {
    // Its child says it itself: only then has it put off the trap.
    start(pipe, "trap '/bin/echo cleaned; exit' TERM; sh -c 'echo ready; exec sleep 1000' & wait");
    start(pipe, "echo ready; exec sleep 1000");
    EXPECT_EQ(pipe.line(), "ready");
    EXPECT_EQ(pipe.line(), "ready");

    EXPECT_EQ(end_descendants(long_grace), TreeEnd{});

    EXPECT_TRUE(is_childless());
    EXPECT_EQ(pipe.rest(), "cleaned\n");
  });
}

TEST(EndOfATree, ComesToThoseWhoAreStopped) {
  below([](Pipe& pipe) {
    const auto child = start(pipe, "echo ready; exec sleep 1000");
    EXPECT_EQ(pipe.line(), "ready");
    ASSERT_TRUE(child->signal_group(SIGSTOP));

    EXPECT_EQ(end_descendants(long_grace), TreeEnd{});
    EXPECT_TRUE(is_childless());
  });
}

TEST(EndOfATree, IsForcedOnADaemonThatDoesNotListen) {
  below([](Pipe& pipe) {
    start(pipe, "(setsid sh -c 'trap \"\" TERM; echo ready; while :; do sleep 1000; done' &)");
    EXPECT_EQ(pipe.line(), "ready");

    const TreeEnd end = end_descendants(short_grace);

    EXPECT_GE(end.killed, 1U);
    EXPECT_EQ(end.left, 0U);
    EXPECT_TRUE(is_childless());
    EXPECT_EQ(pipe.rest(), "");
  });
}

TEST(EndOfATree, ComesAtOnceWithoutGrace) {
  below([](Pipe& pipe) {
    start(pipe, "trap 'echo asked' TERM; sleep 1000 & echo ready; while :; do wait; done");
    EXPECT_EQ(pipe.line(), "ready");

    EXPECT_EQ(end_descendants(0s), (TreeEnd{.killed = 2}));
    EXPECT_EQ(pipe.rest(), "");
  });
}

TEST(EndOfATree, LeavesTheExitOfTheUnreaped) {
  below([](Pipe& pipe) {
    const auto child = start(pipe, "echo ready; exec sleep 1000");
    EXPECT_EQ(pipe.line(), "ready");

    EXPECT_EQ(end_descendants(long_grace, {.unreaped = child->pid()}), TreeEnd{});
    EXPECT_EQ(child->wait(0s).value(), Exit{.signal = SIGTERM});
  });
}

TEST(EndOfATree, IsWhereOneWhoStartsOthersEnds) {
  below([](Pipe& pipe) {
    start(pipe, "trap '' TERM; echo ready; while :; do sleep 1000 & true; done");
    EXPECT_EQ(pipe.line(), "ready");

    EXPECT_EQ(end_descendants(0s).left, 0U);
    EXPECT_TRUE(is_childless());
    EXPECT_EQ(pipe.rest(), "");
  });
}

// Forks and ends in turn, for ever; with a session of its own each time if asked.
[[noreturn]] void hop(bool leaves_session) {
  while (true) {
    if (fork() > 0) _exit(0);
    if (leaves_session) setsid();
  }
}

void expect_end_of_hopper(bool leaves_session) {
  below([=](Pipe& pipe) {
    if (fork() == 0) {
      setsid();
      hop(leaves_session);
    }

    EXPECT_EQ(end_descendants(5ms).left, 0U);
    EXPECT_TRUE(is_childless());
    EXPECT_EQ(pipe.rest(), "");
  });
}

TEST(EndOfATree, CatchesOneWhoNeverStaysAProcess) {
  expect_end_of_hopper(false);
}

TEST(EndOfATree, CatchesOneWhoNeverStaysInAGroupEither) {
  expect_end_of_hopper(true);
}

TEST(EndOfATree, ReachesMoreThanCanBeWatchedAtOnce) {
  below([](Pipe& pipe) {
    start(pipe,
          "trap '' TERM; for i in 1 2 3 4 5 6 7 8 9 10; do "
          "for j in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; done; echo ready; wait");
    EXPECT_EQ(pipe.line(), "ready");

    EXPECT_EQ(end_descendants(0s), (TreeEnd{.killed = 101}));
    EXPECT_TRUE(is_childless());
  });
}

}  // namespace
}  // namespace tyer::env
