// What happens to locks between several processes, on every store and through a hub: normal ends,
// refusals, crashes, silences, the same process again, and those who wait.

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/linux_clock.h"
#include "support/locks.h"

namespace tyer::testing {
namespace {

class LockScenario : public LockStores {};

INSTANTIATE_TEST_SUITE_P(Stores, LockScenario,
                         ::testing::Values("sqlite", "files", "postgres", "hub"),
                         [](const auto& store) { return store.param; });

// L13, L18: the first scenario.
TEST_P(LockScenario, IsTakenAndGivenBackByARunThatEndsNormally) {
  Program run(shell("$TYER run TSK-01-01 --command /wf:build -- sh -c 'echo at work; read x <go'"));
  ASSERT_TRUE(run.wait_for("at work"));
  EXPECT_EQ(tyer("lock check TSK-01-01").code, 0);

  tell_go();
  EXPECT_EQ(run.finish().code, 0);

  EXPECT_EQ(tyer("lock check TSK-01-01").code, 1);
  EXPECT_EQ(tyer("lock list --json").out, "[]\n");
  EXPECT_EQ(story("lock/TSK-01-01"), "granted released");
}

// L4, L16, L17: the second scenario.
TEST_P(LockScenario, RefusesASecondProcessAndSaysWhoAndSinceWhen) {
  Program agent(idle());
  const Acquired first =
      acquire("TSK-01-01 --command /wf:build --pid " + std::to_string(agent.pid()));

  const ProgramResult second = tyer("lock acquire TSK-01-01 --command /wf:build");

  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.out, "");
  EXPECT_TRUE(second.err.contains("TSK-01-01: /wf:build is running (pid " +
                                  std::to_string(agent.pid()) + " on "))
      << second.err;
  EXPECT_TRUE(second.err.contains(", started ")) << second.err;
  EXPECT_TRUE(second.err.contains(", heartbeat ")) << second.err;
  EXPECT_EQ(tyer("lock check TSK-01-01 --token " + first.token).code, 0);
}

// L10 step 2, L18: the third scenario.
TEST_P(LockScenario, IsTakenOverAtOnceFromAProcessThatDied) {
  auto agent = std::make_unique<Program>(idle());
  const int pid = agent->pid();
  const Acquired first = acquire("TSK-01-01 --pid " + std::to_string(pid));
  agent.reset();

  const ProgramResult next = tyer("lock acquire TSK-01-01 --no-keeper");

  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_TRUE(next.err.contains("took TSK-01-01 over from pid " + std::to_string(pid) + " on "))
      << next.err;
  EXPECT_TRUE(next.err.contains("no process " + std::to_string(pid))) << next.err;
  EXPECT_GT(std::stoll(split_words(next.out)[2]), std::stoll(first.token));  // L5
  EXPECT_EQ(story("lock/TSK-01-01"), "granted lapsed:orphaned granted");
}

// L6, L10 step 3, L12: the fourth scenario.
TEST_P(LockScenario, IsTakenOverFromAStoppedProcessWhichFindsOutWhenItGoesOn) {
  be_impatient();
  Program stopped(
      shell("set -- $($TYER lock acquire K --no-keeper); echo has $2 $3; read x <go\n"
            "$TYER lock check K --token $3; echo check $?\n"
            "$TYER lock renew K --session $2; echo renew $?\n"
            "$TYER lock release K --session $2; echo release $?\n"));
  ASSERT_TRUE(stopped.wait_for("has "));
  stopped.signal(SIGSTOP);

  Program successor(idle());
  const ProgramResult taken = tyer("lock acquire K --no-keeper --wait 15s --pid " +
                                   std::to_string(successor.pid()) + " --session successor");
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_TRUE(taken.err.contains("no heartbeat for ")) << taken.err;

  stopped.signal(SIGCONT);
  tell_go();
  const ProgramResult found = stopped.finish();
  EXPECT_TRUE(found.out.contains("check 1\n")) << found.out;
  EXPECT_TRUE(found.out.contains("renew 4\n")) << found.out;
  EXPECT_TRUE(found.out.contains("release 4\n")) << found.out;
  EXPECT_TRUE(found.err.contains("session successor does")) << found.err;
  EXPECT_EQ(story("lock/K"), "granted lapsed:silent granted");
}

// L9, L10 step 3, L12, L13: the same for `tyer run`, whose heart is stopped.
TEST_P(LockScenario, EndsARunThatWasStoppedForTooLongAndLostItsLock) {
  be_impatient();
  Program run(shell("exec $TYER run K -- sh -c 'echo $PPID; echo ready; exec tail -f /dev/null'"));
  ASSERT_TRUE(run.wait_for("ready"));
  const Json held = parse_json(tyer("lock list --json").out).value_or(Json());
  const int keeper = held[0]["pid"];
  ::kill(keeper, SIGSTOP);

  const ProgramResult taken = tyer("lock acquire K --no-keeper --wait 15s --session successor");
  EXPECT_EQ(taken.code, 0) << taken.err;
  ::kill(keeper, SIGCONT);
  const ProgramResult ended = run.finish();

  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_TRUE(ended.err.contains("the lock K was lost: ")) << ended.err;
  EXPECT_TRUE(ended.err.contains("successor")) << ended.err;  // L6
  EXPECT_EQ(story("lock/K"), "granted lapsed:silent granted");
}

// L7: Ctrl+C, then the same command again.
TEST_P(LockScenario, IsTakenOverAtOnceByANewSessionOfTheSameProcessOnly) {
  Program agent(idle());
  const std::string as_agent = " --pid " + std::to_string(agent.pid());
  const Acquired first = acquire("K" + as_agent);

  EXPECT_EQ(tyer("lock acquire K").code, 1) << "a different process";
  const Acquired again = acquire("K" + as_agent);

  EXPECT_NE(again.session, first.session);
  EXPECT_GT(std::stoll(again.token), std::stoll(first.token));  // L5
  EXPECT_EQ(tyer("lock renew K --session " + first.session).code, 4);
  EXPECT_EQ(tyer("lock check K --token " + first.token).code, 1);
  EXPECT_EQ(tyer("lock check K --token " + again.token).code, 0);
  EXPECT_EQ(story("lock/K"), "granted superseded granted");
}

// L7 for a shell that calls tyer: the caller is the holder.
TEST_P(LockScenario, IsHeldForTheCallerWhenNoProcessIsNamed) {
  const ProgramResult result =
      run_program(shell("$TYER lock acquire K --no-keeper; $TYER lock acquire K --no-keeper\n"
                        "sh -c '$TYER lock acquire K --no-keeper; echo other $?'\n"
                        "$TYER lock list --json"));

  EXPECT_TRUE(result.out.contains("other 1\n")) << result.out;
  EXPECT_EQ(story("lock/K"), "granted superseded granted");
}

// L13, L14: the failure flow of a duplicate run.
TEST_P(LockScenario, MakesTheSecondRunFailWithOneLineAndWorksAgainAfterAKill) {
  Program first(call({"run", "fetch_news", "--ttl", "300s", "--", "sh", "-c",
                      "echo ready; exec tail -f /dev/null"}));
  ASSERT_TRUE(first.wait_for("ready"));

  const ProgramResult second = tyer("run fetch_news --ttl 300s -- echo ran");
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.out, "");
  EXPECT_EQ(split_lines(second.err).size(), 1U) << second.err;
  EXPECT_TRUE(second.err.contains("fetch_news: ")) << second.err;

