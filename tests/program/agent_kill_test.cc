// Whoever around an agent is killed, the run has one outcome and nothing of it is left.

#include <csignal>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
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

// Whoever is killed at whatever moment: one outcome, no lease, no process, and no line lost that
// somebody has seen.
TEST_F(AgentKill, SurvivesKillsAtAnyMoment) {
  be_impatient();
  enum class Victim { starter, keeper, front, agent, both, none };
  std::mt19937 dice(7);
  std::string script;
  for (int i = 1; i <= 30; ++i) script += fmt::format("demo: say line {}.\ndemo: sleep 0.002\n", i);
  for (int round = 0; round < 40; ++round) {
    const auto victim = static_cast<Victim>(round % 6);
    const bool leaves_daemon = dice() % 4 == 0;
    SCOPED_TRACE(fmt::format("round {}", round));
    Program running(agent((leaves_daemon ? "demo: daemonise\n" : "") + script, "--json"));
    ASSERT_TRUE(running.wait_for(fmt::format("line {}.", 1 + dice() % 25)));
    const std::string id = ids().back();
    const auto hit = [](std::int64_t pid) {
      if (pid > 1) ::kill(static_cast<pid_t>(pid), SIGKILL);
    };
    const std::int64_t keeper = keeper_of(id);
    const std::int64_t front = front_of(id);
    if (victim == Victim::starter) running.signal(SIGKILL);
    if (victim == Victim::keeper || victim == Victim::both) hit(keeper);
    if (victim == Victim::front || victim == Victim::both) hit(front);
    if (victim == Victim::agent) {
      for (const std::int64_t pid : env::marked_processes("TYER_RUN=" + id)) hit(pid);
    }
    const std::string shown = running.finish().out;
    (void)follow(id);

    std::string kept;
    for (const std::string& each : ids()) kept += transcript(each);
    for (const std::string& line : split_lines(shown)) {
      const bool is_note = line.ends_with('}') && line.contains(R"("n":)");
      EXPECT_TRUE(!is_note || kept.contains(line + "\n")) << line;
    }
    EXPECT_EQ(events(id, "run.ended"), 1U);
    EXPECT_EQ(env::marked_processes("TYER_RUN=" + id), std::vector<std::int64_t>());
  }
  expect_nothing_is_left();
}

}  // namespace
}  // namespace tyer::testing
