// What time alone changes.

#include "engine/timers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/aside.h"
#include "engine/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::due_body;
using testing::EngineWorld;
using testing::fault_of;
using testing::member;
using testing::must;

using Words = std::vector<std::string>;

// What happens when an item is due: by default its timer is cleared.
struct Bell {
  Words rung = {};
  std::function<Result<core::Change>(const core::Subject&, Time)> answer = clear;

  static Result<core::Change> clear(const core::Subject& item, Time) {
    return change_of(item.key, "item.noted", due_body(std::nullopt));
  }
  static Result<core::Change> refuse(const core::Subject&, Time) {
    return fail(Fault::invalid, "the bell is cracked");
  }

  core::OnDue on_due() {
    return [this](const core::View&, const core::Subject& item, Time now) {
      rung.push_back(item.key);
      return answer(item, now);
    };
  }
};

struct TimersTest : ::testing::Test {
  void run() { testing::run(timers, world.time.now); }

  void make(const std::string& key, std::optional<Time> due_at) {
    world.write(key, std::string(key.substr(0, key.find('/'))) + ".made", due_body(due_at));
  }
  void arm(const std::string& key, std::optional<Time> due_at) {
    world.write(key, "item.noted", due_body(due_at));
  }

  // An item whose timer fails at once, `times` times.
  void fail_times(const std::string& key, int times) {
    bell.answer = Bell::refuse;
    make(key, world.time.now);
    run();
    for (int i = 1; i < times; ++i) {
      world.pass(limits::rule_retry_most);
      run();
    }
    bell.rung.clear();
  }

  std::string aside_status(const std::string& key) {
    return world.status(aside_key(std::string(timer_rule), key));
  }

  Bell bell;
  EngineWorld world{{}, bell.on_due()};
  Timers timers{world.here.engine};
};

TEST_F(TimersTest, FireWhenTheTimeHasComeAndNotBefore) {
  make("item/a", world.time.now + 10s);

  EXPECT_EQ(must(timers.step(world.time.now)), world.time.now + limits::poll_every);
  world.pass(9900ms);
  EXPECT_EQ(must(timers.step(world.time.now)), world.time.now + 100ms);
  EXPECT_TRUE(bell.rung.empty());

  world.pass(100ms);
  EXPECT_EQ(must(timers.step(world.time.now)), world.time.now) << "there may be more";
  EXPECT_EQ(bell.rung, (Words{"item/a"}));
  EXPECT_EQ(world.types(), (Words{"item.made", "item.noted"}));
  EXPECT_EQ(world.events().back().actor, "timer");
}

TEST_F(TimersTest, AskSeldomWhileTheStoresTimeStandsStill) {
  make("item/a", world.time.now + 1ms);
  world.set_store_clock_error(-1h);

  EXPECT_EQ(must(timers.step(world.time.now)), world.time.now + 1ms);
  world.pass(1ms);
  EXPECT_EQ(must(timers.step(world.time.now)), world.time.now + limits::poll_every);
  EXPECT_TRUE(bell.rung.empty());

  world.pass(1h);
  run();
  EXPECT_EQ(bell.rung, (Words{"item/a"}));
}

TEST_F(TimersTest, GoByTheStoresClock) {
  make("item/a", world.time.now + 1h);
  world.laptop.set_clock_error(2h);

  const Time now = world.here.clock.now();
  EXPECT_GT(must(timers.step(now)), now);
  EXPECT_TRUE(bell.rung.empty());

  world.laptop.set_clock_error(-2h);
  world.pass(1h);
  run();
  EXPECT_EQ(bell.rung.size(), 1U);
}

TEST_F(TimersTest, WriteNothingWhenNothingIsDue) {
  make("item/a", world.time.now + 1h);
  make("item/b", std::nullopt);
  const int commits = world.here.store.commits;

  for (int i = 0; i < 5; ++i) {
    run();
    world.pass(limits::poll_every);
  }

  EXPECT_EQ(world.here.store.commits, commits);
}

TEST_F(TimersTest, FireInTheOrderOfTheirTimes) {
  make("item/a", world.time.now + 3s);
  make("item/b", world.time.now + 1s);
  make("item/c", world.time.now + 2s);
  world.pass(1min);

  run();

  EXPECT_EQ(bell.rung, (Words{"item/b", "item/c", "item/a"}));
}

TEST_F(TimersTest, FireAllOfManyInSeveralSteps) {
  core::Change change;
  for (std::size_t i = 0; i < limits::due_rows_max + 5; ++i) {
    change.events.push_back({.key = fmt::format("item/{:03}", i),
                             .type = "item.made",
                             .body = due_body(world.time.now)});
  }
  must(world.apply(change));

  EXPECT_EQ(must(timers.step(world.time.now)), world.time.now);
  EXPECT_EQ(bell.rung.size(), limits::due_rows_max);
  run();
  EXPECT_EQ(bell.rung.size(), limits::due_rows_max + 5);
}

