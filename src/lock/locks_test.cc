// Locks by name: L1, L4 to L7, L17 and L18.

#include "lock/locks.h"

#include <gtest/gtest.h>

#include "support/engine_world.h"

namespace tyer::lock {
namespace {

using testing::EngineWorld;
using testing::fault_of;
using testing::member;
using testing::must;
using testing::Seat;

using Names = std::vector<std::string>;

struct LocksTest : ::testing::Test {
  static Request request(const Seat& seat, Names names, const std::string& run) {
    return {.names = std::move(names),
            .holder = seat.processes.self(run),
            .command = "/wf:build",
            .owner = "alice"};
  }

  // As the process on the laptop.
  Outcome acquire(Names names, const std::string& run = "run-1") {
    return must(locks.acquire(request(world.here, std::move(names), run)));
  }
  // As another process on the laptop.
  Outcome acquire_beside(Names names, const std::string& run = "run-2") {
    return must(Locks(beside->engine).acquire(request(*beside, std::move(names), run)));
  }
  // As a process on another machine.
  Outcome acquire_far(Names names, const std::string& run = "run-3") {
    return must(Locks(far->engine).acquire(request(*far, std::move(names), run)));
  }

  core::Event last_event() { return world.events().back(); }

  static Names names_of(const std::vector<Seen>& all) {
    Names names;
    for (const Seen& seen : all) names.emplace_back(name_of(seen.lease.key));
    return names;
  }

