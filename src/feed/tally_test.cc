// What is used and how much there may be (W17).

#include "feed/tally.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "feed/shifts.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::must;
using testing::Texts;

class TallyTest : public ::testing::Test {
 protected:
  // The settings of the agent.
  void set(const AgentInput& input) {
    const std::string id = agent;
    must(world.decide([&](const core::View& view, const Ids&, Time) {
      return decide_edit_agent(view, id, input, {});
    }));
  }

  std::string used(const std::string& session, const std::string& name) {
    const std::string key =
        "tally/" + day_of(world.time.now) + "/" + agent + "/" + world.session_id(session);
    return world.state(key, name);
  }

  // A run that is done at that price.
  void work(const std::string& session, const std::string& run, std::int64_t cost = 0) {
    EXPECT_TRUE(world.begin(session, run).is_begun) << run;
    must(world.try_finish({.session = world.session_id(session),
                           .run = run,
                           .verdict = "done",
                           .text = "했습니다",
                           .input = 100,
                           .output = 10,
                           .cached = 1,
                           .cost = cost}));
  }

  // The session cannot begin, says so once in the thread, and goes on the next day.
  void expect_stop(const std::string& session, const std::string& post, const std::string& why) {
    EXPECT_EQ(world.ready(), (Texts{session}));
    const Begun begun = world.begin(session, "x1");
    EXPECT_FALSE(begun.is_begun);
    EXPECT_EQ(begun.why, why);
    EXPECT_EQ(begun.not_before, next_day_after(world.time.now));
    EXPECT_FALSE(world.begin(session, "x2").is_begun);
    EXPECT_EQ(world.thread_notices(post), (Texts{why}));
    EXPECT_EQ(world.ready(), Texts{});
    EXPECT_EQ(world.ready({}, true), Texts{});
    EXPECT_EQ(world.pending(session).size(), 1U);

    world.time.now = next_day_after(world.time.now);
    EXPECT_EQ(world.ready(), (Texts{session}));
    EXPECT_TRUE(world.begin(session, "x3").is_begun);
  }

  FeedWorld world;
  const Actor me = world.human();
  const std::string agent = world.agent("bot");
};

using Tally = TallyTest;
using Budgets = TallyTest;

TEST(Day, BeginsAtMidnightOfUtc) {
  const Time noon = must(parse_time("2026-12-31T12:00:00.000000Z"));
  EXPECT_EQ(day_of(noon), "2026-12-31");
  EXPECT_EQ(format_time(next_day_after(noon)), "2027-01-01T00:00:00.000000Z");
  EXPECT_EQ(next_day_after(next_day_after(noon)) - next_day_after(noon), Span(24h));
}

TEST_F(Tally, CountsRunsWhenTheyBeginAndCostWhenTheyEnd) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  EXPECT_EQ(used("bot/default", "runs"), "1");
  EXPECT_EQ(used("bot/default", "cost_micros"), "0");

  must(world.try_finish({.session = world.session_id("bot/default"),
                         .run = "r1",
                         .verdict = "failed",
                         .input = 5,
                         .cost = 7}));
  world.post(me, "@bot");
  work("bot/default", "r2", 3);

  EXPECT_EQ(used("bot/default", "runs"), "2");
  EXPECT_EQ(used("bot/default", "failed"), "1");
  EXPECT_EQ(used("bot/default", "input_tokens"), "105");
  EXPECT_EQ(used("bot/default", "output_tokens"), "10");
  EXPECT_EQ(used("bot/default", "cached_tokens"), "1");
  EXPECT_EQ(used("bot/default", "cost_micros"), "10");
}

TEST_F(Tally, IsOfADayAndAddsUpOverTheSessions) {
  world.post(me, "@bot/a @bot/b");
  work("bot/a", "r1", 3);
  work("bot/b", "r2", 4);
  Use use;
  const auto look = [&](const core::View& view) -> Result<> {
    TYER_TRY(use, used_by_agent(view, day_of(world.time.now), agent));
    return {};
  };

  world.read(look);
  EXPECT_EQ(use.runs, 2);
  EXPECT_EQ(use.cost, 7);
  world.pass(24h);
  world.read(look);
  EXPECT_EQ(use.runs, 0);
}

TEST_F(Tally, CountsALostRunAsFailed) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  world.break_lease(world.session_id("bot/default"));
  world.pump();

  EXPECT_EQ(used("bot/default", "runs"), "1");
  EXPECT_EQ(used("bot/default", "failed"), "1");
}

TEST_F(Budgets, StopTheRunsOfAnAgent) {
  set({.runs_per_day = 2});
  world.post(me, "@bot/a @bot/b");
  work("bot/a", "r1");
  work("bot/b", "r2");
  const std::string post = world.post(me, "@bot/a 더");

  expect_stop("bot/a", post, "budget reached: 2 of 2 runs of the agent today (runs_per_day)");
}

