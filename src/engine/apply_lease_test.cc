// What a Change does to leases: its grants, endings and renewals.

#include <gtest/gtest.h>

#include "core/limits.h"
#include "engine/apply.h"
#include "store/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::ending_of;
using testing::EngineWorld;
using testing::fault_of;
using testing::grant_for;
using testing::member;
using testing::must;

using Words = std::vector<std::string>;

TEST(Grant, GivesTheLeaseAsItWasAskedForWithTheNumberOfItsEventAsToken) {
  EngineWorld world;
  world.write("item/a", "item.made");
  const core::Grant grant = grant_for(world.here, "lock/a");

  const core::Lease lease = world.give(grant);

  EXPECT_EQ(lease.token, 2U);
  EXPECT_EQ(lease.holder, grant.holder);
  EXPECT_EQ(lease.granted_at, world.time.now);
  EXPECT_EQ(lease.heard_at, world.time.now);
  EXPECT_EQ(lease.granted_mono, grant.mono);
  EXPECT_EQ(lease.heard_mono, grant.mono);
  EXPECT_EQ(lease.silence_max, grant.silence_max);
  EXPECT_EQ(lease.hold_max, grant.hold_max);
  EXPECT_EQ(lease.command, "/wf:build");
  EXPECT_EQ(world.lease("lock/a"), lease);
}

TEST(Grant, IsRefusedWhileTheKeyIsHeldEvenByTheSameRun) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));

  const auto refused = world.apply({.grants = {grant_for(world.here, "lock/a")}});

  EXPECT_EQ(fault_of(refused), "conflict");
  EXPECT_NE(refused.error().what.find(lease.holder.run), std::string::npos);
  EXPECT_EQ(world.lease("lock/a"), lease);
}

TEST(Grant, IsMadeOncePerKeyInAChange) {
  EngineWorld world;
  const core::Grant grant = grant_for(world.here, "lock/a");

  EXPECT_EQ(fault_of(world.apply({.grants = {grant, grant}})), "conflict");
  EXPECT_FALSE(world.lease("lock/a"));
}

TEST(Grant, OfSeveralKeysAnswersInTheOrderAsked) {
  EngineWorld world;

  const Applied applied = must(
      world.apply({.grants = {grant_for(world.here, "lock/b"), grant_for(world.here, "lock/a")}}));

  ASSERT_EQ(applied.grants.size(), 2U);
  EXPECT_EQ(applied.grants[0].key, "lock/b");
  EXPECT_EQ(applied.grants[1].key, "lock/a");
  EXPECT_LT(applied.grants[0].token, applied.grants[1].token);
}

TEST(Grant, ReplacesALeaseThatEndsInTheSameChange) {
  EngineWorld world;
  const core::Lease old = world.give(grant_for(world.here, "lock/a"));

  const Applied applied = must(world.apply({.endings = {ending_of(old, core::End::superseded)},
                                            .grants = {grant_for(world.here, "lock/a")}}));

  EXPECT_GT(applied.grants.front().token, old.token);
  EXPECT_EQ(world.types(), (Words{"lease.granted", "lease.superseded", "lease.granted"}));
}

TEST(Grant, OfABadKeyIsInvalid) {
  EngineWorld world;

  EXPECT_EQ(fault_of(world.apply({.grants = {grant_for(world.here, "lock")}})), "invalid");
  EXPECT_EQ(
      fault_of(world.apply({.grants = {grant_for(world.here, "lock/" + std::string(240, 'a'))}})),
      "invalid");
}

TEST(Grant, SaysInItsEventWhoWhereAndWhatFor) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));

  const core::Event event = world.events().back();

  EXPECT_EQ(event.rev, 0U);
  EXPECT_EQ(member(event.body, "run"), lease.holder.run);
  EXPECT_EQ(member(event.body, "host"), "laptop");
  EXPECT_EQ(member(event.body, "pid"), std::to_string(world.here.pid));
  EXPECT_EQ(member(event.body, "command"), "/wf:build");
  EXPECT_EQ(member(event.body, "owner"), "alice");
  EXPECT_EQ(member(event.body, "hold_ms"), "1800000");
}

