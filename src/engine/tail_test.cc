// Following the log.

#include "engine/tail.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::EngineWorld;
using testing::fault_of;
using testing::must;
using testing::run;

using Numbers = std::vector<std::uint64_t>;

struct TailTest : ::testing::Test {
  Tail tail(std::uint64_t after, const std::string& root = "") {
    return {world.here.engine, after, root, [this](const core::Event& event) {
              asked.push_back(event.seq);
              return event.seq != refused;
            }};
  }

  void make(int count, const std::string& root = "item") {
    for (int i = 0; i < count; ++i) {
      world.write(fmt::format("{}/{}", root, ++made), root.substr(0, root.find('/')) + ".made");
    }
  }

  EngineWorld world;
  Numbers asked;
  std::uint64_t refused = 0;
  int made = 0;
};

TEST_F(TailTest, GivesEachEventOnceInOrder) {
  Tail all = tail(0);
  make(3);
  run(all, world.time.now);
  make(2);
  run(all, world.time.now);
  run(all, world.time.now);

  EXPECT_EQ(asked, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(all.position(), 5U);
}

TEST_F(TailTest, StartsAfterWhereItsReaderStands) {
  make(4);
  Tail rest = tail(2);

  EXPECT_EQ(must(rest.step(world.time.now)), world.time.now + limits::poll_every);

  EXPECT_EQ(asked, (Numbers{3, 4}));
}

TEST_F(TailTest, GivesNothingOfAnEmptyLogAndWritesNothing) {
  Tail all = tail(0);

  run(all, world.time.now);

  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(all.position(), 0U);
  EXPECT_EQ(world.here.store.commits, 0);
}

TEST_F(TailTest, GivesOnlyARootAndWhatIsBelowIt) {
  Tail some = tail(0, "item/a");
  world.write("item/ab", "item.made");
  world.write("item/a", "item.made");
  world.write("item/a/b", "item.made");
  world.write("plain/a", "plain.made");

  run(some, world.time.now);

  EXPECT_EQ(asked, (Numbers{2, 3}));
  EXPECT_EQ(some.position(), 4U) << "what does not concern it is not looked at again";
}

TEST_F(TailTest, GivesALongLogInSeveralSteps) {
  core::Change change;
  for (std::size_t i = 0; i < limits::tail_rows_max + 5; ++i) {
    change.events.push_back({.key = fmt::format("item/{}", i), .type = "item.made"});
  }
  must(world.apply(change));
  Tail all = tail(0);

  EXPECT_EQ(must(all.step(world.time.now)), world.time.now);
  EXPECT_EQ(asked.size(), limits::tail_rows_max);
  run(all, world.time.now);
  EXPECT_EQ(asked.size(), limits::tail_rows_max + 5);
}

TEST_F(TailTest, AsksASinkThatRefusesAgainWithTheSameEvent) {
  make(4);
  Tail all = tail(0);
  refused = 3;

  EXPECT_EQ(must(all.step(world.time.now)), world.time.now + limits::poll_every);
  EXPECT_EQ(asked, (Numbers{1, 2, 3})) << "not asked again in this step";
  EXPECT_EQ(all.position(), 2U);

  must(all.step(world.time.now));
  refused = 0;
  run(all, world.time.now);
  EXPECT_EQ(asked, (Numbers{1, 2, 3, 3, 3, 4}));
}

TEST_F(TailTest, IsGoneIfTheLogDoesNotReachBackToIt) {
  make(5);
  world.trim(3);
  Tail old = tail(1);

  EXPECT_EQ(fault_of(old.step(world.time.now)), "gone");
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(fault_of(tail(1, "item/5").step(world.time.now)), "gone");
}

TEST_F(TailTest, GoesOnIfTheLogReachesBackToItExactly) {
  make(5);
  world.trim(3);
  Tail just = tail(2);

  run(just, world.time.now);

  EXPECT_EQ(asked, (Numbers{3, 4, 5}));
}

TEST_F(TailTest, IsGoneIfTheLogWasTrimmedWhileItWaited) {
  make(2);
  Tail all = tail(0);
  run(all, world.time.now);
  make(3);
  world.trim(5);

  EXPECT_EQ(fault_of(all.step(world.time.now)), "gone");
}

TEST_F(TailTest, OfARootIsNotGoneForEventsThatDidNotConcernIt) {
  Tail some = tail(0, "item/1");
  make(3);
  run(some, world.time.now);
  world.trim(3);
  make(1, "item/1");

  run(some, world.time.now);

  EXPECT_EQ(asked, (Numbers{1, 4}));
}

TEST_F(TailTest, FailsWithTheStoreAndGoesOnWithIt) {
  make(1);
  Tail all = tail(0);
  world.here.store.cut = true;
  EXPECT_EQ(fault_of(all.step(world.time.now)), "unavailable");

  world.here.store.cut = false;
  run(all, world.time.now);

  EXPECT_EQ(asked, (Numbers{1}));
}

}  // namespace
}  // namespace tyer::engine
