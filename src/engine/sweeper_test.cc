// Who is convicted, on what evidence, and when not (L10).

#include "engine/sweeper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/limits.h"
#include "engine/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::EngineWorld;
using testing::fault_of;
using testing::grant_for;
using testing::member;
using testing::must;
using testing::Seat;

struct SweeperTest : ::testing::Test {
  void sweep() { must(sweeper.step(world.time.now)); }

  // Sweeps every `sweep_every` until `span` has passed.
  void sweep_for(Span span) {
    for (Span passed{}; passed < span; passed += limits::sweep_every) {
      world.pass(limits::sweep_every);
      sweep();
    }
  }

  bool is_held() { return world.lease("lock/a").has_value(); }

  void beat(const Seat& seat) {
    must(world.apply({.renewals = {{"lock/a", world.lease("lock/a")->token, seat.clock.mono()}}}));
  }

  // What the newest event says of the lease that ended.
  std::string told(const std::string& name) {
    const core::Event event = world.events().back();
    return event.type == "lease.lapsed" ? member(event.body, name) : event.type;
  }

  EngineWorld world;
  Sweeper sweeper{world.here.engine};
  std::unique_ptr<Seat> near = world.seat(world.laptop);
  std::unique_ptr<Seat> far = world.seat(world.tower);
};

TEST_F(SweeperTest, EndsTheLeaseOfAProcessThatIsGoneAtOnceWithTheEvidence) {
  const core::Lease lease = world.give(grant_for(*near, "lock/a"));
  world.laptop.end_process(near->pid);

  sweep();

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("verdict"), "orphaned");
  EXPECT_EQ(told("why"), fmt::format("no process {}", near->pid));
  EXPECT_EQ(told("run"), lease.holder.run);
  EXPECT_EQ(world.events().back().actor, "sweeper/laptop");
}

// L10: who says that it was heard in a year that is far away is silent three minutes after we saw
// that, as anybody else.
TEST_F(SweeperTest, CountsTheSilenceOfALeaseFromTheFutureFromNowOn) {
  core::Lease lease = world.give(grant_for(*far, "lock/a"));
  lease.heard_at = lease.granted_at += 7000 * 366 * 24h;
  lease.heard_mono = lease.granted_mono = std::nullopt;
  must(store::write(*world.store, [&](store::Txn& txn) -> Result<> {
    txn.put(lease);
    return {};
  }));

  sweep_for(limits::silence_max);
  EXPECT_TRUE(is_held());
  EXPECT_LE(world.lease("lock/a")->granted_at, world.time.now);
  sweep_for(limits::silence_confirm + 2 * limits::sweep_every);

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("verdict"), "silent");
}

TEST_F(SweeperTest, IsNotFooledByAPidThatWasUsedAgain) {
  world.give(grant_for(*near, "lock/a"));
  world.laptop.end_process(near->pid);
  world.pass(1s);
  world.laptop.start_process(near->pid);

  sweep();

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("verdict"), "orphaned");
}

TEST_F(SweeperTest, EndsTheLeasesOfAnEarlierBoot) {
  world.give(grant_for(*near, "lock/a"));
  world.laptop.restart();
  world.laptop.start_process(near->pid);

  sweep();

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("why"), "the machine was restarted since");
}

TEST_F(SweeperTest, LeavesTheLivingAloneAndWritesNothing) {
  world.give(grant_for(*near, "lock/a"));
  const int commits = world.here.store.commits;

  EXPECT_EQ(must(sweeper.step(world.time.now)), world.time.now + limits::sweep_every);
  sweep_for(1min);

  EXPECT_TRUE(is_held());
  EXPECT_EQ(world.here.store.commits, commits);
}

TEST_F(SweeperTest, BelievesASilenceOnlyAfterItHasLastedForAWhile) {
  world.give(grant_for(*near, "lock/a"));
  sweep_for(limits::silence_max);
  const std::uint64_t head = world.head().seq;
  world.pass(1s);
  sweep();
  const Time seen = world.time.now;

  while (world.time.now - seen < limits::silence_confirm) {
    EXPECT_TRUE(is_held());
    EXPECT_EQ(world.head().seq, head);
    sweep_for(limits::sweep_every);
  }

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("verdict"), "silent");
}

