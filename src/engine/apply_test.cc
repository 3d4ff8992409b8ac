// What a Change does to the store, and what it is refused for; its leases are in
// apply_lease_test.cc.

#include "engine/apply.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "store/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::ending_of;
using testing::EngineWorld;
using testing::fault_of;
using testing::grant_for;
using testing::must;

using Words = std::vector<std::string>;

TEST(Change, MakesASubjectAndItsEvent) {
  EngineWorld world;

  const Applied applied = world.write("item/a", "item.made", R"({"size":3})");

  const auto subject = world.subject("item/a");
  ASSERT_TRUE(subject);
  EXPECT_EQ(subject->status, "open");
  EXPECT_EQ(subject->rev, 1U);
  EXPECT_EQ(subject->state, R"({"size":3})");
  EXPECT_EQ(applied.seq, 1U);
  EXPECT_TRUE(applied.grants.empty());
}

TEST(Change, RecordsWhoMadeItWhyAndWhenByTheStoresClock) {
  EngineWorld world;
  world.laptop.set_clock_error(5h);
  world.write("item/a", "item.made");

  must(world.apply(change_of("item/a", "item.noted"), {"alice", 1}));

  const auto events = world.events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].cause, std::nullopt);
  EXPECT_EQ(events[1].actor, "alice");
  EXPECT_EQ(events[1].cause, 1U);
  EXPECT_EQ(events[1].rev, 2U);
  EXPECT_EQ(events[1].at, world.time.now);
}

TEST(Change, WritesItsEventsInTheirOrderAndEachSeesTheOneBefore) {
  EngineWorld world;
  core::Change change = change_of("item/a", "item.made", R"({"n":1})");
  change.events.push_back({.key = "item/a", .type = "item.noted", .body = R"({"n":2})"});
  change.events.push_back({.key = "item/a", .type = "item.closed", .expected_rev = 2});

  const Applied applied = must(world.apply(change));

  EXPECT_EQ(world.types(), (Words{"item.made", "item.noted", "item.closed"}));
  EXPECT_EQ(applied.seq, 3U);
  EXPECT_EQ(world.subject("item/a")->state, R"({"n":2})");
  EXPECT_EQ(world.subject("item/a")->status, "closed");
}

TEST(Change, UnderAnOldTokenIsFencedWholly) {
  EngineWorld world;
  const core::Lease old = world.give(grant_for(world.here, "lock/a"));
  must(world.apply({.endings = {ending_of(old)}}));
  const core::Lease fresh = world.give(grant_for(world.here, "lock/a"));
  core::Change change = change_of("item/a", "item.made");
  change.under = {{"lock/a", old.token}};

  const auto refused = world.apply(change);

  EXPECT_EQ(fault_of(refused), "fenced");
  EXPECT_NE(refused.error().what.find(fresh.holder.run), std::string::npos);
  EXPECT_FALSE(world.subject("item/a"));
  EXPECT_EQ(world.head().seq, 3U);
}

TEST(Change, UnderATokenOfTheFutureIsFencedToo) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));
  core::Change change = change_of("item/a", "item.made");
  change.under = {{"lock/a", lease.token + 1}};

  EXPECT_EQ(fault_of(world.apply(change)), "fenced");
}

TEST(Change, UnderALeaseThatHasEndedIsFenced) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));
  must(world.apply({.endings = {ending_of(lease)}}));
  core::Change change = change_of("item/a", "item.made");
  change.under = {{"lock/a", lease.token}};

  EXPECT_EQ(fault_of(world.apply(change)), "fenced");
}

TEST(Change, ThatOnlyNamesALeaseStillTellsWhetherItIsLost) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));

  EXPECT_TRUE(world.apply({.under = {{"lock/a", lease.token}}}));
  EXPECT_EQ(fault_of(world.apply({.under = {{"lock/a", 99}}})), "fenced");
  EXPECT_EQ(world.here.store.commits, 1);
}

TEST(Change, UnderALiveLeaseIsMadeAndMayEndThatLease) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));
  core::Change change = change_of("item/a", "item.made");
  change.under = {{"lock/a", lease.token}};
  change.endings = {ending_of(lease)};

  must(world.apply(change));

  EXPECT_EQ(world.types(), (Words{"lease.granted", "lease.released", "item.made"}));
  EXPECT_FALSE(world.lease("lock/a"));
}

TEST(Change, IsMadeWholeOrNotAtAll) {
  EngineWorld world;
  const core::Lease held = world.give(grant_for(world.here, "lock/held"));
  world.pass(1s);
  core::Change change = change_of("item/a", "item.made");
  change.renewals = {{held.key, held.token, 5s}};
  change.endings = {ending_of(held)};
  change.grants = {grant_for(world.here, "lock/b")};
  change.events.push_back({.key = "item/a", .type = "item.made"});

  EXPECT_EQ(fault_of(world.apply(change)), "conflict");

  EXPECT_EQ(world.head().seq, 1U);
  EXPECT_FALSE(world.subject("item/a"));
  EXPECT_FALSE(world.lease("lock/b"));
  EXPECT_EQ(world.lease("lock/held"), held);
}

