// A holder that beats, and knows when it may not act any more.

#include "engine/keeper.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "engine/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::EngineWorld;
using testing::fault_of;
using testing::grant_for;
using testing::must;
using testing::Seat;

struct KeeperTest : ::testing::Test {
  core::Lease hold(const std::string& key, Span silence_max = limits::silence_max,
                   Span hold_max = limits::hold_max) {
    const Span asked = world.here.clock.boot_time();
    core::Grant grant = grant_for(world.here, key);
    grant.silence_max = silence_max;
    grant.hold_max = hold_max;
    const core::Lease lease = world.give(grant);
    keeper.hold(lease, asked);
    return lease;
  }

  // Somebody on another machine takes the lease over.
  void take_over(const std::string& key) {
    must(world.apply({.endings = {{.key = key, .token = world.lease(key)->token}},
                      .grants = {grant_for(*far, key)}}));
  }

  Time step() { return must(keeper.step(world.time.now)); }

  // Steps as it asks to be stepped, for `span`.
  void keep_for(Span span) {
    const Time until = world.time.now + span;
    while (world.time.now < until) world.time.now = std::min(step(), until);
  }

  core::Verdict verdict(const std::string& key) {
    const auto lease = world.lease(key);
    return core::judge(*lease, far->processes.look(lease->holder), world.time.now).verdict;
  }

  EngineWorld world;
  Keeper keeper{world.here.engine};
  std::unique_ptr<Seat> far = world.seat(world.tower);
};

TEST_F(KeeperTest, RenewsAtEachThirdOfTheSilence) {
  hold("lock/a", 30s);
  const Time start = world.time.now;

  EXPECT_EQ(step(), start + 10s);
  EXPECT_EQ(world.lease("lock/a")->heard_at, start);
  world.pass(10s);
  EXPECT_EQ(step(), start + 20s);
  EXPECT_EQ(world.lease("lock/a")->heard_at, start + 10s);
  EXPECT_EQ(world.lease("lock/a")->heard_mono, world.here.clock.mono());
}

TEST_F(KeeperTest, RenewsAtLeastOnceAMinute) {
  EXPECT_EQ(beat_every(limits::silence_max), 60s);
  EXPECT_EQ(beat_every(24h), 60s);
  EXPECT_EQ(beat_every(3s), 1s);
}

TEST_F(KeeperTest, KeepsALeaseAliveForAsLongAsItMay) {
  hold("lock/a");

  keep_for(29min);

  EXPECT_TRUE(keeper.trusts("lock/a"));
  EXPECT_EQ(verdict("lock/a"), core::Verdict::live);
  EXPECT_TRUE(keeper.take_lost().empty());
}

TEST_F(KeeperTest, WritesNothingBetweenTheBeats) {
  hold("lock/a");
  const int commits = world.here.store.commits;

  for (int i = 0; i < 59; ++i) {
    step();
    world.pass(1s);
  }

  EXPECT_EQ(world.here.store.commits, commits);
}

TEST_F(KeeperTest, TrustsNothingItDoesNotHold) {
  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_EQ(step(), world.time.now + limits::heartbeat_every);
}

TEST_F(KeeperTest, LearnsAtTheNextBeatThatItsLeaseWasTakenAndByWhom) {
  const core::Lease lease = hold("lock/a");
  take_over("lock/a");
  world.pass(limits::heartbeat_every);

  step();

  const auto lost = keeper.take_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost.front().lease.token, lease.token);
  EXPECT_NE(lost.front().why.find("run-tower"), std::string::npos) << lost.front().why;
  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_EQ(world.lease("lock/a")->holder, grant_for(*far, "lock/a").holder);
}

TEST_F(KeeperTest, TellsALossOnce) {
  hold("lock/a");
  take_over("lock/a");
  world.pass(limits::heartbeat_every);
  step();
  EXPECT_EQ(keeper.take_lost().size(), 1U);

  world.pass(limits::heartbeat_every);
  step();

  EXPECT_TRUE(keeper.take_lost().empty());
}

TEST_F(KeeperTest, StopsTrustingBeforeOthersMayTakeTheLeaseIfItCannotRenew) {
  hold("lock/a");
  world.here.store.cut = true;

  world.pass(limits::silence_max - limits::trust_margin - 1us);
  EXPECT_EQ(fault_of(keeper.step(world.time.now)), "unavailable");
  EXPECT_TRUE(keeper.trusts("lock/a"));
  world.pass(1us);
  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_EQ(verdict("lock/a"), core::Verdict::live);

  step();
  const auto lost = keeper.take_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_NE(lost.front().why.find("does not answer"), std::string::npos);
}