TEST_F(SweeperTest, ForgetsASilenceThatWasBroken) {
  world.give(grant_for(*near, "lock/a"));
  sweep_for(limits::silence_max + 10s);
  beat(*near);
  sweep_for(limits::silence_max);
  EXPECT_TRUE(is_held());

  world.pass(1s);
  sweep();

  EXPECT_TRUE(is_held()) << "this is another silence";
}

TEST_F(SweeperTest, DoesNotHoldASilenceAgainstTheNextHolder) {
  world.give(grant_for(*near, "lock/a"));
  sweep_for(limits::silence_max + 10s);
  core::Grant next = grant_for(*near, "lock/a");
  next.silence_max = 1s;
  must(world.apply(
      {.endings = {{.key = "lock/a", .token = world.lease("lock/a")->token}}, .grants = {next}}));

  sweep_for(10s);

  EXPECT_TRUE(is_held()) << "silent, but not for as long as it takes";
  sweep_for(10s);
  EXPECT_FALSE(is_held());
}

TEST_F(SweeperTest, DoesNotConvictForTheTimeTheMachineSlept) {
  world.give(grant_for(*near, "lock/a"));
  sweep();
  world.laptop.suspend();
  world.pass(10h);
  world.laptop.resume();

  sweep();
  sweep_for(1min);

  EXPECT_TRUE(is_held());
}

TEST_F(SweeperTest, CountsASilenceAnewAfterItSleptItself) {
  world.give(grant_for(*far, "lock/a"));
  sweep_for(limits::silence_max + 10s);
  ASSERT_TRUE(is_held());
  world.laptop.suspend();
  world.pass(1h);
  world.laptop.resume();

  sweep();
  EXPECT_TRUE(is_held()) << "the other machine may have slept as well";
  sweep_for(10s);
  EXPECT_TRUE(is_held());
  sweep_for(5s);
  EXPECT_FALSE(is_held());
}

TEST_F(SweeperTest, CountsASilenceAnewAfterItWasStoppedForLong) {
  world.give(grant_for(*far, "lock/a"));
  sweep_for(limits::silence_max + 10s);
  ASSERT_TRUE(is_held());

  world.pass(limits::silence_confirm + 1s);
  sweep();

  EXPECT_TRUE(is_held());
}

TEST_F(SweeperTest, CountsASilenceAnewAfterTheStoreFailed) {
  for (const bool reads_fail : {true, false}) {
    world.give(grant_for(*far, "lock/a"));
    sweep_for(limits::silence_max + 10s);
    ASSERT_TRUE(is_held());

    world.pass(limits::sweep_every);
    std::atomic<bool>& trouble =
        reads_fail ? world.here.store.cut : world.here.store.refuses_commits;
    trouble = true;
    EXPECT_NE(fault_of(sweeper.step(world.time.now)), "none");
    trouble = false;

    sweep_for(limits::sweep_every);
    EXPECT_TRUE(is_held()) << "the holder could not beat either";
    sweep_for(10s);
    EXPECT_TRUE(is_held());
    sweep_for(5s);
    EXPECT_FALSE(is_held());
  }
}

TEST_F(SweeperTest, ProvesWithAWriteThatWritesGoThrough) {
  world.give(grant_for(*far, "lock/a"));
  world.pass(limits::silence_max + 1s);
  const int commits = world.here.store.commits;
  const std::uint64_t head = world.head().seq;

  sweep();

  EXPECT_EQ(world.here.store.commits, commits + 1);
  EXPECT_EQ(world.head().seq, head) << "it is not an event";
}

