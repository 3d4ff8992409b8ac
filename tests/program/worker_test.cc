// tyer worker: what is written to agents is answered, by whom it was meant for (W8, W10, W14).

#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

class Worker : public WorkerTest {
 protected:
  Worker() { start_hub(); }
};

// Says what it is about and waits to be let go; what is to be answered comes last in its prompt.
constexpr const char* gated = R"(
ask=$(grep -o 'ask-[a-z0-9]*' | tail -n 1)
echo "$ask" >news
word=$(dd bs=64 count=1 <gate 2>/dev/null)  # A shell reads byte by byte, and others with it.
echo "$ask: $word")";

using Texts = std::vector<std::string>;

TEST_F(Worker, AnswersAMentionInItsThread) {
  make_agent("bot");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot please\ndemo: say it is done");
  await_answers(post, 1);

  EXPECT_EQ(answers(post), Texts{"it is done"});
  const auto comments = list("/api/posts/" + post + "/comments");
  ASSERT_EQ(comments.size(), 1U);
  EXPECT_EQ(text_or(comments[0], "author_name"), "bot");
  EXPECT_EQ(verdicts(session_of("bot")), "done");
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(1);
}

TEST_F(Worker, RunsTwoSessionsOfAnAgentAtOnce) {
  make_scripted("bot", gated);
  const auto worker = start_worker("bot");
  const std::string first = write_post("@bot ask-one");
  EXPECT_EQ(news->line(), "ask-one");
  // The first has not ended; the second is made by being called.
  const std::string second = write_post("@bot/리팩토링 ask-two");
  EXPECT_EQ(news->line(), "ask-two");
  EXPECT_FALSE(running(session_of("bot")).is_null());
  EXPECT_FALSE(running(session_of("bot/리팩토링")).is_null());
  gate->put("go");
  await("one answer", [&] { return answers(first).size() + answers(second).size() == 1; });
  gate->put("go");
  await_answers(first, 1);
  await_answers(second, 1);

  EXPECT_EQ(answers(first), Texts{"ask-one: go"});
  EXPECT_EQ(answers(second), Texts{"ask-two: go"});
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(2);
}

TEST_F(Worker, GoesOnWithTheConversationOfAFollowedThread) {
  make_agent("bot");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot/schema change it");
  await_answers(post, 1);
  const std::string session = session_of("bot/schema");
  const std::string conversation =
      people().get("/api/sessions/" + session).text("claude_session_id");
  write_comment(post, "add an index, too");
  await_answers(post, 2);

  EXPECT_NE(conversation, "");
  EXPECT_TRUE(answers(post).at(0).contains("in turn 1 of our conversation"));
  EXPECT_TRUE(answers(post).at(1).contains("in turn 2 of our conversation"));
  EXPECT_EQ(people().get("/api/sessions/" + session).text("claude_session_id"), conversation);
  EXPECT_EQ(verdicts(session), "done done");
  EXPECT_EQ(verdicts(session_of("bot")), "");
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(2);
}

TEST_F(Worker, LetsTheDefaultSessionAnswerWhenThereAreTooMany) {
  make_agent("bot");
  const auto worker = start_worker("bot");
  for (const char* name : {"one", "two", "three", "four"}) {
    await_answers(write_post(fmt::format("@bot/{} make yourself", name)), 1);
  }
  const std::string post = write_post("@bot/five make yourself");
  await_answers(post, 1);

  EXPECT_EQ(verdicts(session_of("bot")), "done");
  EXPECT_EQ(answers(post).size(), 1U);
  ASSERT_EQ(notices(post).size(), 1U);
  EXPECT_TRUE(notices(post)[0].contains("session limit reached")) << notices(post)[0];
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(5);
}

TEST_F(Worker, ServesOnlyTheDefaultSessionIfNobodySaysMore) {
  make_agent("bot");
  const auto worker = start_worker("bot", "");
  const std::string other = write_post("@bot/other hello");
  const std::string post = write_post("@bot hello");
  await_answers(post, 1);
  write_comment(post, "again");
  await_answers(post, 2);

  EXPECT_TRUE(answers(other).empty());
  EXPECT_EQ(verdicts(session_of("bot/other")), "");
}

TEST_F(Worker, ServesTheSessionThatItsEnvironmentNames) {
  const std::string agent = make_agent("bot");
  people().make("/api/agents/" + agent + "/sessions", {{"name", "Deploy"}});
  ProgramCall named = worker_call("bot", "");
  // As the program before us called them.
  for (const char* name : {"URL", "API_KEY"}) {
    named.environment[fmt::format("AGENTFEED_{}", name)] =
        named.environment.extract(fmt::format("TYER_{}", name)).mapped();
  }
  named.environment["AGENTFEED_SESSION"] = "deploy";
  const Program worker(named);
  const std::string other = write_post("@bot hello");
  const std::string post = write_post("@bot/deploy hello");
  await_answers(post, 1);
  write_comment(post, "again");
  await_answers(post, 2);

  EXPECT_TRUE(answers(other).empty());
}