TEST_F(KeeperTest, CountsItsTrustFromBeforeItAsked) {
  hold("lock/slow");
  const core::Lease lease = world.give(grant_for(world.here, "lock/a"));
  keeper.hold(lease, world.here.clock.boot_time() - 20s);

  world.pass(limits::silence_max - limits::trust_margin - 20s);

  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_TRUE(keeper.trusts("lock/slow"));
}

TEST_F(KeeperTest, KeepsAMarginOfAQuarterIfTheSilenceIsShort) {
  hold("lock/a", 20s);

  world.pass(15s - 1us);
  EXPECT_TRUE(keeper.trusts("lock/a"));
  world.pass(1us);
  EXPECT_FALSE(keeper.trusts("lock/a"));
}

TEST_F(KeeperTest, SurvivesTwoLostBeats) {
  hold("lock/a");
  world.here.store.cut = true;
  for (int i = 0; i < 2; ++i) {
    world.pass(limits::heartbeat_every);
    EXPECT_EQ(fault_of(keeper.step(world.time.now)), "unavailable");
  }
  world.here.store.cut = false;
  world.pass(1s);

  step();

  EXPECT_TRUE(keeper.take_lost().empty());
  EXPECT_EQ(world.lease("lock/a")->heard_at, world.time.now);
}

TEST_F(KeeperTest, ComesBackAfterTheMachineSleptIfNobodyTookTheLease) {
  hold("lock/a", limits::silence_max, 10h);
  world.laptop.suspend();
  world.pass(1h);
  world.laptop.resume();
  EXPECT_FALSE(keeper.trusts("lock/a")) << "a judge elsewhere may have ended it";

  step();

  EXPECT_TRUE(keeper.trusts("lock/a"));
  EXPECT_TRUE(keeper.take_lost().empty());
  EXPECT_EQ(verdict("lock/a"), core::Verdict::live);
}

TEST_F(KeeperTest, LosesTheLeaseIfSomebodyTookItWhileTheMachineSlept) {
  hold("lock/a", limits::silence_max, 10h);
  world.laptop.suspend();
  world.pass(1h);
  take_over("lock/a");
  world.laptop.resume();

  step();

  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_EQ(keeper.take_lost().size(), 1U);
}

TEST_F(KeeperTest, LosesTheLeaseIfNobodyAnswersAfterTheMachineSlept) {
  hold("lock/a", limits::silence_max, 10h);
  world.laptop.suspend();
  world.pass(1h);
  world.laptop.resume();
  world.here.store.cut = true;

  step();

  EXPECT_EQ(keeper.take_lost().size(), 1U);
}

TEST_F(KeeperTest, LetsGoAtItsHoldLimitBeforeOthersMayTakeTheLease) {
  hold("lock/a", limits::silence_max, 5min);

  keep_for(5min - limits::trust_margin);
  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_EQ(verdict("lock/a"), core::Verdict::live);
  step();

  const auto lost = keeper.take_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost.front().why, "it was held for its whole limit");
}

// Law 1: its neighbours count from the grant, not from when its holder found it again.
TEST_F(KeeperTest, CountsWhatHadPassedOfTheHoldLimitWhenALeaseIsFoundAgain) {
  core::Lease lease = hold("lock/a", limits::silence_max, 5min);
  keeper.forget("lock/a");
  world.pass(2min);
  lease.heard_at = world.time.now;

  keeper.hold(lease, world.here.clock.boot_time());

  keep_for(3min - limits::trust_margin - 1us);
  EXPECT_TRUE(keeper.trusts("lock/a"));
  keep_for(1us);
  EXPECT_FALSE(keeper.trusts("lock/a"));
}

TEST_F(KeeperTest, IsAwakeWhenItsTrustEnds) {
  hold("lock/a", limits::silence_max, 5min);
  const Time granted = world.time.now;

  world.pass(4min + 30s);
  const Time next = step();

  EXPECT_EQ(next, granted + 5min - limits::trust_margin);
  world.time.now = next;
  step();
  EXPECT_EQ(keeper.take_lost().size(), 1U);
}