TEST_F(Budgets, StopTheCostOfAnAgent) {
  set({.cents_per_day = 5});
  world.post(me, "@bot/a @bot/b");
  work("bot/a", "r1", 49'999);
  work("bot/b", "r2", 30'000);
  const std::string post = world.post(me, "@bot/a 더");

  expect_stop("bot/a", post, "budget reached: 7 of 5 cents of the agent today (cents_per_day)");
}

TEST_F(Budgets, StopTheRunsOfASession) {
  set({.session_runs_per_day = 1});
  world.post(me, "@bot/a @bot/b");
  work("bot/a", "r1");
  work("bot/b", "r2");
  const std::string post = world.post(me, "@bot/a 더");

  expect_stop("bot/a", post,
              "budget reached: 1 of 1 runs of the session today (session_runs_per_day)");
}

TEST_F(Budgets, StopTheCostOfASession) {
  set({.session_cents_per_day = 1});
  world.post(me, "@bot/a @bot/b");
  work("bot/a", "r1", 10'000);
  work("bot/b", "r2", 9'999);
  const std::string post = world.post(me, "@bot/a 더");
  world.post(me, "@bot/b 더");
  work("bot/b", "r3", 0);

  expect_stop("bot/a", post,
              "budget reached: 1 of 1 cents of the session today (session_cents_per_day)");
}

// What is under way when a budget is reached still costs something.
TEST_F(Budgets, AreToldOnceThoughMoreIsUsed) {
  set({.cents_per_day = 1});
  world.post(me, "@bot/a @bot/b");
  world.begin("bot/b", "r2");
  work("bot/a", "r1", 10'000);
  const std::string post = world.post(me, "@bot/a 더");
  world.begin("bot/a", "x1");
  must(world.try_finish({.session = world.session_id("bot/b"),
                         .run = "r2",
                         .verdict = "done",
                         .text = "했습니다",
                         .cost = 50'000}));

  EXPECT_EQ(world.begin("bot/a", "x2").why,
            "budget reached: 6 of 1 cents of the agent today (cents_per_day)");

  EXPECT_EQ(world.thread_notices(post).size(), 1U);
  EXPECT_EQ(world.ready(), Texts{});
}

TEST_F(Budgets, AreToldWhereSomebodyWaitsAndNotWhereAnOlderRunHasFailed) {
  set({.runs_per_day = 1});
  const std::string old = world.post(me, "@bot");
  world.begin("bot/default", "r1");
  must(world.try_finish(
      {.session = world.session_id("bot/default"), .run = "r1", .verdict = "failed"}));
  const std::string post = world.post(me, "@bot 더");

  EXPECT_FALSE(world.begin("bot/default", "x1").is_begun);

  EXPECT_EQ(world.thread_notices(old).size(), 1U);
  ASSERT_EQ(world.thread_notices(post).size(), 1U);
  EXPECT_TRUE(world.thread_notices(post)[0].contains("budget reached"));
}

TEST_F(Budgets, AreToldInEveryThreadThatWaits) {
  set({.runs_per_day = 1});
  world.post(me, "@bot");
  work("bot/default", "r1");
  const std::string second = world.post(me, "@bot 둘");
  const std::string third = world.post(me, "@bot 셋");
  world.begin("bot/default", "x1");
  EXPECT_EQ(world.ready(), Texts{});

  const std::string fourth = world.post(me, "@bot 넷");
  world.comment(me, second, "@bot 둘?");
  EXPECT_EQ(world.ready(), (Texts{"bot/default"})) << "one that was not told";
  world.begin("bot/default", "x2");

  for (const std::string& post : {second, third, fourth}) {
    EXPECT_EQ(world.thread_notices(post).size(), 1U);
    EXPECT_EQ(world.status("thread/" + post), "unread");
  }
  EXPECT_EQ(world.ready(), Texts{});
  world.pass(24h);
  ASSERT_TRUE(world.begin("bot/default", "r2").is_begun);
  must(world.try_finish(
      {.session = world.session_id("bot/default"), .run = "r2", .verdict = "done", .text = "둘"}));
  world.begin("bot/default", "x3");
  EXPECT_EQ(world.thread_notices(third).size(), 2U) << "the next day is another one";
}

TEST_F(Budgets, LetGoOnWhenSomebodyRaisesThem) {
  set({.runs_per_day = 1});
  const std::string post = world.post(me, "@bot");
  work("bot/default", "r1");
  const std::string more = world.comment(me, post, "더");
  world.begin("bot/default", "x1");
  EXPECT_EQ(world.ready(), Texts{});

  set({.runs_per_day = 2});

  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
  work("bot/default", "r2");
  world.comment(me, post, "더");
  EXPECT_FALSE(world.begin("bot/default", "x2").is_begun);
  EXPECT_EQ(world.thread_notices(post).size(), 2U);
}

TEST_F(Budgets, OfASessionLeaveTheOthersReady) {
  set({.session_runs_per_day = 1});
  world.post(me, "@bot/a @bot/b");
  work("bot/a", "r1");
  world.post(me, "@bot/a 더");
  world.begin("bot/a", "x1");

  EXPECT_EQ(world.ready(), (Texts{"bot/b"}));
}

}  // namespace
}  // namespace tyer::feed
