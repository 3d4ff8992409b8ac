// What was set aside comes back: by itself for a while, then by hand.

#include "engine/aside.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/limits.h"
#include "engine/pump.h"
#include "engine/timers.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::EngineWorld;
using testing::fault_of;
using testing::must;

using Numbers = std::vector<std::uint64_t>;
using Words = std::vector<std::string>;

// A rule that notes what it was shown of items and fails on some of it.
struct AsideScript {
  Numbers shown = {};
  Numbers heard = {};  // Without a failure.
  std::set<std::string> refused = {};
  Fault fault = Fault::invalid;

  core::Rule rule() {
    return {"echo",
            {"item.made", "item.noted"},
            [this](const core::View&, const core::Event& event, Time) { return decide(event); }};
  }

  Result<core::Change> decide(const core::Event& event) {
    shown.push_back(event.seq);
    if (refused.contains(event.key)) return fail(fault, "no");
    heard.push_back(event.seq);
    return change_of("echo/a", "echo.heard");
  }
};

struct AsideTest : ::testing::Test {
  // Lets pump and timers do all that can be done now.
  void run() {
    for (int i = 0; i < 100; ++i) {
      const Result<Time> pumped = pump.step(world.time.now);
      const Result<Time> timed = timers.step(world.time.now);
      ASSERT_TRUE(pumped && timed);
      if (*pumped > world.time.now && *timed > world.time.now) return;
    }
    FAIL() << "there is always more to do";
  }

  std::string status() { return world.status(key); }
  std::string state(const std::string& name) { return world.state(key, name); }

  // As a person would, through `decide`.
  Result<Applied> by_hand(Result<core::Change> (*decide)(const core::View&, const std::string&,
                                                         Time)) {
    return world.here.engine.apply(
        {"alice"}, [&](const core::View& view, Time now) { return decide(view, key, now); });
  }

  void get_stuck() {
    script.refused = {"item/a"};
    world.write("item/a", "item.made");
    run();
    for (int i = 1; i < limits::rule_tries_max; ++i) {
      world.pass(limits::rule_retry_most);
      run();
    }
    ASSERT_EQ(status(), "stuck");
  }

  const std::string key = aside_key("echo", "item/a");
  AsideScript script;
  EngineWorld world{{script.rule()}};
  Pump pump{world.here.engine};
  Timers timers{world.here.engine};
};

TEST_F(AsideTest, IsTriedAgainAfterAPauseAndClearedOnceItPasses) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  script.refused.clear();

  world.pass(limits::rule_retry_first - 1us);
  run();
  EXPECT_TRUE(script.heard.empty());
  world.pass(1us);
  run();

  EXPECT_EQ(script.heard, (Numbers{1}));
  EXPECT_EQ(status(), "cleared");
  EXPECT_FALSE(world.subject(key).value().due_at);
  EXPECT_EQ(world.types("aside"), (Words{"aside.failed", "aside.passed", "aside.cleared"}));
}

TEST_F(AsideTest, PausesTwiceAsLongAfterEachFailureAndIsStuckAfterTheLast) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();

  Span pause = limits::rule_retry_first;
  for (int tries = 1; tries < limits::rule_tries_max; ++tries) {
    EXPECT_EQ(status(), "retrying");
    EXPECT_EQ(world.subject(key).value().due_at, world.time.now + pause);
    EXPECT_EQ(state("tries"), std::to_string(tries));
    world.pass(pause);
    run();
    pause *= 2;
  }

  EXPECT_EQ(status(), "stuck");
  EXPECT_FALSE(world.subject(key).value().due_at);
  EXPECT_EQ(state("error"), "no");
  EXPECT_EQ(script.shown.size(), static_cast<std::size_t>(limits::rule_tries_max));
}

TEST_F(AsideTest, ThatIsStuckIsLeftAloneAndCostsNothing) {
  get_stuck();
  script.refused.clear();
  script.shown.clear();
  const int commits = world.here.store.commits;

  world.pass(1000h);
  run();

  EXPECT_TRUE(script.shown.empty());
  EXPECT_EQ(world.here.store.commits, commits);
}

TEST_F(AsideTest, ThatIsStuckKeepsLaterEventsWaitingAndOnlyThose) {
  get_stuck();
  script.refused.clear();
  script.heard.clear();

  world.write("item/a", "item.noted");
  const std::uint64_t other = world.write("item/b", "item.made").seq;
  run();

  EXPECT_EQ(script.heard, (Numbers{other}));
}

TEST_F(AsideTest, BringsTheEventsThatWaitedInTheirOrderAndOnce) {
  script.refused = {"item/a"};
  Numbers expected{world.write("item/a", "item.made").seq};
  run();
  for (int i = 0; i < 3; ++i) {
    expected.push_back(world.write("item/a", "item.noted").seq);
    world.write("plain/" + std::to_string(i), "plain.made");
    run();
  }
  script.refused.clear();

  world.pass(limits::rule_retry_first);
  run();
  expected.push_back(world.write("item/a", "item.noted").seq);
  run();

  EXPECT_EQ(script.heard, expected);
  EXPECT_EQ(status(), "cleared");
}