  EngineWorld world;
  std::unique_ptr<Seat> beside = world.seat(world.laptop);
  std::unique_ptr<Seat> far = world.seat(world.tower);
  Locks locks{world.here.engine};
};

TEST_F(LocksTest, GivesAFreeLock) {
  const Outcome outcome = acquire({"TSK-01-01"});

  ASSERT_EQ(outcome.got.size(), 1U);
  EXPECT_EQ(outcome.got[0], world.lease("lock/TSK-01-01"));
  EXPECT_EQ(outcome.got[0].holder, world.here.processes.self("run-1"));
  EXPECT_EQ(outcome.got[0].command, "/wf:build");
  EXPECT_EQ(outcome.got[0].owner, "alice");
  EXPECT_EQ(outcome.got[0].heard_mono, world.here.clock.mono());
  EXPECT_EQ(outcome.asked, world.here.clock.boot_time());
  EXPECT_TRUE(outcome.ended.empty());
}

TEST_F(LocksTest, SaysWhoHoldsALock) {
  acquire({"a"});
  world.pass(10s);

  const Outcome outcome = acquire_beside({"a"});

  EXPECT_TRUE(outcome.got.empty());
  ASSERT_EQ(outcome.held.size(), 1U);
  EXPECT_EQ(outcome.held[0].lease.holder.run, "run-1");
  EXPECT_EQ(outcome.held[0].judgement.verdict, core::Verdict::live);
  EXPECT_EQ(outcome.held[0].held, 10s);
  EXPECT_EQ(outcome.held[0].silent, 10s);
}

TEST_F(LocksTest, GivesAllOrNoneAndSaysWhichAreFree) {
  acquire({"b"});

  const Outcome none = acquire_beside({"a", "b", "c"});
  EXPECT_TRUE(none.got.empty());
  EXPECT_EQ(names_of(none.held), Names{"b"});
  EXPECT_EQ(none.free, (Names{"a", "c"}));
  EXPECT_FALSE(world.lease("lock/a"));

  EXPECT_EQ(acquire_beside({"a", "c"}).got.size(), 2U);
}

TEST_F(LocksTest, GivesTheFirstFreeOfAny) {
  acquire({"a"});
  Request any = request(*beside, {"a", "b", "c"}, "run-2");
  any.any = true;

  const Outcome outcome = must(Locks(beside->engine).acquire(any));

  ASSERT_EQ(outcome.got.size(), 1U);
  EXPECT_EQ(outcome.got[0].key, "lock/b");
}

TEST_F(LocksTest, GivesTheSameRunTheLockItHas) {
  const Outcome first = acquire({"a"});
  world.pass(10s);

  const Outcome again = acquire({"a"});

  ASSERT_EQ(again.got.size(), 1U);
  EXPECT_EQ(again.got[0].token, first.got[0].token);
  EXPECT_EQ(world.lease("lock/a")->heard_at, world.time.now) << "and it is heard of";
  EXPECT_EQ(world.types("lock/a").size(), 1U);
}

TEST_F(LocksTest, RefusesBadNames) {
  struct Row {
    std::string name;
    std::string_view why;
  };
  using namespace std::string_literals;
  const std::vector<Row> rows{
      {"", "a lock's name must not be empty"},
      {std::string(201, 'x'), "has 201 bytes, the limit is 200"},
      {"a\nb", "the lock name 'a\\x0ab' has a control character in it"},
      {"a\x1b[0m", "has a control character in it"},
      {"a\0b"s, "has a control character in it"},
      {"../x", "the lock name '../x' has a part that is a dot name"},
      {"a/./b", "has a part that is a dot name"},
      {"a//b", "the lock name 'a//b' has an empty part"},
      {"/a", "has an empty part"},
      {"a/", "has an empty part"},
      {"a\xff", "is not UTF-8"},
      {"it' is\n", "has a control character in it"},
      {"bo\u200bt", "has a character in it that nobody sees"},
      {"a\u202eb", "the lock name 'a\\xe2\\x80\\xaeb' has a character in it that nobody sees"},
  };

  for (const Row& row : rows) {
    const auto key = key_of(row.name);
    ASSERT_EQ(fault_of(key), "invalid") << row.why;
    EXPECT_NE(key.error().what.find(row.why), std::string::npos) << key.error().what;
    EXPECT_EQ(key.error().what.find("lock/"), std::string::npos) << "people know it by its name";
    EXPECT_EQ(fault_of(locks.acquire(request(world.here, {"good", row.name}, "run-1"))), "invalid");
    EXPECT_EQ(fault_of(locks.renew(row.name, "run-1")), "invalid");
    EXPECT_EQ(fault_of(locks.release(row.name, "run-1")), "invalid");
    EXPECT_EQ(fault_of(locks.look(row.name)), "invalid");
  }
  EXPECT_TRUE(world.events().empty());
}

TEST_F(LocksTest, TakesAnyOtherNameUpToItsLimit) {
  const Names good{std::string(200, 'x'), "리팩토링", "a b/c's", "%41", "...", "lock/a", "\"{}"};

  const Outcome outcome = acquire(good);

  ASSERT_EQ(outcome.got.size(), good.size());
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_EQ(name_of(outcome.got[i].key), good[i]);
    EXPECT_TRUE(must(locks.look(good[i])));
  }
}

TEST_F(LocksTest, HasRoomForATicketOfTheLongestName) {
  const std::string key = must(key_of(std::string(limits::lock_name_bytes_max, 'x')));
  constexpr std::size_t id_bytes = 26;

  EXPECT_LE(core::ticket_key(key, std::string(id_bytes, 'i')).size(), limits::key_bytes_max);
}

TEST_F(LocksTest, RefusesTheSameNameTwiceAndNoneAndTooMany) {
  const auto twice = locks.acquire(request(world.here, {"a", "b", "a"}, "run-1"));
  ASSERT_EQ(fault_of(twice), "invalid");
  EXPECT_EQ(twice.error().what, "the lock a stands twice");
  EXPECT_EQ(fault_of(locks.acquire(request(world.here, {}, "run-1"))), "invalid");
  const Names many(limits::lock_names_max + 1, "a");
  EXPECT_EQ(fault_of(locks.acquire(request(world.here, many, "run-1"))), "limit");
}

TEST_F(LocksTest, RenewsOnesOwnLock) {
  acquire({"a"});
  world.pass(60s);

  const core::Lease renewed = must(locks.renew("a", "run-1"));

  EXPECT_EQ(renewed, world.lease("lock/a"));
  EXPECT_EQ(renewed.heard_at, world.time.now);
  EXPECT_EQ(renewed.heard_mono, world.here.clock.mono());
}

TEST_F(LocksTest, RenewsOnesOwnLockAfterASilenceButNotBeyondItsTime) {
  acquire({"a"});
  world.pass(limits::silence_max + 1s);
  must(locks.renew("a", "run-1"));

  world.pass(limits::hold_max);
  EXPECT_EQ(fault_of(locks.renew("a", "run-1")), "fenced");
  EXPECT_EQ(must(locks.look("a"))->judgement.verdict, core::Verdict::silent);
}

TEST_F(LocksTest, ReleasesOnesOwnLock) {
  acquire({"a"});

  EXPECT_EQ(must(locks.release("a", "run-1")).key, "lock/a");

  EXPECT_FALSE(world.lease("lock/a"));
  EXPECT_FALSE(must(locks.look("a")));
}

// L6: never a successor's, and one is told who that is.
TEST_F(LocksTest, NamesTheSuccessorToARunThatLostItsLock) {
  acquire({"a"}, "run-1");
  world.pass(limits::silence_max + 1s);
  const Outcome taken = acquire_far({"a"}, "run-3");
  ASSERT_EQ(taken.got.size(), 1U);

  for (const auto& refused : {locks.renew("a", "run-1"), locks.release("a", "run-1")}) {
    ASSERT_EQ(fault_of(refused), "fenced");
    EXPECT_EQ(refused.error().what, "a: session run-1 does not hold it; session run-3 does (pid " +
                                        std::to_string(far->pid) + " on tower, token " +
                                        std::to_string(taken.got[0].token) + ")");
  }
  EXPECT_EQ(world.lease("lock/a"), taken.got[0]);
}

TEST_F(LocksTest, SaysThatNobodyHoldsALockThatHasEnded) {
  acquire({"a"});
  must(locks.release("a", "run-1"));

  for (const auto& refused : {locks.renew("a", "run-1"), locks.release("a", "run-1")}) {
    ASSERT_EQ(fault_of(refused), "not_found");
    EXPECT_EQ(refused.error().what, "a: nobody holds it; the lease of session run-1 has ended");
  }
}

// L5
TEST_F(LocksTest, GivesALargerTokenWithEveryAcquisition) {
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    const Outcome released = acquire({"a"});
    EXPECT_GT(released.got[0].token, last);
    must(locks.release("a", "run-1"));
    const Outcome orphaned = acquire_beside({"a"});
    EXPECT_GT(orphaned.got[0].token, released.got[0].token);
    world.laptop.end_process(beside->pid);
    const Outcome taken = acquire({"a"});
    EXPECT_GT(taken.got[0].token, orphaned.got[0].token);
    last = taken.got[0].token;
    must(locks.release("a", "run-1"));
    world.laptop.start_process(beside->pid);
  }
}

