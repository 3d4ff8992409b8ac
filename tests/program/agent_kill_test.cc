// Whoever around an agent is killed, the run has one outcome and nothing of it is left. That it is
// so at any moment is shown by tests/torture/raid.h.

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/file_watch.h"
#include "env/linux_clock.h"
#include "env/marked.h"
#include "support/agent_runs.h"
#include "support/forked.h"

namespace tyer::testing {
namespace {

class AgentKill : public AgentRunTest {};

TEST_F(AgentKill, GoesOnWhenItsStarterIsKilled) {
  Program running(agent("demo: say here\ndemo: sleep 0.2\ndemo: say there"));
  ASSERT_TRUE(running.wait_for("here"));
  running.signal(SIGKILL);
  (void)running.finish();

  const ProgramResult rest = follow(ids().front());
  EXPECT_EQ(rest.code, 0);
  EXPECT_EQ(rest.out, "here\nthere\n");
  expect_nothing_is_left();
}

TEST_F(AgentKill, IsLostWithItsKeeper) {
  const std::string id = detach("demo: daemonise\ndemo: hang");
  const std::int64_t keeper = keeper_of(id);
  const std::int64_t front = front_of(id);
  ::kill(static_cast<pid_t>(keeper), SIGKILL);
  // The front writes the outcome before it ends.
  EXPECT_TRUE(has_ended(static_cast<pid_t>(front)));

  EXPECT_EQ(events(id, "run.ended"), 1U);
  EXPECT_EQ(verdicts(), "lost");
  EXPECT_EQ(follow(id).code, 1);
  expect_nothing_is_left();
}

// W10: whoever sees that its front is gone may begin the next run at once.
TEST_F(AgentKill, IsNotAskedToEndOnceItsFrontIsGone) {
  Program running(call({"agent", "run", "--backend", "command", "--prompt", "x", "--", "sh", "-c",
                        "trap 'echo asked >asked' TERM; echo ready; sleep 600 & wait; wait"}));
  ASSERT_TRUE(running.wait_for("ready"));
  const std::string id = ids().front();
  const auto keeper = static_cast<pid_t>(keeper_of(id));
  ::kill(static_cast<pid_t>(front_of(id)), SIGKILL);
  EXPECT_TRUE(has_ended(keeper));

  EXPECT_EQ(read_file(dir / "asked"), "");
  (void)running.finish();
  expect_nothing_is_left();
}

TEST_F(AgentKill, IsSettledByTheNextCommandIfKeeperAndFrontAreKilled) {
  const std::string id = detach("demo: daemonise\ndemo: ignore-term\ndemo: hang");
  const auto keeper = static_cast<pid_t>(keeper_of(id));
  const auto front = static_cast<pid_t>(front_of(id));
  ::kill(front, SIGSTOP);
  ::kill(keeper, SIGKILL);
  ::kill(front, SIGKILL);
  EXPECT_TRUE(has_ended(front));
  EXPECT_TRUE(has_ended(keeper));
  EXPECT_EQ(events(id, "run.ended"), 0U);

  const ProgramResult list = tyer("runs list");
  EXPECT_TRUE(list.err.contains(id)) << list.err;
  EXPECT_EQ(list.out, "No runs.\n");
  EXPECT_EQ(verdicts(), "lost");
  expect_nothing_is_left();
}

// It has no mark, and whoever would have adopted it is dead.
TEST_F(AgentKill, LeavesNoDaemonThatHasEmptiedItsEnvironment) {
  const ProgramResult result =
      tyer({"agent", "run", "--backend", "command", "--detach", "--json", "--prompt", "x", "--",
            "sh", "-c", "setsid env -i sleep 600 & echo $! >daemon; wait"});
  const Json run = parse_json_object(result.out).value_or(Json());
  const auto keeper = static_cast<pid_t>(int_or(run, "keeperPid"));
  const auto front = static_cast<pid_t>(int_or(run, "frontPid"));
  ASSERT_GT(keeper, 1);
  ASSERT_GT(front, 1);
  const std::string folder = dir / (".tyer/runs/" + text_or(run, "run"));
  std::string daemon;
  const Time until = env::LinuxClock().now() + give_up_after;
  while (daemon.empty() || !read_file(folder + "/processes").contains(daemon + " ")) {
    ASSERT_LT(env::LinuxClock().now(), until);
    const auto watch = env::FileWatch::open({folder, dir / "daemon"});
    if (watch) (void)(*watch)->wait(100ms);
    daemon = read_file(dir / "daemon").substr(0, read_file(dir / "daemon").find('\n'));
  }
  ::kill(front, SIGSTOP);
  ::kill(keeper, SIGKILL);
  ::kill(front, SIGKILL);
  EXPECT_TRUE(has_ended(keeper));
  EXPECT_TRUE(has_ended(front));

  EXPECT_EQ(tyer("runs list").code, 0);
  EXPECT_TRUE(has_ended(std::stoi(daemon)));
  EXPECT_EQ(verdicts(), "lost");
  expect_nothing_is_left();
}

// The moments before the agent says something: it is being prepared, started, or forked.
TEST_F(AgentKill, SurvivesKillsWhileItStarts) {
  be_impatient();
  for (int round = 0; round < 24; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    const ProgramResult result =
        ask("demo: ignore-term\ndemo: say here\ndemo: hang", "--detach --json");
    const Json run = parse_json_object(result.out).value_or(Json());
    const auto keeper = static_cast<pid_t>(int_or(run, "keeperPid"));
    const auto front = static_cast<pid_t>(int_or(run, "frontPid"));
    ASSERT_GT(keeper, 1);
    ASSERT_GT(front, 1);
    // Each look takes a moment, so the rounds meet it at different ones.
    for (int look = 0; look < round / 3; ++look) (void)env::marked_processes("TYER_RUN=nobody");
    if (round % 3 != 0) ::kill(front, SIGKILL);
    if (round % 3 != 1) ::kill(keeper, SIGKILL);
    if (round % 3 == 1) ::kill(keeper, SIGTERM);  // Both reasons at once.
    (void)follow(text_or(run, "run"));
  }
  expect_nothing_is_left();
}

}  // namespace
}  // namespace tyer::testing