TEST(Grant, NeedsLimitsThatEveryStoreCanKeep) {
  EngineWorld world;
  for (const Span bad : {Span(0), Span(-1s), Span(1500us), Span(limits::hold_most + 1ms)}) {
    core::Grant silence = grant_for(world.here, "lock/a");
    silence.silence_max = bad;
    EXPECT_EQ(fault_of(world.apply({.grants = {silence}})), "invalid") << bad.count();
    core::Grant hold = grant_for(world.here, "lock/a");
    hold.hold_max = bad;
    EXPECT_EQ(fault_of(world.apply({.grants = {hold}})), "invalid") << bad.count();
  }
}

TEST(Grant, IsRefusedIfTheSmallestStoreCouldNotKeepIt) {
  EngineWorld world;
  core::Grant grant = grant_for(world.here, "lock/a");
  grant.command = std::string(limits::lock_file_bytes_max, 'x');

  EXPECT_EQ(fault_of(world.apply({.grants = {grant}})), "limit");
  EXPECT_FALSE(world.lease("lock/a"));
}

TEST(Token, OfAKeyOnlyGrowsAlsoAcrossReleaseAndTakeover) {
  EngineWorld world;
  std::uint64_t newest = 0;
  for (const core::End how :
       {core::End::released, core::End::lapsed, core::End::broken, core::End::superseded}) {
    const core::Lease lease = world.give(grant_for(world.here, "lock/a"));
    EXPECT_GT(lease.token, newest);
    newest = lease.token;
    must(world.apply({.endings = {ending_of(lease, how)}}));
    world.laptop.restart();
  }
}

TEST(Ending, IsRefusedForALeaseOfSomebodyElse) {
  EngineWorld world;
  const core::Lease old = world.give(grant_for(world.here, "lock/a"));
  must(world.apply({.endings = {ending_of(old)}}));
  const core::Lease fresh = world.give(grant_for(world.here, "lock/a"));

  EXPECT_EQ(fault_of(world.apply({.endings = {ending_of(old)}})), "fenced");
  EXPECT_EQ(world.lease("lock/a"), fresh);
}

TEST(Ending, HappensOnce) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));

  EXPECT_EQ(fault_of(world.apply({.endings = {ending_of(lease), ending_of(lease)}})), "fenced");
  EXPECT_EQ(world.lease("lock/a"), lease);
  must(world.apply({.endings = {ending_of(lease)}}));
  EXPECT_EQ(fault_of(world.apply({.endings = {ending_of(lease)}})), "fenced");
}

TEST(Ending, SaysInItsEventWhoseWhyAndHowItWasJudged) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));

  must(world.apply(
      {.endings = {{lease.key, lease.token, core::End::lapsed, "orphaned", "no process 4711"}}},
      {"sweeper/laptop"}));

  const core::Event event = world.events().back();
  EXPECT_EQ(event.type, "lease.lapsed");
  EXPECT_EQ(event.actor, "sweeper/laptop");
  EXPECT_EQ(member(event.body, "run"), lease.holder.run);
  EXPECT_EQ(member(event.body, "token"), std::to_string(lease.token));
  EXPECT_EQ(member(event.body, "verdict"), "orphaned");
  EXPECT_EQ(member(event.body, "why"), "no process 4711");
}

TEST(Renewal, MovesTheHeartbeatAndIsNoEvent) {
  EngineWorld world;
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));
  world.pass(30s);

  const Applied applied =
      must(world.apply({.renewals = {{lease.key, lease.token, world.here.clock.mono()}}}));

  core::Lease expected = lease;
  expected.heard_at += 30s;
  expected.heard_mono = *lease.heard_mono + 30s;
  EXPECT_EQ(world.lease("lock/a"), expected);
  EXPECT_EQ(world.head().seq, 1U);
  EXPECT_EQ(applied.seq, 0U);
}

TEST(Renewal, OfALostLeaseIsFencedAndNamesTheRunThatHasIt) {
  EngineWorld world;
  const core::Lease old = world.give(grant_for(world.here, "lock/a"));
  const auto there = world.seat(world.tower);
  must(world.apply(
      {.endings = {ending_of(old, core::End::broken)}, .grants = {grant_for(*there, "lock/a")}}));

  const auto refused = world.apply({.renewals = {{old.key, old.token, 5s}}});

  EXPECT_EQ(fault_of(refused), "fenced");
  EXPECT_NE(refused.error().what.find("run-tower"), std::string::npos);
}

}  // namespace
}  // namespace tyer::engine