// L18, and L10: the reason is always reported.
TEST_F(LocksTest, LogsAnAcquisitionAndATakeoverWithItsReason) {
  acquire_beside({"a"});
  EXPECT_EQ(world.types("lock/a"), Names{"lease.granted"});
  EXPECT_EQ(last_event().actor, "run/run-2");
  world.laptop.end_process(beside->pid);

  const Outcome outcome = acquire({"a"});

  EXPECT_EQ(world.types("lock/a"), (Names{"lease.granted", "lease.lapsed", "lease.granted"}));
  const core::Event lapsed = world.events()[1];
  EXPECT_EQ(member(lapsed.body, "run"), "run-2");
  EXPECT_EQ(member(lapsed.body, "verdict"), "orphaned");
  const std::string why = "no process " + std::to_string(beside->pid);
  EXPECT_EQ(member(lapsed.body, "why"), why);
  ASSERT_EQ(outcome.ended.size(), 1U);
  EXPECT_EQ(outcome.ended[0].lease.holder.run, "run-2");
  EXPECT_EQ(outcome.ended[0].judgement.verdict, core::Verdict::orphaned);
  EXPECT_EQ(outcome.ended[0].judgement.why, why);
}

TEST_F(LocksTest, TakesOverFromASilentHolderElsewhere) {
  acquire_far({"a"});
  world.pass(limits::silence_max);
  EXPECT_TRUE(acquire({"a"}).got.empty());
  world.pass(1s);

  const Outcome outcome = acquire({"a"});

  EXPECT_EQ(outcome.got.size(), 1U);
  ASSERT_EQ(outcome.ended.size(), 1U);
  EXPECT_EQ(outcome.ended[0].judgement.verdict, core::Verdict::silent);
  EXPECT_EQ(outcome.ended[0].judgement.why, "no heartbeat for 3 min");
}

