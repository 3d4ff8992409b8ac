// The real claude, codex and gemini below a keeper, with a model of ours: what `tyer agent run`
// promises (W2, W4, W5) holds for the programs as they are.

#include <unistd.h>

#include <array>
#include <csignal>

#include <gtest/gtest.h>

#include "base/id.h"
#include "base/json.h"
#include "env/linux_env.h"
#include "env/marked.h"
#include "env/wait_readable.h"
#include "support/demo.h"
#include "support/forked.h"
#include "support/program.h"
#include "support/real_agent.h"

namespace tyer::testing {
namespace {

constexpr Span hang_within = 120s;
constexpr int waits = 6;  // Of 20 s each: these programs take their time.

class AgentRuns : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!agent.version()) GTEST_SKIP() << GetParam() << " is not installed";
  }

  [[nodiscard]] ProgramCall call(std::vector<std::string> words) const {
    ProgramCall call{.words = std::move(words), .directory = agent.tree()};
    call.environment.insert(agent.environment().begin(), agent.environment().end());
    call.environment.erase("TYER_RUN");
    // It would try for minutes, and so says at once what it would say then.
    call.environment["CLAUDE_CODE_MAX_RETRIES"] = "0";
    return call;
  }

  [[nodiscard]] ProgramCall run(const std::string& prompt, const std::string& conversation = "") {
    std::vector<std::string> words{"agent",    "run",      "--backend",
                                   GetParam(), "--json",   "--permission",
                                   "all",      "--prompt", "A test.\n" + prompt};
    if (!conversation.empty()) words.insert(words.end(), {"--resume", conversation});
    return call(words);
  }

  // Waits until it says so.
  static bool says(Program& running, const std::string& text) {
    for (int i = 0; i < waits; ++i) {
      if (running.wait_for(text)) return true;
    }
    return false;
  }

  // Waits for the last attempt; what came of each of them is in `ends`.
  ProgramResult finish(Program& running) {
    EXPECT_TRUE(says(running, R"("next":"",)"));
    ProgramResult result = running.finish();
    for (const std::string& line : split_lines(result.out)) {
      Json json = parse_json_object(line).value_or(Json::object());
      if (json.contains("verdict")) ends.push_back(std::move(json));
      if (text_or(json, "kind") == "text") said += text_or(json, "text");
    }
    return result;
  }

  ProgramResult run_to_end(const std::string& prompt, const std::string& conversation = "") {
    ends.clear();
    said.clear();
    Program running(run(prompt, conversation));
    return finish(running);
  }

  [[nodiscard]] std::string verdicts() const {
    std::string all;
    for (const Json& end : ends) {
      const std::string verdict = text_or(end, "verdict");
      all += (all.empty() ? "" : " ") + (verdict.empty() ? text_or(end, "outcome") : verdict);
    }
    return all;
  }

  // The newest run, once its agent waits for an answer in vain.
  [[nodiscard]] Json hanging() {
    EXPECT_TRUE(env::wait_readable(model.hangs_fd(), hang_within).value_or(false));
    std::array<char, 4096> word{};
    EXPECT_GT(::read(model.hangs_fd(), word.data(), word.size()), 0);
    const ProgramResult listed = run_program(call({"runs", "list", "--json"}));
    const Json all = parse_json(listed.out, listed.out.size()).value_or(Json::array());
    EXPECT_EQ(all.size(), 1U) << listed.out;
    return all.empty() ? Json::object() : all.back();
  }

  void stop(const Json& run) const {
    EXPECT_EQ(run_program(call({"runs", "stop", text_or(run, "run")})).code, 0);
  }

  // All of them have a home that is this test's alone.
  void expect_no_process() const {
    for (const Json& end : ends) {
      const std::string mark = "TYER_RUN=" + text_or(end, "run");
      EXPECT_EQ(env::marked_processes(mark), std::vector<std::int64_t>());
    }
    const std::string home = "HOME=" + agent.environment().at("HOME");
    for (const std::int64_t pid : env::marked_processes(home)) {
      EXPECT_TRUE(has_ended(static_cast<pid_t>(pid)));
    }
    EXPECT_EQ(env::marked_processes(home), std::vector<std::int64_t>());
  }

  const StubModel model;
  RealAgent agent{GetParam(), model};
  std::vector<Json> ends;
  std::string said;
};

