// tyer agent run and tyer runs: what came of a run is written once, and nothing of it is left.

#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/marked.h"
#include "support/agent_runs.h"
#include "support/postgres_server.h"

namespace tyer::testing {
namespace {

class AgentRun : public AgentRunTest {};

TEST_F(AgentRun, ShowsWhatTheAgentSays) {
  ASSERT_EQ(tyer("init").code, 0);
  const ProgramResult result = ask("demo: say one\ndemo: tool Bash ls\ndemo: say two\x1b[31m");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "one\ntwo\\x1b[31m\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(verdicts(), "done");
  expect_nothing_is_left();
}

TEST_F(AgentRun, TakesItsPromptFromWhereItIs) {
  write_file("prompt", "demo: say from a file");
  EXPECT_EQ(tyer("agent run --backend demo --prompt-file prompt").out, "from a file\n");
  ProgramCall shell =
      call({"-c", std::string("exec ") + TYER_PROGRAM + " agent run --backend demo <prompt"});
  shell.program = "/bin/sh";
  EXPECT_EQ(run_program(shell).out, "from a file\n");
  EXPECT_EQ(tyer("agent run --backend demo").code, 2);
}

TEST_F(AgentRun, RefusesWhatCannotBeRun) {
  EXPECT_EQ(tyer("agent run --prompt x").code, 2);
  EXPECT_EQ(tyer("agent run --backend nobody --prompt x").code, 2);
  EXPECT_EQ(ask("hello", "--dir nowhere").code, 2);
  EXPECT_EQ(ask("hello", "--max-output 0").code, 2);
  EXPECT_EQ(ask("hello", "--max soon").code, 2);
  EXPECT_EQ(tyer("agent run --backend demo --prompt a --prompt-file b").code, 2);
  const ProgramResult none = tyer("agent run --backend command --prompt x -- no-such-program");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(none.err.contains("no-such-program")) << none.err;
  EXPECT_EQ(tyer("runs show 1").code, 1);
  EXPECT_EQ(tyer("runs stop 1").code, 1);
  expect_nothing_is_left();
}

TEST_F(AgentRun, WorksWhereItIsToldAndAsItIsAllowed) {
  std::filesystem::create_directory(dir / "sub");
  EXPECT_EQ(ask("demo: edit made.txt x", "--dir sub").code, 0);
  EXPECT_FALSE(has_file("sub/made.txt"));
  EXPECT_EQ(ask("demo: edit made.txt x", "--dir sub --permission edit").code, 0);
  EXPECT_TRUE(has_file("sub/made.txt"));
  EXPECT_EQ(verdicts(), "hindered done");
}

// W4
TEST_F(AgentRun, TriesAgainThreeTimesInAll) {
  const ProgramResult result = ask("demo: fail 3 no luck");

  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(verdicts(), "failed failed failed");
  EXPECT_EQ(ask("demo: crash").code, 1);
  EXPECT_EQ(verdicts(), "failed failed failed interrupted interrupted interrupted");
  expect_nothing_is_left();
}

// W5
TEST_F(AgentRun, ResumesAndBeginsAnewOnceWhatIsForgotten) {
  EXPECT_EQ(ask("hello").code, 0);
  const std::string conversation = shown(ids().front(), "conversation");
  ASSERT_NE(conversation, "");
  EXPECT_TRUE(ask("hello", "--resume " + conversation).out.contains("turn 2"));

  const ProgramResult anew = ask("hello", "--resume forgotten");
  EXPECT_EQ(anew.code, 0) << anew.err;
  EXPECT_TRUE(anew.out.contains("turn 1")) << anew.out;
  EXPECT_EQ(verdicts(), "done done stale done");
  EXPECT_EQ(shown(ids()[2], "conversation"), "");
  expect_nothing_is_left();
}

// W2
TEST_F(AgentRun, EndsAtItsLimitsAndIsNotTriedAgain) {
  const ProgramResult wall = ask("demo: hang", "--max 300ms");
  EXPECT_EQ(wall.code, 5);
  EXPECT_TRUE(wall.err.contains("its time limit")) << wall.err;
  EXPECT_EQ(ask("demo: say x\ndemo: hang", "--idle 300ms").code, 5);
  EXPECT_EQ(verdicts(), "timed_out timed_out");
  expect_nothing_is_left();
}

TEST_F(AgentRun, SurvivesGarbageAndClosedOutput) {
  EXPECT_EQ(ask("demo: garbage 3000000\ndemo: say still here").out, "still here\n");
  EXPECT_EQ(ask("demo: say x\ndemo: close-output\ndemo: sleep 0.2").code, 1);
  EXPECT_EQ(verdicts(), "done interrupted interrupted interrupted");
  expect_nothing_is_left();
}

// A prompt of more than a pipe holds, and nobody who reads it.
TEST_F(AgentRun, IsNotHeldUpByAnAgentThatNeverReads) {
  write_file("prompt", std::string(1 << 20, 'x'));
  const ProgramResult result =
      tyer("agent run --backend command --prompt-file prompt --max 10s -- echo here");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "here\n");
}

// W2
TEST_F(AgentRun, LeavesNoDaemonBehind) {
  EXPECT_EQ(ask("demo: daemonise\ndemo: daemonise\ndemo: say done").code, 0);

  expect_nothing_is_left();
}

TEST_F(AgentRun, StopsWhenItIsInterrupted) {
  Program running(agent("demo: say here\ndemo: hang"));
  ASSERT_TRUE(running.wait_for("here"));

  running.signal(SIGINT);
  const ProgramResult result = running.finish();

  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(verdicts(), "stopped");
  expect_nothing_is_left();
}

// W2: asked, waited for, killed.
TEST_F(AgentRun, KillsWhatIsDeafToAStop) {
  be_impatient();
  Program running(agent("demo: ignore-term\ndemo: daemonise\ndemo: say here\ndemo: hang"));
  ASSERT_TRUE(running.wait_for("here"));

  const std::string id = ids().front();
  EXPECT_EQ(env::marked_processes("TYER_RUN=" + id).size(), 2U);
  EXPECT_EQ(tyer("runs stop " + id).code, 0);

  EXPECT_EQ(running.finish().code, 130);
  expect_nothing_is_left();
}

// W12b
TEST_F(AgentRun, RefusesAStopForAnEarlierIncarnation) {
  Program running(agent("demo: say here\ndemo: rate-limit 600", "--json"));
  ASSERT_TRUE(running.wait_for(R"("verdict":"later")"));
  const std::vector<std::string> all = ids();
  ASSERT_EQ(all.size(), 2U);

  const ProgramResult late = tyer("runs stop " + all[0]);
  EXPECT_EQ(late.code, 4);
  EXPECT_TRUE(late.err.contains(all[1])) << late.err;
  EXPECT_EQ(events(all[1], "run.stop_asked"), 0U);
  // The one that waits can be stopped by its own name.
  EXPECT_EQ(tyer("runs stop " + all[1]).code, 0);
  EXPECT_EQ(running.finish().code, 130);
  EXPECT_EQ(verdicts(), "later stopped");
  expect_nothing_is_left();
}

// docs/formats/agents.md
TEST_F(AgentRun, OfAnAgentOfOnesOwnIsDoneThoughSomethingWasMissing) {
  write_file("agent.sh", R"(
cat >/dev/null
echo '{"status":"hindered","result":"almost all","error":"the network was missing"}')");

  const ProgramResult result =
      tyer("agent run --backend command --prompt x -- sh " + (dir / "agent.sh"));

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "almost all\n");
  EXPECT_TRUE(result.err.contains("the network was missing")) << result.err;
  EXPECT_EQ(verdicts(), "hindered");
  expect_nothing_is_left();
}