TEST_F(TimersTest, LetASubjectRingAgainAndAgain) {
  bell.answer = [](const core::Subject& item, Time now) -> Result<core::Change> {
    return change_of(item.key, "item.noted", due_body(now + 1min));
  };
  make("item/a", world.time.now);

  for (int i = 0; i < 3; ++i) {
    run();
    world.pass(1min);
  }

  EXPECT_EQ(bell.rung.size(), 3U);
}

TEST_F(TimersTest, LeaveAloneWhatAnEarlierOneInTheBatchHasMoved) {
  bell.answer = [](const core::Subject&, Time) -> Result<core::Change> {
    core::Change change = change_of("item/a", "item.noted", due_body(std::nullopt));
    change.events.push_back(
        {.key = "item/b", .type = "item.closed", .body = due_body(std::nullopt)});
    return change;
  };
  make("item/a", world.time.now);
  make("item/b", world.time.now);

  run();

  EXPECT_EQ(bell.rung, (Words{"item/a"}));
}

TEST_F(TimersTest, DoNotRepeatWhatAnotherProcessDidInBetween) {
  make("item/a", world.time.now);
  Engine engine(world.here.env, *world.store, world.catalog, [&](const store::Work& work) {
    run();
    return store::write(*world.store, work);
  });

  must(Timers(engine).step(world.time.now));

  EXPECT_EQ(bell.rung.size(), 1U);
}

TEST_F(TimersTest, FireAgainWhenTheCommitFailed) {
  make("item/a", world.time.now);
  world.here.store.refuses_commits = true;
  EXPECT_EQ(fault_of(timers.step(world.time.now)), "limit");
  EXPECT_TRUE(world.subject("item/a")->due_at);

  world.here.store.refuses_commits = false;
  run();

  EXPECT_EQ(world.types(), (Words{"item.made", "item.noted"}));
}

TEST_F(TimersTest, AreNotBlamedForTheStoresTrouble) {
  bell.answer = [](const core::Subject&, Time) -> Result<core::Change> {
    return fail(Fault::timeout, "the store is busy");
  };
  make("item/a", world.time.now);

  EXPECT_EQ(fault_of(timers.step(world.time.now)), "timeout");
  EXPECT_EQ(world.head().seq, 1U);

  bell.answer = Bell::clear;
  run();
  EXPECT_EQ(world.types(), (Words{"item.made", "item.noted"}));
}

TEST_F(TimersTest, ThatFailAreTakenOffWithAnEventAndTriedAgain) {
  bell.answer = Bell::refuse;
  make("item/a", world.time.now);
  make("item/b", std::nullopt);

  run();

  EXPECT_EQ(world.types("item/a"), (Words{"item.made", "timer.failed"}));
  EXPECT_EQ(member(world.events("item/a").back().body, "error"), "the bell is cracked");
  EXPECT_FALSE(world.subject("item/a")->due_at);
  EXPECT_EQ(world.subject("item/a")->status, "open");
  EXPECT_EQ(aside_status("item/a"), "retrying");

  bell.answer = Bell::clear;
  world.pass(limits::rule_retry_first);
  run();

  EXPECT_EQ(world.types("item/a"), (Words{"item.made", "timer.failed", "item.noted"}));
  EXPECT_EQ(aside_status("item/a"), "cleared");
}

TEST_F(TimersTest, ThatFailDoNotHoldUpOthers) {
  bell.answer = [](const core::Subject& item, Time now) {
    return item.key == "item/bad" ? Bell::refuse(item, now) : Bell::clear(item, now);
  };
  make("item/bad", world.time.now - 1s);
  make("item/good", world.time.now);

  run();

  EXPECT_EQ(world.types("item/good"), (Words{"item.made", "item.noted"}));
}

TEST_F(TimersTest, ThatKeepFailingAreStuckInTheEnd) {
  fail_times("item/a", limits::rule_tries_max);

  EXPECT_EQ(aside_status("item/a"), "stuck");
  world.pass(100h);
  run();
  EXPECT_TRUE(bell.rung.empty());
}

TEST_F(TimersTest, ThatAreNotMovedCountAsFailed) {
  bell.answer = [](const core::Subject& item, Time now) -> Result<core::Change> {
    return item.key == "item/a" ? core::Change{}
                                : change_of(item.key, "item.noted", due_body(now - 1s));
  };
  make("item/a", world.time.now);
  make("item/b", world.time.now);

  run();

  EXPECT_EQ(world.types("item/a"), (Words{"item.made", "timer.failed"}));
  EXPECT_EQ(world.types("item/b"), (Words{"item.made", "timer.failed"}))
      << "what it wrote besides is undone";
}