  first.signal(SIGKILL);
  EXPECT_EQ(first.finish().code, 128 + SIGKILL);
  const ProgramResult third = tyer("run fetch_news --ttl 300s --wait 10s -- echo ran");
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_EQ(third.out, "ran\n");
}

// L14: a crash of the run's keeper, which cannot say goodbye.
TEST_P(LockScenario, WorksAtOnceAfterAKillOfTheRunsKeeper) {
  Program first(call({"run", "K", "--", "sh", "-c", "echo ready; exec tail -f /dev/null"}));
  ASSERT_TRUE(first.wait_for("ready"));
  const Json held = parse_json(tyer("lock list --json").out).value_or(Json());

  ::kill(held[0]["pid"].get<int>(), SIGKILL);
  EXPECT_EQ(first.finish().code, 128 + SIGKILL);

  EXPECT_EQ(tyer("run K -- true").code, 0);
  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned granted released");
}

// L14: the limit of silence is the ttl, by the store's clock.
TEST_P(LockScenario, FreesALockWhoseTtlIsOverAndWhoseHolderIsStopped) {
  Program first(
      call({"run", "K", "--ttl", "1s", "--", "sh", "-c", "echo ready; exec tail -f /dev/null"}));
  ASSERT_TRUE(first.wait_for("ready"));
  const Json held = parse_json(tyer("lock list --json").out).value_or(Json());
  EXPECT_EQ(held[0]["silence"], 1000);
  const int keeper = held[0]["pid"];
  ::kill(keeper, SIGSTOP);

  const ProgramResult next = tyer("run K --wait 15s -- echo ran");
  ::kill(keeper, SIGKILL);

  EXPECT_EQ(next.out, "ran\n") << next.err;
  EXPECT_EQ(story("lock/K"), "granted lapsed:silent granted released");
}