TEST_F(KeeperTest, TrustsALeaseWithAShortHoldLimitForMostOfIt) {
  hold("lock/a", limits::silence_max, 8s);

  step();
  world.pass(6s - 1us);
  EXPECT_TRUE(keeper.trusts("lock/a"));
  world.pass(1us);
  EXPECT_FALSE(keeper.trusts("lock/a"));
}

TEST_F(KeeperTest, RenewsEachOfSeveralLeasesWhenItIsDue) {
  hold("lock/slow");
  hold("lock/quick", 30s);
  const Time granted = world.time.now;

  EXPECT_EQ(step(), granted + 10s) << "when the first of them is due";
  world.pass(10s);
  EXPECT_EQ(step(), granted + 20s);

  EXPECT_EQ(world.lease("lock/quick")->heard_at, granted + 10s);
  EXPECT_EQ(world.lease("lock/slow")->heard_at, granted);
  keep_for(50s);
  step();
  EXPECT_EQ(world.lease("lock/slow")->heard_at, granted + 60s);
}

TEST_F(KeeperTest, RenewsTheOthersWhenOneIsLost) {
  hold("lock/a");
  hold("lock/b");
  take_over("lock/a");
  world.pass(limits::heartbeat_every);

  step();

  EXPECT_EQ(keeper.take_lost().size(), 1U);
  EXPECT_TRUE(keeper.trusts("lock/b"));
  EXPECT_EQ(world.lease("lock/b")->heard_at, world.time.now);
}

TEST_F(KeeperTest, DoesNotRenewWhatItWasToldToForget) {
  const core::Lease lease = hold("lock/a");
  keeper.forget("lock/a");
  keeper.forget("lock/unknown");
  world.pass(limits::heartbeat_every);

  step();

  EXPECT_EQ(world.lease("lock/a"), lease);
  EXPECT_FALSE(keeper.trusts("lock/a"));
  EXPECT_TRUE(keeper.take_lost().empty());
}

TEST_F(KeeperTest, TakesTheNewestLeaseOfAKey) {
  hold("lock/a");
  must(world.apply({.endings = {{.key = "lock/a", .token = world.lease("lock/a")->token}}}));
  const core::Lease again = hold("lock/a");
  world.pass(limits::heartbeat_every);

  step();

  EXPECT_TRUE(keeper.take_lost().empty());
  EXPECT_EQ(world.lease("lock/a")->token, again.token);
  EXPECT_EQ(world.lease("lock/a")->heard_at, world.time.now);
}

// The same trust wherever it renews, through a hub for example.
TEST_F(KeeperTest, TrustsItselfByWhenItAskedWhoeverAnswers) {
  const core::Lease lease = hold("session/s", 40s);
  Result<> answer = fail(Fault::unavailable, "the hub is gone");
  std::vector<Span> given;
  Keeper elsewhere(world.here.clock, [&](const core::Lease& asked, Span at_most) {
    EXPECT_EQ(asked.token, lease.token);
    given.push_back(at_most);
    return answer;
  });
  elsewhere.hold(lease, world.here.clock.boot_time());
  EXPECT_EQ(elsewhere.trusted_for(), 30s);
  world.pass(20s);

  EXPECT_EQ(fault_of(elsewhere.step(world.time.now)), "unavailable");
  EXPECT_EQ(given, std::vector<Span>{10s}) << "an answer after that is none";
  EXPECT_TRUE(elsewhere.trusts("session/s"));
  answer = {};
  must(elsewhere.step(world.time.now));
  EXPECT_EQ(elsewhere.trusted_for(), 30s);
  answer = fail(Fault::unavailable, "the hub is gone");
  world.pass(31s);

  must(elsewhere.step(world.time.now));
  EXPECT_EQ(given.back(), limits::renew_late_max) << "it asks all the same";
  const auto lost = elsewhere.take_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost.front().why, "the hub is gone");
}

TEST_F(KeeperTest, IsLostWhenAnAttemptToRenewTakesTheWholeTime) {
  const core::Lease lease = hold("lock/a", 40s);
  Keeper slow(world.here.clock, [&](const core::Lease&, Span at_most) -> Result<> {
    world.pass(at_most);
    return fail(Fault::unavailable, "no answer");
  });
  slow.hold(lease, world.here.clock.boot_time());
  world.pass(20s);

  must(slow.step(world.time.now));

  EXPECT_FALSE(slow.trusts("lock/a"));
  EXPECT_EQ(slow.take_lost().size(), 1U);
}

}  // namespace
}  // namespace tyer::engine