TEST_F(TimersTest, OfAKindThatHasNoneCountAsFailed) {
  make("plain/a", world.time.now);

  run();

  EXPECT_EQ(world.types("plain/a"), (Words{"plain.made", "timer.failed"}));
  EXPECT_EQ(aside_status("plain/a"), "retrying");
}

TEST_F(TimersTest, OfAnUnknownKindDoNotHoldUpOthers) {
  make("plain/a", world.time.now);
  make("item/a", world.time.now);
  // A program that is older than the kind `plain`.
  const core::Catalog older({testing::world_kinds(bell.on_due()).front(), aside_kind()}, {});
  const auto there = world.seat(world.tower, older);

  must(Timers(there->engine).step(world.time.now));

  EXPECT_EQ(bell.rung, (Words{"item/a"}));
  EXPECT_FALSE(world.subject("plain/a")->due_at);
  EXPECT_EQ(aside_status("plain/a"), "retrying");
}

TEST_F(TimersTest, WithAnErrorOfAnyLengthAreTakenOff) {
  bell.answer = [](const core::Subject&, Time) -> Result<core::Change> {
    return fail(Fault::invalid, std::string(limits::event_body_bytes_max, 'e'));
  };
  make("item/a", world.time.now);

  run();

  EXPECT_EQ(world.types("item/a"), (Words{"item.made", "timer.failed"}));
}

TEST_F(TimersTest, SetAnewMakeTheOldFailureNobodysBusiness) {
  fail_times("item/a", 1);
  bell.answer = Bell::clear;
  arm("item/a", world.time.now + 1h);

  world.pass(limits::rule_retry_first);
  run();

  EXPECT_TRUE(bell.rung.empty()) << "it is not due";
  EXPECT_EQ(aside_status("item/a"), "cleared");
  world.pass(1h);
  run();
  EXPECT_EQ(bell.rung.size(), 1U);
}

TEST_F(TimersTest, SetAnewAfterTheyWereStuckMayFailAgain) {
  fail_times("item/a", limits::rule_tries_max);
  arm("item/a", world.time.now);
  make("item/b", world.time.now);

  run();

  EXPECT_EQ(bell.rung, (Words{"item/a", "item/b"}));
  EXPECT_EQ(aside_status("item/a"), "retrying");
  bell.answer = Bell::clear;
  world.pass(limits::rule_retry_first);
  run();
  EXPECT_EQ(aside_status("item/a"), "cleared");
}

TEST_F(TimersTest, SetAnewAfterTheyWereStuckClearTheFailureWhenTheyFire) {
  fail_times("item/a", limits::rule_tries_max);
  bell.answer = Bell::clear;
  arm("item/a", world.time.now);

  run();

  EXPECT_EQ(aside_status("item/a"), "cleared");
}

TEST_F(TimersTest, SetAnewAndFailingTogetherWithTheirOldFailureAreNotLost) {
  fail_times("item/a", 1);
  arm("item/a", world.time.now + limits::rule_retry_first / 2);
  world.pass(limits::rule_retry_first);

  run();

  EXPECT_FALSE(world.subject("item/a")->due_at);
  EXPECT_EQ(aside_status("item/a"), "retrying");
  bell.answer = Bell::clear;
  world.pass(limits::rule_retry_first);
  run();
  EXPECT_EQ(world.types("item/a").back(), "item.noted");
}

TEST_F(TimersTest, ThatAreSkippedByHandDoNotFireWhateverHappensNext) {
  fail_times("item/a", limits::rule_tries_max);
  bell.answer = Bell::clear;
  must(world.here.engine.apply({"alice"}, [](const core::View& view, Time now) {
    return skip_aside(view, aside_key(std::string(timer_rule), "item/a"), now);
  }));
  world.write("item/a", "item.noted");

  run();

  EXPECT_TRUE(bell.rung.empty());
  EXPECT_EQ(aside_status("item/a"), "cleared");
}

TEST_F(TimersTest, ThatAreRetriedByHandFireAtOnce) {
  fail_times("item/a", limits::rule_tries_max);
  bell.answer = Bell::clear;
  must(world.here.engine.apply({"alice"}, [](const core::View& view, Time now) {
    return retry_aside(view, aside_key(std::string(timer_rule), "item/a"), now);
  }));

  run();

  EXPECT_EQ(bell.rung, (Words{"item/a"}));
  EXPECT_EQ(aside_status("item/a"), "cleared");
}

}  // namespace
}  // namespace tyer::engine