TEST_F(Worker, SaysWhichSessionsThereAre) {
  make_agent("bot");
  const ProgramResult result = run_program(worker_call("bot", "--session nobody"));
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.err.contains("the agent has no session 'nobody'; there are default"))
      << result.err;
}

TEST_F(Worker, IsRefusedWithABadKey) {
  make_agent("bot");
  ProgramCall wrong = worker_call("bot", "");
  wrong.environment["TYER_API_KEY"].back() ^= 1;
  const ProgramResult result = run_program(wrong);
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_FALSE(result.err.contains(wrong.environment["TYER_API_KEY"])) << result.err;
  wrong.environment.erase("TYER_API_KEY");
  EXPECT_EQ(run_program(wrong).code, 2);
}

TEST_F(Worker, ServesAllAgentsWhoseKeysItHas) {
  make_agent("ann");
  make_agent("bob");
  make_agent("eve");
  ProgramCall both = worker_call("ann", "--all-agents");
  both.environment["TYER_API_KEYS"] = key_of("bob") + " " + key_of("ann");
  Program worker(both);
  const std::string other = write_post("@eve hello");
  const std::string post = write_post("@ann and @bob/late hello");
  await_answers(post, 2);

  EXPECT_EQ(verdicts(session_of("ann")), "done");
  EXPECT_EQ(verdicts(session_of("bob/late")), "done");
  EXPECT_TRUE(answers(other).empty());
  EXPECT_EQ(leave(worker).code, 0);
}

TEST_F(Worker, ServesTheOthersIfAKeyIsBadAndSaysWhich) {
  make_agent("ann");
  make_agent("bob");
  ProgramCall some = worker_call("ann", "--all-agents");
  std::string bad = key_of("bob");
  bad.back() = bad.back() == 'x' ? 'y' : 'x';
  some.environment["TYER_API_KEYS"] = key_of("ann") + "," + bad + ",hunter2";
  some.environment["TYER_API_KEY"] += "\n";  // As a file has it that was read.
  Program worker(some);
  await_answers(write_post("@ann hello"), 1);
  const ProgramResult result = leave(worker);

  EXPECT_EQ(result.code, 0) << result.err;
  const std::string shown = "ty_" + bad.substr(23, 6);
  EXPECT_TRUE(result.err.contains("key 2 of TYER_API_KEYS (" + shown + "…)")) << result.err;
  EXPECT_TRUE(result.err.contains("key 3 of TYER_API_KEYS (which is not a key")) << result.err;
  EXPECT_FALSE(result.err.contains("TYER_API_KEY (")) << result.err;
  for (const std::string& secret : {bad, key_of("ann"), std::string("hunter2")}) {
    EXPECT_FALSE(result.err.contains(secret)) << result.err;
  }
}

TEST_F(Worker, IsRefusedIfNoneOfItsKeysIsGood) {
  make_agent("ann");
  ProgramCall none = worker_call("ann", "--all-agents");
  none.environment.erase("TYER_API_KEY");
  const ProgramResult empty = run_program(none);
  EXPECT_EQ(empty.code, 2);
  EXPECT_TRUE(empty.err.contains("no keys: TYER_API_KEYS says")) << empty.err;

  none.environment["TYER_API_KEYS"] = "one two";
  const ProgramResult bad = run_program(none);
  EXPECT_EQ(bad.code, 4) << bad.err;
  EXPECT_TRUE(bad.err.contains("none of 2 keys is good")) << bad.err;
}

TEST_F(Worker, QueuesWhatComesWhileItRuns) {
  make_scripted("bot", gated);
  const auto worker = start_worker("bot");
  const std::string first = write_post("@bot ask-1");
  EXPECT_EQ(news->line(), "ask-1");
  Texts posts;
  for (int i = 2; i <= 5; ++i) posts.push_back(write_post(fmt::format("@bot ask-{}", i)));
  for (int i = 2; i <= 5; ++i) {
    EXPECT_FALSE(news->has_line());
    gate->put("go");
    EXPECT_EQ(news->line(), fmt::format("ask-{}", i));
  }
  gate->put("go");
  await_answers(posts.back(), 1);

  EXPECT_EQ(verdicts(session_of("bot")), "done done done done done");
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(5);
}