// L10 step 4: heartbeats do not help.
TEST_P(LockScenario, IsTakenOverFromAHolderThatKeptItLongerThanItsTimeout) {
  Program agent(idle());
  ASSERT_EQ(tyer("lock acquire K --timeout 300ms --pid " + std::to_string(agent.pid())).code, 0);

  const ProgramResult next = tyer("lock acquire K --no-keeper --wait 15s");

  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_TRUE(next.err.contains("the limit is 300 ms")) << next.err;
  EXPECT_EQ(story("lock/K"), "granted lapsed:overdue granted");
}

// L8
TEST_P(LockScenario, ServesThoseWhoWaitInTheOrderTheyCame) {
  Program agent(idle());
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  std::vector<std::unique_ptr<Program>> waiters;
  for (const std::string name : {"first", "second", "third"}) {
    waiters.push_back(std::make_unique<Program>(call({"run", "K", "--wait", "15s", "--owner", name,
                                                      "--", "sh", "-c", "echo $0 >>order", name})));
    ASSERT_TRUE(is_queued(follower, name));
  }
  const Json seen = parse_json(tyer("lock list --json").out).value_or(Json());
  EXPECT_EQ(seen[0]["waiting"], 3);

  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);
  for (const auto& waiter : waiters) EXPECT_EQ(waiter->finish().code, 0);

  EXPECT_EQ(read_file("order"), "first\nsecond\nthird\n");
  EXPECT_FALSE(tyer("log wait --json").out.contains("lapsed"));
}

// L8: woken and not polling, also where a commit takes its time on the disk.
TEST_P(LockScenario, GoesToOneWhoWaitsAsSoonAsItIsReleased) {
  environment["TYER_DURABILITY"] = "full";
  Program agent(idle());
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  Program waiter(call({"run", "K", "--wait", "15s", "--owner", "waiter", "--", "echo", "got it"}));
  ASSERT_TRUE(is_queued(follower, "waiter"));

  const Span released = env::LinuxClock().mono();
  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);

  EXPECT_EQ(waiter.finish().out, "got it\n");
  EXPECT_LT(env::LinuxClock().mono() - released, 5s);
}

// L8
TEST_P(LockScenario, IsTheFirstToBecomeFreeOfAny) {
  Program agent(idle());
  const std::string as_agent = " --pid " + std::to_string(agent.pid());
  (void)acquire("a" + as_agent);
  const Acquired second = acquire("b" + as_agent);
  Program follower(follow());
  Program waiter(call(split_words("lock acquire a b --any --no-keeper --wait 15s --owner waiter")));
  ASSERT_TRUE(is_queued(follower, "waiter"));

  EXPECT_EQ(tyer("lock release b --session " + second.session).code, 0);
  const ProgramResult got = waiter.finish();

  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_TRUE(got.out.starts_with("b ")) << got.out;
  EXPECT_EQ(story("wait"), "granted granted released released") << "no ticket is left";
}

// L8: several are had together, and none before.
TEST_P(LockScenario, IsHadTogetherWithTheOthersThatWereAskedFor) {
  Program agent(idle());
  const Acquired held = acquire("b --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  Program waiter(call(split_words("lock acquire a b --no-keeper --wait 15s --owner waiter")));
  ASSERT_TRUE(is_queued(follower, "waiter"));
  EXPECT_EQ(tyer("lock check a").code, 1) << "not taken while the other is not to be had";

  EXPECT_EQ(tyer("lock release b --session " + held.session).code, 0);

  EXPECT_EQ(split_lines(waiter.finish().out).size(), 2U);
}

// L8: woken by death, which no release tells.
TEST_P(LockScenario, GoesToOneWhoWaitsAsSoonAsTheHolderDies) {
  auto agent = std::make_unique<Program>(idle());
  (void)acquire("K --pid " + std::to_string(agent->pid()));
  Program follower(follow());
  Program waiter(call({"run", "K", "--wait", "15s", "--owner", "waiter", "--", "echo", "got it"}));
  ASSERT_TRUE(is_queued(follower, "waiter"));

  const Span died = env::LinuxClock().mono();
  agent.reset();

  EXPECT_EQ(waiter.finish().out, "got it\n");
  EXPECT_LT(env::LinuxClock().mono() - died, 5s);
  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned granted released");
}

// L8
TEST_P(LockScenario, IsNotGivenToOneWhosePatienceIsOver) {
  Program agent(idle());
  (void)acquire("K --command /wf:build --pid " + std::to_string(agent.pid()));

  const ProgramResult result = tyer("run K --wait 50ms -- echo ran");

  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.contains("K: /wf:build is running")) << result.err;
  EXPECT_EQ(story("wait/lock/K"), "granted released");
}

