// Leases over the wire and back.

#include "lock/lease_json.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace tyer::lock {
namespace {

core::Lease some_lease() {
  core::Lease lease{.key = "lock/a/리팩토링",
                    .token = 42,
                    .granted_at = from_micros(1'767'323'045'123'456),
                    .heard_at = from_micros(1'767'323'046'123'456),
                    .silence_max = 180s,
                    .hold_max = 30min,
                    .command = "/wf:build",
                    .owner = "alice"};
  lease.holder = {.place = {.host = "laptop", .boot = "b-1", .pid_namespace = "n-1"},
                  .pid = 4711,
                  .pid_start = 99,
                  .run = "run-1"};
  return lease;
}

Seen some_sight() {
  return {.lease = some_lease(),
          .judgement = {core::Verdict::silent, "no heartbeat for 3 min"},
          .now = some_lease().granted_at + 2min,
          .silent = 3min,
          .held = 2min,
          .waiting = 3,
          .is_visible = false};
}

TEST(LeaseJson, IsReadAsItWasWritten) {
  EXPECT_EQ(read_lease(to_wire(some_lease())).value(), some_lease());

  const Seen seen = read_seen(to_wire(some_sight())).value();
  EXPECT_EQ(seen.lease, some_lease());
  EXPECT_EQ(seen.judgement.verdict, core::Verdict::silent);
  EXPECT_EQ(seen.judgement.why, "no heartbeat for 3 min");
  EXPECT_EQ(seen.now, some_sight().now);
  EXPECT_EQ(seen.silent, 3min);
  EXPECT_EQ(seen.held, 2min);
  EXPECT_EQ(seen.waiting, 3U);
  EXPECT_FALSE(seen.is_visible);
}

TEST(LeaseJson, TellsAWholeOutcome) {
  const Outcome told{.got = {some_lease()},
                     .held = {some_sight()},
                     .next = {some_lease()},
                     .free = {"b"},
                     .ended = {some_sight()}};

  const Outcome read = read_outcome(to_wire(told)).value();

  EXPECT_EQ(read.got, told.got);
  EXPECT_EQ(read.held.size(), 1U);
  EXPECT_EQ(read.next, told.next);
  EXPECT_EQ(read.free, told.free);
  EXPECT_EQ(read.ended.size(), 1U);
}

// Whatever answers may be another version, or no hub.
TEST(LeaseJson, RefusesWhatIsNoLease) {
  const Json good = to_wire(some_sight());
  for (const char* const name : {"key", "token", "granted_at", "heard_at", "verdict"}) {
    Json bad = good;
    bad.erase(name);
    EXPECT_FALSE(read_seen(bad)) << name;
    bad[name] = Json::array();
    EXPECT_FALSE(read_seen(bad)) << name;
  }
  for (const Json& bad : {Json(), Json(1), Json("x"), Json::array()}) EXPECT_FALSE(read_lease(bad));
  EXPECT_FALSE(read_outcome({{"leases", 1}}));
  EXPECT_FALSE(read_outcome({{"leases", {1}}}));
  EXPECT_FALSE(read_outcome({{"free", {1}}}));
  EXPECT_TRUE(read_outcome(Json::object())) << "nothing was said";
}

TEST(LeaseJson, HasTheSpansOfASaneLease) {
  Json wild = to_wire(some_lease());
  wild["silence_ms"] = -5;
  wild["hold_ms"] = std::int64_t{1} << 62;

  const core::Lease lease = read_lease(wild).value();

  EXPECT_EQ(lease.silence_max, Span::zero());
  EXPECT_EQ(lease.hold_max, limits::hold_most);
}

}  // namespace
}  // namespace tyer::lock