TEST_F(AgentRun, KeepsNoSecret) {
  environment["MY_API_KEY"] = "hunter2-secret";
  EXPECT_EQ(tyer("agent run --backend command --prompt x -- sh -c true").code, 0);

  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / ".tyer")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_FALSE(read_file(entry.path()).contains("hunter2-secret")) << entry.path();
  }
  const auto rights = std::filesystem::status(dir / ".tyer/runs").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_all);
}

class AgentRunOn : public AgentRunTest, public ::testing::WithParamInterface<const char*> {
 protected:
  AgentRunOn() {
    static int spaces = 0;
    const std::string kind = GetParam();
    if (kind == "files") environment["TYER_STORE"] = "files:" + (dir / "plain");
    if (kind != "postgres") return;
    environment["TYER_STORE"] = shared_postgres().url();
    environment["TYER_SPACE"] = fmt::format("runs{}", ++spaces);
  }
};

TEST_P(AgentRunOn, IsRecordedAndStoppedLikeAnywhere) {
  EXPECT_EQ(ask("demo: say hello").out, "hello\n");
  const std::string id = detach("demo: say x\ndemo: hang");
  EXPECT_EQ(tyer("runs stop " + id).code, 0);
  EXPECT_EQ(follow(id).code, 130);

  EXPECT_EQ(verdicts(), "done stopped");
  EXPECT_TRUE(transcript(ids().front()).contains(R"("text":"hello")"));
  expect_nothing_is_left();
}

TEST_P(AgentRunOn, IsTriedAgainResumedAndCut) {
  EXPECT_EQ(ask("demo: fail 3 no luck").code, 1);
  EXPECT_EQ(ask("hello").code, 0);
  const std::string conversation = shown(ids().back(), "conversation");
  EXPECT_TRUE(ask("hello", "--resume " + conversation).out.contains("turn 2"));
  EXPECT_EQ(ask("demo: hang", "--max 300ms").code, 5);

  EXPECT_EQ(verdicts(), "failed failed failed done done timed_out");
  expect_nothing_is_left();
}

TEST_P(AgentRunOn, IsLostWithItsKeeperAndSettledByTheNextCommandWithoutItsFront) {
  const auto hit = [](std::int64_t pid, int signal) {
    ASSERT_GT(pid, 1);
    ::kill(static_cast<pid_t>(pid), signal);
  };
  const std::string first = detach("demo: daemonise\ndemo: hang");
  hit(keeper_of(first), SIGKILL);
  EXPECT_EQ(follow(first).code, 1);
  const std::string second = detach("demo: daemonise\ndemo: hang");
  hit(front_of(second), SIGSTOP);
  hit(keeper_of(second), SIGKILL);
  hit(front_of(second), SIGKILL);
  EXPECT_EQ(follow(second).code, 1);

  EXPECT_EQ(verdicts(), "lost lost");
  expect_nothing_is_left();
}

INSTANTIATE_TEST_SUITE_P(Stores, AgentRunOn, ::testing::Values("sqlite", "files", "postgres"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tyer::testing