// L8: who gives up leaves no ticket.
TEST_P(LockScenario, ForgetsOneWhoIsInterruptedWhileItWaits) {
  Program agent(idle());
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  for (const auto& [verb, number] :
       {std::pair("run", SIGINT), {"run", SIGTERM}, {"run", SIGHUP}, {"lock acquire", SIGTERM}}) {
    const bool runs = std::string_view(verb) == "run";
    const std::string owner = fmt::format("{}{}", runs ? "runner" : "asker", number);
    std::vector<std::string> words = split_words(verb + (" K --wait 15s --owner " + owner));
    if (runs) words.insert(words.end(), {"--", "true"});
    Program waiter(call(words));
    ASSERT_TRUE(is_queued(follower, owner));

    waiter.signal(number);
    const ProgramResult result = waiter.finish();

    EXPECT_EQ(result.code, 128 + number) << verb;
    EXPECT_EQ(result.err, "tyer: stopped waiting for the lock: interrupted\n");
    EXPECT_TRUE(story("wait/lock/K").ends_with("granted released")) << verb;
  }
  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);
  EXPECT_EQ(tyer("lock acquire K --no-keeper").code, 0);
}

// L8: a dead waiter does not hold up those behind it.
TEST_P(LockScenario, PassesOverAWaiterThatWasKilled) {
  Program agent(idle());
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  Program dead(call({"lock", "acquire", "K", "--wait", "15s", "--owner", "dead"}));
  ASSERT_TRUE(is_queued(follower, "dead"));
  dead.signal(SIGKILL);
  EXPECT_EQ(dead.finish().code, 128 + SIGKILL);

  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);

  EXPECT_EQ(tyer("lock acquire K --no-keeper").code, 0);
  EXPECT_EQ(story("wait/lock/K"), "granted lapsed:orphaned");
}

// L9, L18: the keeper ends with the process it keeps the lock for.
TEST_P(LockScenario, IsKeptForAnotherProcessAndEndsWithIt) {
  auto agent = std::make_unique<Program>(idle());
  const int pid = agent->pid();
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  ASSERT_EQ(tyer("lock acquire K --pid " + std::to_string(pid)).code, 0);
  Program follower(follow());
  EXPECT_EQ(tyer("lock check K").code, 0);

  agent.reset();

  ASSERT_TRUE(follower.wait_for("lease.lapsed"));
  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned");
  EXPECT_TRUE(tyer("log lock/K").out.contains("no process " + std::to_string(pid)));
  EXPECT_EQ(tyer("lock list --json").out, "[]\n");
}

// L4: exactly one of many contenders gets a free key.
TEST_P(LockScenario, GoesToExactlyOneOfManyWhoAskAtOnce) {
  const ProgramResult result = run_program(
      shell("one() { $TYER run K -- sh -c 'echo in >>got; read x <go' && return\n"
            "  echo $? >>refused; if [ $(wc -l <refused) -ge 5 ]; then echo go >go; fi; }\n"
            "for i in 1 2 3 4 5 6; do one & done; wait"));

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_file("got"), "in\n");
  EXPECT_EQ(read_file("refused"), "1\n1\n1\n1\n1\n");
}

// L6: the late deleter.
TEST_P(LockScenario, IsNeverReleasedByAnEarlierHolder) {
  auto agent = std::make_unique<Program>(idle());
  const Acquired first = acquire("K --pid " + std::to_string(agent->pid()));
  agent.reset();
  const Acquired second = acquire("K");

  EXPECT_EQ(tyer("lock release K --session " + first.session).code, 4);

  EXPECT_EQ(tyer("lock check K --token " + second.token).code, 0);
}

// L5: also across release.
TEST_P(LockScenario, HasTokensThatOnlyGrow) {
  long long last = 0;
  for (int i = 0; i < 4; ++i) {
    const Acquired got = acquire("K");
    EXPECT_GT(std::stoll(got.token), last);
    last = std::stoll(got.token);
    EXPECT_EQ(tyer("lock release K --session " + got.session).code, 0);
  }
}

}  // namespace
}  // namespace tyer::testing