TEST_F(AsideTest, CountsTheTriesOfEachEventAnew) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  world.write("item/a", "item.noted");
  run();
  world.pass(limits::rule_retry_first);
  run();
  ASSERT_EQ(state("tries"), "2");

  // The first passes, the second does not.
  must(world.here.engine.write([&](store::Txn& txn) -> Result<> {
    TYER_TRY(const auto aside, find_aside(txn, "echo", "item/a"));
    script.refused.clear();
    return try_again(txn, world.catalog, *aside);
  }));
  script.refused = {"item/a"};
  run();

  EXPECT_EQ(script.heard, (Numbers{1}));
  EXPECT_EQ(state("at"), "2");
  EXPECT_EQ(state("tries"), "1");
}

TEST_F(AsideTest, CanHappenToTheSameSubjectAgain) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  script.refused.clear();
  world.pass(limits::rule_retry_first);
  run();
  ASSERT_EQ(status(), "cleared");

  script.refused = {"item/a"};
  const std::uint64_t seq = world.write("item/a", "item.noted").seq;
  run();

  EXPECT_EQ(status(), "retrying");
  EXPECT_EQ(state("tries"), "1");
  EXPECT_EQ(state("at"), std::to_string(seq));
}

TEST_F(AsideTest, ThatIsRetriedByHandIsTriedAtOnceAndGoesOn) {
  get_stuck();
  const std::uint64_t noted = world.write("item/a", "item.noted").seq;
  run();
  script.refused.clear();

  must(by_hand(retry_aside));
  run();

  EXPECT_EQ(script.heard, (Numbers{1, noted}));
  EXPECT_EQ(status(), "cleared");
}

TEST_F(AsideTest, ThatIsRetriedByHandHasAllItsTriesAgain) {
  get_stuck();

  must(by_hand(retry_aside));
  run();

  EXPECT_EQ(status(), "retrying");
  EXPECT_EQ(state("tries"), "1");
}

TEST_F(AsideTest, ThatIsSkippedLeavesOutOneEventForGood) {
  get_stuck();
  const std::uint64_t noted = world.write("item/a", "item.noted").seq;
  run();
  script.refused.clear();

  must(by_hand(skip_aside));
  run();

  EXPECT_EQ(script.heard, (Numbers{noted}));
  EXPECT_EQ(status(), "cleared");
}

TEST_F(AsideTest, CannotBeRetriedOrSkippedIfThereIsNone) {
  EXPECT_EQ(fault_of(by_hand(retry_aside)), "not_found");
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  script.refused.clear();
  world.pass(limits::rule_retry_first);
  run();

  EXPECT_EQ(fault_of(by_hand(retry_aside)), "not_found");
  EXPECT_EQ(fault_of(by_hand(skip_aside)), "not_found");
}

TEST_F(AsideTest, IsClearedWhenItsRuleIsNoMore) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  const core::Catalog ruleless(testing::world_kinds({}), {});
  const auto there = world.seat(world.tower, ruleless);

  world.pass(limits::rule_retry_first);
  must(Timers(there->engine).step(world.time.now));

  EXPECT_EQ(status(), "cleared");
}

TEST_F(AsideTest, IsNotCountedAsTriedWhenTheStoreIsInTrouble) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  script.fault = Fault::unavailable;
  world.pass(limits::rule_retry_first);
  const std::uint64_t head = world.head().seq;

  EXPECT_EQ(fault_of(timers.step(world.time.now)), "unavailable");
  EXPECT_EQ(world.head().seq, head);

  script.refused.clear();
  run();
  EXPECT_EQ(script.heard, (Numbers{1}));
}

TEST_F(AsideTest, IsTriedByOneOfSeveralProcesses) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  script.refused.clear();
  script.shown.clear();
  world.pass(limits::rule_retry_first);
  Engine engine(world.here.env, *world.store, world.catalog, [&](const store::Work& work) {
    run();
    return store::write(*world.store, work);
  });

  must(Timers(engine).step(world.time.now));

  EXPECT_EQ(script.shown, (Numbers{1}));
}

TEST_F(AsideTest, SkipsEventsOfKeysBelowIts) {
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run();
  core::Change below;
  for (std::size_t i = 0; i < limits::pump_events_max + 5; ++i) {
    below.events.push_back({.key = fmt::format("item/a/{}", i), .type = "item.made"});
  }
  must(world.apply(below));
  const std::uint64_t noted = world.write("item/a", "item.noted").seq;
  run();
  script.refused.clear();
  script.heard.clear();

  world.pass(limits::rule_retry_first);
  run();

  EXPECT_EQ(script.heard, (Numbers{1, noted}));
}

TEST(AsideKey, IsReadableWhileItFitsAndUniqueBeyond) {
  EXPECT_EQ(aside_key("echo", "item/a"), "aside/echo/item/a");
  const std::string fits = "item/" + std::string(limits::key_bytes_max - 16, 'x');
  EXPECT_EQ(aside_key("echo", fits).size(), limits::key_bytes_max);

  const std::string one = aside_key("echo", fits + "1");
  const std::string two = aside_key("echo", fits + "2");
  EXPECT_LE(one.size(), limits::key_bytes_max);
  EXPECT_NE(one, two);
}

}  // namespace
}  // namespace tyer::engine
