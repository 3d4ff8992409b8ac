// Locks taken and ended for processes elsewhere, as a hub does it.

#include <gtest/gtest.h>

#include "lock/locks.h"
#include "support/engine_world.h"

namespace tyer::lock {
namespace {

using testing::EngineWorld;
using testing::fault_of;
using testing::member;
using testing::must;
using testing::Seat;

struct LocksForOthers : ::testing::Test {
  static Request request(const Seat& seat, std::vector<std::string> names, const std::string& run) {
    return {.names = std::move(names), .holder = seat.processes.self(run)};
  }
  Outcome acquire(std::vector<std::string> names) {
    return must(locks.acquire(request(world.here, std::move(names), "run-1")));
  }
  core::Event last_event() { return world.events().back(); }

  EngineWorld world;
  std::unique_ptr<Seat> beside = world.seat(world.laptop);
  std::unique_ptr<Seat> far = world.seat(world.tower);
  Locks locks{world.here.engine};
};

// Who takes it for a process elsewhere, as a hub does, has another clock.
TEST_F(LocksForOthers, KeepsNoMonotonicTimeOfAnotherMachine) {
  must(locks.acquire(request(*far, {"a"}, "run-far")));
  EXPECT_EQ(world.lease("lock/a")->heard_mono, std::nullopt);
  EXPECT_EQ(world.lease("lock/a")->granted_mono, std::nullopt);

  must(locks.renew("a", "run-far"));
  EXPECT_EQ(world.lease("lock/a")->heard_mono, std::nullopt);
  (void)acquire({"b"});
  EXPECT_EQ(world.lease("lock/b")->heard_mono, world.here.clock.mono());
}

// L10: by the word of somebody who can see it.
TEST_F(LocksForOthers, EndsALeaseWhoseHolderIsReportedGone) {
  const core::Lease lease = must(Locks(far->engine).acquire(request(*far, {"a"}, "run-3"))).got[0];

  must(locks.report_gone(lease, "agent/ag_1", "no process 7, as bot saw there"));

  EXPECT_EQ(world.lease("lock/a"), std::nullopt);
  EXPECT_EQ(last_event().type, "lease.lapsed");
  EXPECT_EQ(last_event().actor, "agent/ag_1");
  EXPECT_EQ(member(last_event().body, "verdict"), "orphaned");
  EXPECT_EQ(member(last_event().body, "why"), "no process 7, as bot saw there");
  must(Locks(beside->engine).acquire(request(*beside, {"a"}, "run-2")));
  EXPECT_EQ(fault_of(locks.report_gone(lease, "agent/ag_1", "")), "not_found");
  EXPECT_NE(world.lease("lock/a"), std::nullopt) << "the successor's";
}

TEST_F(LocksForOthers, TakesBackWhatItsHolderNeverHeardOf) {
  const core::Lease first = acquire({"a"}).got[0];
  must(locks.take_back(first, "its holder was gone"));
  EXPECT_EQ(world.lease("lock/a"), std::nullopt);
  EXPECT_EQ(last_event().type, "lease.released");

  const core::Lease second = acquire({"a"}).got[0];
  world.pass(1ms);
  EXPECT_EQ(acquire({"a"}).got[0].token, second.token) << "it came back and has it";
  EXPECT_EQ(fault_of(locks.take_back(second, "")), "not_found");
  EXPECT_NE(world.lease("lock/a"), std::nullopt);
}

}  // namespace
}  // namespace tyer::lock
