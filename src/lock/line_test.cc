// A place in the queue, step by step in a world whose clock is ours.

#include "lock/line.h"

#include <gtest/gtest.h>

#include "support/engine_world.h"

namespace tyer::lock {
namespace {

using testing::EngineWorld;
using testing::fault_of;
using testing::must;

struct LineTest : ::testing::Test {
  Line line_of(testing::Seat& seat, Locks& its_locks) {
    const Request request{.names = {"a"}, .holder = seat.processes.self("run-2")};
    return Line(its_locks, must(its_locks.to_asking(request)), its_locks.borrow_place().name);
  }

  EngineWorld world;
  std::unique_ptr<testing::Seat> far = world.seat(world.tower);
  Locks locks{world.here.engine};
};

TEST_F(LineTest, KeepsAPlaceThatCouldNotBeRenewedForAWhile) {
  world.give(testing::grant_for(*far, "lock/a"));
  Line line = line_of(world.here, locks);
  must(line.look());
  const std::string ticket = core::ticket_key("lock/a", line.place());
  const std::uint64_t token = world.lease(ticket)->token;

  world.here.store.cut = true;
  world.pass(limits::ticket_silence_max - 5s);
  EXPECT_EQ(fault_of(line.look()), "unavailable");
  world.here.store.cut = false;
  world.pass(1s);
  must(line.look());

  EXPECT_EQ(world.lease(ticket)->token, token);
  EXPECT_EQ(world.lease(ticket)->heard_at, world.time.now);
}

TEST_F(LineTest, TakesAPlaceAnewThatItHasLost) {
  world.give(testing::grant_for(*far, "lock/a"));
  Line line = line_of(world.here, locks);
  must(line.look());
  const std::string ticket = core::ticket_key("lock/a", line.place());
  const std::uint64_t token = world.lease(ticket)->token;
  must(world.apply({.endings = {{.key = ticket, .token = token}}}));

  must(line.look());

  ASSERT_TRUE(world.lease(ticket));
  EXPECT_GT(world.lease(ticket)->token, token);
}

// It was taken anew, and nobody said so.
TEST_F(LineTest, KeepsAPlaceThatItFindsAgain) {
  world.give(testing::grant_for(*far, "lock/a"));
  Line line = line_of(world.here, locks);
  must(line.look());
  const std::string ticket = core::ticket_key("lock/a", line.place());
  must(world.apply({.endings = {{.key = ticket, .token = world.lease(ticket)->token}}}));
  world.here.store.loses_answers = true;
  EXPECT_EQ(fault_of(line.look()), "unavailable");
  world.here.store.loses_answers = false;
  const std::uint64_t token = world.lease(ticket)->token;

  for (Span passed{}; passed <= 2 * limits::ticket_silence_max; passed += 10s) {
    must(line.look());
    EXPECT_LE(world.time.now - world.lease(ticket)->heard_at, 30s);
    world.pass(10s);
  }

  EXPECT_EQ(world.lease(ticket)->token, token);
}

// As a hub that was started again does for somebody who waits there.
TEST_F(LineTest, RenewsThePlaceOfAnEarlierWaitWithItsFirstLook) {
  world.give(testing::grant_for(*far, "lock/a"));
  Line earlier = line_of(world.here, locks);
  must(earlier.look());
  const std::string ticket = core::ticket_key("lock/a", earlier.place());
  world.pass(limits::ticket_silence_max - 1s);

  const Request request{.names = {"a"}, .holder = world.here.processes.self("run-2")};
  Line line(locks, must(locks.to_asking(request)), earlier.place());
  must(line.look());

  EXPECT_EQ(world.lease(ticket)->heard_at, world.time.now);
}

// L10: a judge whose own store was out of reach believes no silence for a while.
TEST_F(LineTest, DoubtsASilenceAfterAnOutage) {
  world.give(testing::grant_for(*far, "lock/a"));
  Line line = line_of(world.here, locks);
  must(line.look());
  world.here.store.cut = true;
  world.pass(limits::silence_max + 1s);
  EXPECT_EQ(fault_of(line.look()), "unavailable");
  world.here.store.cut = false;

  const Outcome doubted = must(line.look());
  EXPECT_TRUE(doubted.got.empty());
  ASSERT_EQ(doubted.held.size(), 1U);
  EXPECT_EQ(doubted.held[0].judgement.verdict, core::Verdict::silent);
  const Span quiet = line.quiet(doubted);
  EXPECT_GT(quiet, 1s) << "it does not look again and again meanwhile";

  world.pass(12s);
  EXPECT_EQ(must(line.look()).got.size(), 1U);
}

}  // namespace
}  // namespace tyer::lock