// W5
TEST_P(AgentRuns, KeepTheConversationAndGoOnWithIt) {
  const ProgramResult first = run_to_end("stub: say one");
  ASSERT_EQ(verdicts(), "done") << first.out << first.err;
  const std::string conversation = text_or(ends.back(), "conversation");
  ASSERT_NE(conversation, "");

  const ProgramResult second = run_to_end("stub: turns", conversation);
  EXPECT_EQ(verdicts(), "done") << second.out << second.err;
  EXPECT_EQ(said, "2");
  EXPECT_EQ(text_or(ends.back(), "conversation"), conversation);
  expect_no_process();
}

// W5
TEST_P(AgentRuns, BeginAnewOnceIfTheConversationIsUnknown) {
  env::LinuxEnv real;
  const std::string nobody = uuid7(real.env().clock.now(), real.env().random.bits());
  const ProgramResult result = run_to_end("stub: turns", nobody);

  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_EQ(verdicts(), "stale done") << result.out;
  EXPECT_EQ(said, "1");
  EXPECT_EQ(text_or(ends.front(), "conversation"), "");
  EXPECT_NE(text_or(ends.back(), "conversation"), nobody);
  expect_no_process();
}

// W4
TEST_P(AgentRuns, AreNotTriedAgainWithABadKey) {
  const ProgramResult result = run_to_end("stub: error 401");

  EXPECT_EQ(result.code, 4) << result.out << result.err;
  EXPECT_EQ(verdicts(), "credentials") << result.out;
  EXPECT_EQ(text_or(ends.back(), "conversation"), "");
  expect_no_process();
}

// W4
TEST_P(AgentRuns, AreTriedLaterIfTheServiceSaysSo) {
  if (GetParam() == std::string("gemini")) GTEST_SKIP() << "it tries for minutes by itself";
  Program running(run("stub: error 429"));
  ASSERT_TRUE(says(running, R"("verdict":"later")"));
  running.signal(SIGINT);

  EXPECT_EQ(finish(running).code, 130);
  EXPECT_EQ(verdicts(), "later stopped");
  expect_no_process();
}

// W2
TEST_P(AgentRuns, LeaveNothingBehindWhenTheyAreStopped) {
  Program running(run("stub: hang"));
  stop(hanging());

  EXPECT_EQ(finish(running).code, 130);
  EXPECT_EQ(verdicts(), "stopped");
  expect_no_process();
}

// W4
TEST_P(AgentRuns, AreTriedAgainWhenTheyAreKilled) {
  Program running(run("stub: hang"));
  const Json first = hanging();
  // The first of them is what the keeper has started.
  const auto agents = env::marked_processes("TYER_RUN=" + text_or(first, "run"));
  ASSERT_FALSE(agents.empty());
  ::kill(static_cast<pid_t>(agents.front()), SIGKILL);
  ASSERT_TRUE(says(running, R"("verdict":"interrupted")"));
  EXPECT_EQ(env::marked_processes("TYER_RUN=" + text_or(first, "run")),
            std::vector<std::int64_t>());
  stop(hanging());

  EXPECT_EQ(finish(running).code, 130);
  EXPECT_EQ(verdicts(), "interrupted stopped");
  expect_no_process();
}

TEST_P(AgentRuns, LeaveNothingBehindWhenTheirKeeperIsKilled) {
  Program running(run("stub: hang"));
  const auto keeper = static_cast<pid_t>(int_or(hanging(), "keeperPid"));
  ASSERT_GT(keeper, 1);
  ::kill(keeper, SIGKILL);

  EXPECT_EQ(finish(running).code, 1);
  EXPECT_EQ(verdicts(), "lost");
  expect_no_process();
}

INSTANTIATE_TEST_SUITE_P(Real, AgentRuns, ::testing::Values("claude", "codex", "gemini"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tyer::testing
