// Deciding and committing in one transaction.

#include "engine/engine.h"

#include <gtest/gtest.h>

#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::EngineWorld;
using testing::fault_of;
using testing::must;

TEST(Decision, SeesTheStoreAsItIsInsideItsTransaction) {
  EngineWorld world;
  const auto there = world.seat(world.tower);
  world.write("item/a", "item.made");

  // Written by another process after this one could have looked last.
  must(there->engine.apply({"other"}, [](const core::View&, Time) -> Result<core::Change> {
    return change_of("item/a", "item.closed");
  }));
  std::string seen;
  must(world.here.engine.apply({"tester"},
                               [&](const core::View& view, Time) -> Result<core::Change> {
                                 TYER_TRY(const auto item, view.subject("item/a"));
                                 seen = item->status;
                                 return core::Change{};
                               }));

  EXPECT_EQ(seen, "closed");
}

TEST(Decision, IsGivenTheStoresTimeAndNotTheMachines) {
  EngineWorld world;
  world.laptop.set_clock_error(-10h);
  Time given{};

  must(
      world.here.engine.apply({"tester"}, [&](const core::View&, Time now) -> Result<core::Change> {
        given = now;
        return change_of("item/a", "item.made");
      }));

  EXPECT_EQ(given, world.time.now);
  EXPECT_EQ(world.events().front().at, given);
}

TEST(Decision, IsNeverGivenATimeBeforeTheNewestEvent) {
  EngineWorld world;
  world.write("item/a", "item.made");
  world.pass(-1h);
  Time given{};

  must(
      world.here.engine.apply({"tester"}, [&](const core::View&, Time now) -> Result<core::Change> {
        given = now;
        return change_of("item/a", "item.noted");
      }));

  EXPECT_EQ(given, world.time.now + 1h);
}

TEST(Decision, ThatIsEmptyWritesNothing) {
  EngineWorld world;

  const Applied applied = must(world.apply({}));

  EXPECT_EQ(applied.seq, 0U);
  EXPECT_EQ(world.here.store.commits, 0);
}

TEST(Decision, ThatFailsLeavesNothingAndItsErrorIsTold) {
  EngineWorld world;

  const auto refused =
      world.here.engine.apply({"tester"}, [](const core::View&, Time) -> Result<core::Change> {
        return fail(Fault::denied, "not today");
      });

  EXPECT_EQ(fault_of(refused), "denied");
  EXPECT_EQ(refused.error().what, "not today");
  EXPECT_EQ(world.here.store.commits, 0);
  EXPECT_TRUE(world.apply(change_of("item/a", "item.made"))) << "the writer's place is free again";
}

TEST(Decision, ThatIsRefusedLeavesNothing) {
  EngineWorld world;
  core::Change change = change_of("item/a", "item.made");
  change.events.push_back({.key = "item/a", .type = "item.made"});

  EXPECT_EQ(fault_of(world.apply(change)), "conflict");
  EXPECT_EQ(world.here.store.commits, 0);
  EXPECT_EQ(world.head().seq, 0U);
}

TEST(Decision, WhoseCommitFailsIsNotAnswered) {
  EngineWorld world;
  world.here.store.refuses_commits = true;

  EXPECT_EQ(fault_of(world.apply(change_of("item/a", "item.made"))), "limit");
  EXPECT_EQ(world.head().seq, 0U);

  world.here.store.refuses_commits = false;
  EXPECT_EQ(world.write("item/a", "item.made").seq, 1U);
}

TEST(Decision, IsNotMadeWhenTheStoreCannotBeReached) {
  EngineWorld world;
  world.here.store.cut = true;
  bool asked = false;

  const auto refused =
      world.here.engine.apply({"tester"}, [&](const core::View&, Time) -> Result<core::Change> {
        asked = true;
        return core::Change{};
      });

  EXPECT_EQ(fault_of(refused), "unavailable");
  EXPECT_FALSE(asked);
}

TEST(Engine, SendsItsWorksWhereItIsToldTo) {
  EngineWorld world;
  int works = 0;
  Engine engine(world.here.env, *world.store, world.catalog, [&](const store::Work& work) {
    ++works;
    return store::write(*world.store, work);
  });

  must(engine.apply({"tester"}, [](const core::View&, Time) -> Result<core::Change> {
    return change_of("item/a", "item.made");
  }));

  EXPECT_EQ(works, 1);
  EXPECT_TRUE(world.subject("item/a"));
}

}  // namespace
}  // namespace tyer::engine
