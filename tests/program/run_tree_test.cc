// tyer run: however it ends, no process of its command is left behind.

#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "program/run_command.h"

namespace tyer::testing {
namespace {

// L13: the whole process tree ends with the run. The pipe `alive` is open in every
// process of the tree and nowhere else; its end proves that none is left.
class RunTree : public RunAnywhere {
 protected:
  RunTree() {
    write_file("daemon.sh",
               "trap '' TERM HUP INT; echo $$ >daemon.pid; echo daemon >&9\n"
               "while :; do read x <never; done\n");
  }

  // A daemon of a session and parent of its own that nothing but SIGKILL ends, a
  // child that ends at once when told, and a command that does `then`.
  [[nodiscard]] static std::string tree(const std::string& then) {
    return "exec 9>alive\n"
           "sh -c 'setsid sh daemon.sh </dev/null >/dev/null 2>&1 &'\n"
           "sh -c 'echo child >&9; exec tail -f /dev/null' &\n"
           "echo command $$ >&9\n" +
           then;
  }

  // Until daemon, child and command have all said that they are there.
  [[nodiscard]] int wait_for_tree() {
    int command = -1;
    for (int i = 0; i < 3; ++i) {
      const auto words = split_words(alive.line());
      if (words.size() == 2 && words[0] == "command") command = std::stoi(words[1]);
    }
    EXPECT_GT(command, 0);
    return command;
  }

  void expect_nothing_left(const std::string& key_story) {
    EXPECT_TRUE(alive.everybody_is_gone());
    EXPECT_EQ(tyer("run K --wait 10s -- true").code, 0);
    EXPECT_EQ(story("lock/K"), key_story + " granted released");
  }

  // A short grace for the daemon, which does not listen.
  const std::string ttl = "--ttl 4s ";
  const std::string forever = "exec tail -f /dev/null";
  Fifo alive{dir / "alive"};
  Fifo never{dir / "never"};
};

INSTANTIATE_TEST_SUITE_P(Places, RunTree, anywhere, [](const auto& place) { return place.param; });

TEST_P(RunTree, IsGoneWhenTheCommandEnds) {
  Program running(run(ttl, tree("read x <go; exit 3")));
  (void)wait_for_tree();

  tell_go();

  EXPECT_EQ(running.finish().code, 3);
  expect_nothing_left("granted released");
}

TEST_P(RunTree, IsGoneAfterATerm) {
  Program running(run(ttl, tree(forever)));
  (void)wait_for_tree();

  signal_front(SIGTERM);

  EXPECT_EQ(running.finish().code, 128 + SIGTERM);
  expect_nothing_left("granted released");
}

TEST_P(RunTree, IsGoneAfterAKillOfTyer) {
  Program running(run(ttl, tree(forever)));
  (void)wait_for_tree();

  signal_front(SIGKILL);

  EXPECT_EQ(running.finish().code, 128 + SIGKILL);
  expect_nothing_left("granted released");
}

TEST_P(RunTree, IsGoneAfterAKillOfTheProcessThatHoldsTheLock) {
  Program running(run(ttl, tree(forever)));
  (void)wait_for_tree();

  ::kill(std::stoi(lease("pid")), SIGKILL);

  EXPECT_EQ(running.finish().code, 128 + SIGKILL);
  expect_nothing_left("granted lapsed:orphaned");
}

// What is killed may be in the same process group.
TEST_P(RunTree, IsAllThatIsKilled) {
  const std::string deaf =
      "trap '' TERM; sh -c 'echo command 1 >&9; while :; do read x <never; done' & exit 3";
  Program running(run(ttl, "exec 9>alive; " + deaf));

  EXPECT_EQ(alive.line(), "command 1");
  EXPECT_EQ(running.finish().code, 3);
  expect_nothing_left("granted released");
}

TEST_P(RunTree, IsGoneAfterAKillOfTheCommand) {
  Program running(run(ttl, tree(forever)));
  const int command = wait_for_tree();

  ::kill(command, SIGKILL);

  EXPECT_EQ(running.finish().code, 128 + SIGKILL);
  expect_nothing_left("granted released");
}

TEST_P(RunTree, IsGoneAfterTheLossOfTheLock) {
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(run(ttl, tree(forever)));
  (void)wait_for_tree();

  EXPECT_EQ(tyer("lock break K --yes").code, 0);

  EXPECT_EQ(running.finish().code, 4);
  expect_nothing_left("granted broken granted released");
}

TEST_P(RunTree, IsGoneAtTheTimeLimit) {
  Program running(run(ttl + "--max 600ms", tree(forever)));
  (void)wait_for_tree();

  EXPECT_EQ(running.finish().code, 5);
  expect_nothing_left("granted released");
}

// Nothing of the last run is at work when the next one begins.
TEST_P(RunTree, IsGoneBeforeAnotherGetsTheLock) {
  Program running(run(ttl, tree("read x <go")));
  (void)wait_for_tree();
  Program follower(follow());
  Program waiter(run("--wait 15s --owner waiter",
                     "kill -0 $(cat daemon.pid) 2>/dev/null && echo alive || echo gone"));
  ASSERT_TRUE(is_queued(follower, "waiter"));

  tell_go();

  EXPECT_EQ(running.finish().code, 0);
  EXPECT_EQ(waiter.finish().out, "gone\n");
}

}  // namespace
}  // namespace tyer::testing