// L7 and L18
TEST_F(LocksTest, SupersedesAnEarlierRunOfTheSameProcessAndLogsIt) {
  acquire({"a"}, "run-1");

  const Outcome outcome = acquire({"a"}, "run-1b");

  EXPECT_EQ(outcome.got.size(), 1U);
  EXPECT_EQ(world.types("lock/a"), (Names{"lease.granted", "lease.superseded", "lease.granted"}));
  EXPECT_EQ(fault_of(locks.renew("a", "run-1")), "fenced");
  ASSERT_EQ(outcome.ended.size(), 1U);
  EXPECT_EQ(outcome.ended[0].judgement.why, "another run of the same process");
}

TEST_F(LocksTest, LogsAReleaseOnce) {
  acquire({"a"});
  must(locks.release("a", "run-1"));
  EXPECT_FALSE(locks.release("a", "run-1"));

  EXPECT_EQ(world.types("lock/a"), (Names{"lease.granted", "lease.released"}));
  EXPECT_EQ(last_event().actor, "run/run-1");
}

// L16 and L18: it is recorded who broke it.
TEST_F(LocksTest, BreaksALockAndLogsWhoDid) {
  const Outcome outcome = acquire_far({"a"});

  const Broken broken =
      must(locks.break_lock("a", outcome.got[0].token, "bob", {.why = "it hangs"}));

  EXPECT_EQ(broken.lease, outcome.got[0]);
  EXPECT_FALSE(world.lease("lock/a"));
  EXPECT_EQ(last_event().type, "lease.broken");
  EXPECT_EQ(last_event().actor, "bob");
  EXPECT_EQ(member(last_event().body, "why"), "it hangs");
  EXPECT_EQ(member(last_event().body, "run"), "run-3");
}

TEST_F(LocksTest, DoesNotBreakASuccessorsLock) {
  const std::uint64_t token = acquire({"a"}).got[0].token;
  must(locks.release("a", "run-1"));
  EXPECT_EQ(locks.break_lock("a", token, "bob", {.why = ""}).error().what,
            "a: the lease with token 1 has ended meanwhile");
  acquire_far({"a"});

  const auto refused = locks.break_lock("a", token, "bob", {.why = ""});

  ASSERT_EQ(fault_of(refused), "not_found");
  EXPECT_EQ(refused.error().what,
            "a: the lease with token 1 has ended meanwhile; another run holds the lock now");
  EXPECT_TRUE(world.lease("lock/a"));
}

TEST_F(LocksTest, LooksAtALockAndJudgesIt) {
  acquire_far({"a"});
  world.pass(limits::silence_max + 1s);

  const auto seen = must(locks.look("a"));

  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->judgement.verdict, core::Verdict::silent);
  EXPECT_EQ(seen->silent, limits::silence_max + 1s);
  EXPECT_EQ(seen->now, world.time.now);
  EXPECT_EQ(seen->waiting, 0U);
}

TEST_F(LocksTest, ListsAllLocksByNameWithHowManyWait) {
  acquire({"b", "a/x", "a"});
  for (const std::string id : {"w1", "w2"}) {
    world.give(testing::grant_for(*far, core::ticket_key("lock/a", id)));
  }
  world.give(testing::grant_for(*far, "run/other"));

  const std::vector<Seen> all = must(locks.list());

  EXPECT_EQ(names_of(all), (Names{"a", "a/x", "b"}));
  EXPECT_EQ(all[0].waiting, 2U);
  EXPECT_EQ(all[1].waiting, 0U);
  EXPECT_EQ(must(locks.look("a"))->waiting, 2U);
}

TEST_F(LocksTest, ListsMoreLocksThanFitOnAPage) {
  world.lawful = false;  // The laws are checked on one page of leases.
  std::size_t count = 0;
  while (count <= limits::page_rows_max) {
    Names names;
    for (std::size_t i = 0; i < limits::lock_names_max; ++i) {
      names.push_back("TSK-" + std::to_string(count++));
    }
    acquire(std::move(names));
  }

  EXPECT_EQ(must(locks.list()).size(), count);
}

// L13: an outage is not a duplicate.
TEST_F(LocksTest, PassesOnThatTheStoreIsOutOfReach) {
  world.here.store.cut = true;

  EXPECT_EQ(fault_of(locks.acquire(request(world.here, {"a"}, "run-1"))), "unavailable");
  EXPECT_EQ(fault_of(locks.renew("a", "run-1")), "unavailable");
  EXPECT_EQ(fault_of(locks.look("a")), "unavailable");
  EXPECT_EQ(fault_of(locks.list()), "unavailable");
}

}  // namespace
}  // namespace tyer::lock