TEST_F(SweeperTest, EndsALeaseThatIsHeldTooLongThoughItBeats) {
  world.give(grant_for(*near, "lock/a"));
  for (Span held{}; held < limits::hold_max; held += limits::heartbeat_every) {
    sweep();
    EXPECT_TRUE(is_held());
    world.pass(limits::heartbeat_every);
    beat(*near);
  }
  sweep();
  EXPECT_TRUE(is_held()) << "at the limit itself it still stands";
  world.pass(1us);

  sweep();

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("verdict"), "overdue");
}

TEST_F(SweeperTest, JudgesAHolderOnAnotherMachineByTheStoresTime) {
  world.give(grant_for(*far, "lock/a"));
  world.laptop.set_clock_error(100h);
  world.tower.set_clock_error(-100h);
  sweep_for(limits::silence_max);
  EXPECT_TRUE(is_held());

  sweep_for(20s);

  EXPECT_FALSE(is_held());
  EXPECT_EQ(told("verdict"), "silent");
}

TEST_F(SweeperTest, NeverLooksForTheProcessOfAnotherMachine) {
  world.give(grant_for(*far, "lock/a"));
  world.laptop.end_process(far->pid);
  sweep();
  EXPECT_TRUE(is_held()) << "that pid is free here, which says nothing";

  world.tower.end_process(far->pid);
  world.laptop.start_process(far->pid);
  sweep();
  EXPECT_TRUE(is_held()) << "it is gone there, which cannot be seen from here";

  const auto colleague = world.seat(world.tower);
  Sweeper there(colleague->engine);
  must(there.step(world.time.now));
  EXPECT_FALSE(is_held());
  EXPECT_EQ(world.events().back().actor, "sweeper/tower");
}

TEST_F(SweeperTest, FindsTheDeadAmongMoreLeasesThanItReadsAtOnce) {
  core::Change change;
  for (std::size_t i = 0; i < limits::sweep_rows_max + 20; ++i) {
    change.grants.push_back(grant_for(world.here, fmt::format("lock/{:04}", i)));
  }
  change.grants.back().holder = near->processes.self("run");
  must(world.apply(change));
  world.laptop.end_process(near->pid);

  sweep();

  EXPECT_FALSE(world.lease(change.grants.back().key));
  EXPECT_EQ(world.head().seq, change.grants.size() + 1);
}

TEST_F(SweeperTest, EndsManyInSeveralSteps) {
  core::Change change;
  for (std::size_t i = 0; i < limits::sweep_rows_max + 20; ++i) {
    change.grants.push_back(grant_for(*near, fmt::format("lock/{:04}", i)));
  }
  must(world.apply(change));
  world.laptop.end_process(near->pid);

  sweep();
  EXPECT_EQ(world.head().seq, change.grants.size() + limits::sweep_rows_max);
  sweep();
  EXPECT_EQ(world.head().seq, 2 * change.grants.size());
}

TEST_F(SweeperTest, EndsALeaseOnceThoughAnotherSweeperSawTheSame) {
  world.give(grant_for(*near, "lock/a"));
  world.laptop.end_process(near->pid);
  // The other sweeper comes between this one's look and its transaction.
  Engine engine(world.here.env, *world.store, world.catalog, [&](const store::Work& work) {
    sweep();
    return store::write(*world.store, work);
  });

  must(Sweeper(engine).step(world.time.now));

  EXPECT_EQ(world.types(), (std::vector<std::string>{"lease.granted", "lease.lapsed"}));
}

TEST_F(SweeperTest, DoesNotConvictAHolderThatBeatBetweenTheLookAndTheSentence) {
  world.give(grant_for(*near, "lock/a"));
  bool beats = false;
  Engine engine(world.here.env, *world.store, world.catalog, [&](const store::Work& work) {
    if (beats) beat(*near);
    return store::write(*world.store, work);
  });
  Sweeper careful(engine);
  world.pass(limits::silence_max + 1s);
  for (int i = 0; i < 3; ++i) {
    must(careful.step(world.time.now));
    world.pass(limits::sweep_every);
  }

  beats = true;
  must(careful.step(world.time.now));

  EXPECT_TRUE(is_held());
}

}  // namespace
}  // namespace tyer::engine