TEST_F(Worker, LeavesASessionToOneOfManyWorkers) {
  make_scripted("bot", gated);
  const auto one = start_worker("bot");
  const auto two = start_worker("bot");
  const auto three = start_worker("bot");
  const std::string post = write_post("@bot ask-1");
  for (int i = 1; i <= 6; ++i) {
    EXPECT_EQ(news->line(), fmt::format("ask-{}", i));
    EXPECT_FALSE(news->has_line());
    if (i < 6) write_comment(post, fmt::format("ask-{}", i + 1));
    gate->put("go");
  }
  await_answers(post, 6);

  EXPECT_EQ(answers(post).size(), 6U);
  for (Program* worker : {one.get(), two.get(), three.get()}) EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(6);
}

TEST_F(Worker, RunsNoMoreAtATimeThanItIsTold) {
  make_scripted("bot", gated);
  const auto worker = start_worker("bot", "--all-sessions --max-runs 1");
  const std::string first = write_post("@bot ask-1");
  EXPECT_EQ(news->line(), "ask-1");
  const std::string second = write_post("@bot/b ask-2");
  gate->put("go");
  EXPECT_EQ(news->line(), "ask-2");
  gate->put("go");
  await_answers(second, 1);

  const Json one = runs(session_of("bot")).at(0);
  const Json two = runs(session_of("bot/b")).at(0);
  EXPECT_LE(text_or(one, "ended_at"), text_or(two, "started_at"));
  EXPECT_EQ(run_program(worker_call("bot", "--max-runs 0")).code, 2);
  EXPECT_EQ(leave(*worker).code, 0);
}

TEST_F(Worker, BringsAHubIfThereIsNone) {
  make_agent("ann");
  make_agent("bob");
  const std::string post = write_post("@ann and @bob/x hello");
  end_hub(SIGTERM);
  work_place = dir.path();
  Program worker(call({"worker"}));
  // Another hub on the same store is only there to look.
  start_hub();
  await_answers(post, 2);
  EXPECT_EQ(leave(worker).code, 0);
  expect_all_is_well(2);
}

TEST_F(Worker, SaysSoIfItsHubWasForgotten) {
  make_agent("bot");
  for (const char* options : {"", "--session x", "--all-sessions"}) {
    ProgramCall forgotten = worker_call("bot", options);
    forgotten.environment.erase("TYER_URL");
    if (*options != '\0') forgotten.environment.erase("TYER_API_KEY");
    const ProgramResult result = run_program(forgotten);
    EXPECT_NE(result.code, 0) << options;
    EXPECT_TRUE(result.err.contains("TYER_URL")) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(work_place + "/.tyer")) << "a store was made";
}

// W8: directly on a store, also for one session of one agent.
TEST_F(Worker, ServesOnAStoreTheSessionOfItsKey) {
  make_agent("ann");
  make_agent("bob");
  const std::string wanted = write_post("@ann/wanted hello");
  const std::string other = write_post("@ann @bob hello");
  work_place = dir.path();
  ProgramCall near = call(split_words("worker --session wanted"));
  near.environment["TYER_API_KEY"] = key_of("ann");
  Program worker(near);

  await_answers(wanted, 1);

  EXPECT_EQ(leave(worker).code, 0);
  EXPECT_EQ(answers(other), Texts{});
  near.environment["TYER_API_KEY"] = key_of("ann") + "x";
  const ProgramResult refused = run_program(near);
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(refused.err.contains("TYER_URL")) << refused.err;
}

TEST_F(Worker, ServesOneSessionOrAll) {
  make_agent("bot");
  for (const char* all : {"--all-sessions", "--all-agents"}) {
    const ProgramResult result =
        run_program(worker_call("bot", std::string("--session default ") + all));
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_TRUE(result.err.contains("one too many")) << result.err;
  }
}

TEST_F(Worker, SaysSoIfItsHubIsNotThere) {
  make_agent("bot");
  end_hub(SIGKILL);
  const ProgramResult result = run_program(worker_call("bot", ""));
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_TRUE(result.err.contains(url().substr(7))) << result.err;
}

TEST_F(Worker, LetsWhatRunsFinishAndTakesNothingNewWhenItLeaves) {
  make_scripted("bot", gated);
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot ask-1");
  EXPECT_EQ(news->line(), "ask-1");
  worker->signal(SIGTERM);
  const std::string later = write_post("@bot ask-2");
  gate->put("go");
  EXPECT_EQ(worker->finish().code, 0);

  EXPECT_EQ(answers(post), Texts{"ask-1: go"});
  EXPECT_TRUE(answers(later).empty());
  gate->put("go");
  const auto next = start_worker("bot");
  await_answers(later, 1);
  EXPECT_EQ(leave(*next).code, 0);
  expect_all_is_well(2);
}

}  // namespace
}  // namespace tyer::testing