TEST(Change, ThatFailsLeavesWhatTheTransactionWroteBeforeIt) {
  EngineWorld world;

  must(world.here.engine.write([&](store::Txn& txn) -> Result<> {
    TYER_TRY_OK(apply(txn, world.catalog, change_of("item/a", "item.made"), {"tester"}));
    core::Change change = change_of("item/b", "item.made");
    change.events.push_back({.key = "item/a", .type = "item.made"});
    EXPECT_EQ(fault_of(apply(txn, world.catalog, change, {"tester"})), "conflict");
    EXPECT_FALSE(*txn.subject("item/b"));
    TYER_TRY(const Applied next,
             apply(txn, world.catalog, change_of("item/c", "item.made"), {"tester"}));
    EXPECT_EQ(next.seq, 2U) << "the numbers of undone events are free again";
    return {};
  }));

  EXPECT_EQ(world.types(), (Words{"item.made", "item.made"}));
  EXPECT_FALSE(world.subject("item/b"));
}

TEST(Draft, IsRefusedIfItsSubjectMovedOn) {
  EngineWorld world;
  world.write("item/a", "item.made");
  world.write("item/a", "item.noted");
  core::Change change = change_of("item/a", "item.noted");

  change.events.front().expected_rev = 1;
  EXPECT_EQ(fault_of(world.apply(change)), "conflict");
  change.events.front().expected_rev = 2;
  EXPECT_TRUE(world.apply(change));
}

TEST(Draft, WhichExpectsThatNothingIsThereIsRefusedIfSomethingIs) {
  EngineWorld world;
  core::Change change = change_of("echo/a", "echo.heard");
  change.events.front().expected_rev = 0;

  EXPECT_TRUE(world.apply(change));
  EXPECT_EQ(fault_of(world.apply(change)), "conflict");
}

TEST(Draft, OfAnUnknownKindOrABadKeyIsInvalid) {
  EngineWorld world;

  EXPECT_EQ(fault_of(world.apply(change_of("ghost/a", "ghost.made"))), "invalid");
  EXPECT_EQ(fault_of(world.apply(change_of("item", "item.made"))), "invalid");
  EXPECT_EQ(fault_of(world.apply(change_of("item/..", "item.made"))), "invalid");
  EXPECT_EQ(fault_of(world.apply(change_of("", "item.made"))), "invalid");
  EXPECT_EQ(world.head().seq, 0U);
}

TEST(Draft, ThatItsStatusForbidsIsRefusedWithTheStatus) {
  EngineWorld world;
  world.write("item/a", "item.made");
  world.write("item/a", "item.closed");

  const auto refused = world.apply(change_of("item/a", "item.noted"));

  EXPECT_EQ(fault_of(refused), "conflict");
  EXPECT_NE(refused.error().what.find("closed"), std::string::npos);
  EXPECT_EQ(fault_of(world.apply(change_of("item/a", "lease.granted"))), "conflict");
}

TEST(Draft, WithABodyThatIsNoObjectIsInvalid) {
  EngineWorld world;

  for (const char* body : {"", "[]", "7", "{", R"({"a":1,"a":2})"}) {
    EXPECT_EQ(fault_of(world.apply(change_of("item/a", "item.made", body))), "invalid") << body;
  }
}

TEST(Draft, HasABodyOfAtMostItsLimit) {
  EngineWorld world;
  const auto body_of = [](std::size_t bytes) {
    return R"({"a":")" + std::string(bytes - 8, 'x') + R"("})";
  };

  EXPECT_TRUE(world.apply(change_of("item/a", "item.made", body_of(limits::event_body_bytes_max))));
  EXPECT_EQ(fault_of(world.apply(
                change_of("item/b", "item.made", body_of(limits::event_body_bytes_max + 1)))),
            "limit");
}

TEST(Change, HasAtMostAsManyItemsAsItsLimit) {
  EngineWorld world;
  core::Change change = change_of("item/a", "item.made");
  while (change.events.size() < limits::change_items_max) {
    change.events.push_back({.key = "item/a", .type = "item.noted"});
  }

  EXPECT_TRUE(world.apply(change));

  change.events.front().type = "item.noted";
  change.under.push_back({"lock/a", 1});
  EXPECT_EQ(fault_of(world.apply(change)), "limit");
}

TEST(Change, NeedsAnActorThatCanBeShown) {
  EngineWorld world;
  const core::Change change = change_of("echo/a", "echo.heard");

  EXPECT_EQ(fault_of(world.apply(change, {""})), "invalid");
  EXPECT_EQ(fault_of(world.apply(change, {"\xff"})), "invalid");
  EXPECT_EQ(fault_of(world.apply(change, {std::string(limits::actor_bytes_max + 1, 'a')})),
            "invalid");
  EXPECT_TRUE(world.apply(change, {std::string(limits::actor_bytes_max, 'a')}));
}

}  // namespace
}  // namespace tyer::engine
