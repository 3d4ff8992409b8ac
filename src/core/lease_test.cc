// Whether a lease still stands: L10, row by row and in its order.

#include "core/lease.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/limits.h"

namespace tyer::core {
namespace {

using Presence = ProcessFacts::Presence;

const Place here{"laptop", "boot-1", "ns-1"};
constexpr Time t0 = from_micros(1'700'000'000'000'000);
constexpr Span m0 = 1h;  // The monotonic clock of boot-1 at t0.

Lease lease_of(Place place = here) {
  Lease lease;
  lease.key = "lock/a";
  lease.token = 7;
  lease.holder = {std::move(place), 4711, 900, "run-1"};
  lease.granted_at = lease.heard_at = t0;
  lease.granted_mono = lease.heard_mono = m0;
  lease.silence_max = limits::silence_max;
  lease.hold_max = limits::hold_max;
  return lease;
}

// The verdict of an observer `here`, when both clocks have moved on since t0.
Judgement judged(const Lease& lease, const ProcessFacts& facts, Span wall, Span mono) {
  return judge(lease, assess(lease.holder, here, m0 + mono, facts), t0 + wall);
}

Judgement judged(const Lease& lease, const ProcessFacts& facts, Span later) {
  return judged(lease, facts, later, later);
}

constexpr ProcessFacts absent{Presence::absent, 0};
constexpr ProcessFacts itself{Presence::present, 900};
constexpr ProcessFacts another{Presence::present, 901};
constexpr ProcessFacts startless{Presence::present, 0};
constexpr ProcessFacts hidden{Presence::hidden, 0};

TEST(Lease, IsJudgedInTheOrderOfL10) {
  Place other_boot = here;
  other_boot.boot = "boot-0";
  Place other_host = here;
  other_host.host = "server";
  Place other_namespace = here;
  other_namespace.pid_namespace = "ns-2";
  struct Row {
    std::string_view step;
    Place place;
    ProcessFacts facts;
    Span later;
    Verdict verdict;
    std::string_view why;
  };
  const std::vector<Row> rows{
      {"1", other_boot, itself, 1s, Verdict::orphaned, "the machine was restarted since"},
      {"1 before 3 and 4", other_boot, itself, 2h, Verdict::orphaned,
       "the machine was restarted since"},
      {"2 gone", here, absent, 1s, Verdict::orphaned, "no process 4711"},
      {"2 before 3 and 4", here, absent, 2h, Verdict::orphaned, "no process 4711"},
      {"2 reused", here, another, 1s, Verdict::orphaned, "pid 4711 now belongs to another process"},
      {"2 EPERM", here, hidden, 1s, Verdict::live, "process 4711 of another user"},
      {"2 EPERM, then 3", here, hidden, 181s, Verdict::silent, "no heartbeat for 3 min"},
      {"2 alive", here, itself, 180s, Verdict::live, "process 4711 is there"},
      {"2 no start time", here, startless, 1s, Verdict::live,
       "a process 4711, perhaps another one"},
      {"2 no start time, then 3", here, startless, 181s, Verdict::silent, "no heartbeat for 3 min"},
      {"3 alive but stopped", here, itself, 181s, Verdict::silent, "no heartbeat for 3 min"},
      {"3 before 4", here, itself, 31min, Verdict::silent, "no heartbeat for 31 min"},
      {"3 other host", other_host, absent, 181s, Verdict::silent, "no heartbeat for 3 min"},
      {"5 other host", other_host, absent, 180s, Verdict::live,
       "its process cannot be seen from here"},
      {"5 other namespace", other_namespace, absent, 180s, Verdict::live,
       "its process cannot be seen from here"},
      {"3 other namespace", other_namespace, absent, 181s, Verdict::silent,
       "no heartbeat for 3 min"},
  };

  for (const Row& row : rows) {
    const Judgement judgement = judged(lease_of(row.place), row.facts, row.later);
    EXPECT_EQ(name(judgement.verdict), name(row.verdict)) << row.step;
    EXPECT_EQ(judgement.why, row.why) << row.step;
  }
}

// L10 step 4, the last resort against endless loops.
TEST(Lease, IsOverdueEvenWhileItsHeartbeatsArrive) {
  Lease lease = lease_of();
  lease.heard_at = t0 + 30min;
  lease.heard_mono = m0 + 30min;

  EXPECT_EQ(judged(lease, itself, 30min).verdict, Verdict::live);
  EXPECT_EQ(judged(lease, itself, 30min + 1us).verdict, Verdict::overdue);
  EXPECT_EQ(judged(lease, itself, 31min).why, "held for 31 min, the limit is 30 min");
}

TEST(Lease, SurvivesTwoLostHeartbeatsButNotThree) {
  const Lease lease = lease_of();

  EXPECT_EQ(judged(lease, itself, 2 * limits::heartbeat_every + 1s).verdict, Verdict::live);
  EXPECT_EQ(judged(lease, itself, 3 * limits::heartbeat_every).verdict, Verdict::live);
  EXPECT_EQ(judged(lease, itself, 3 * limits::heartbeat_every + 1us).verdict, Verdict::silent);
}

// L10 step 3: on its own boot a lease is measured by a clock that neither jumps nor runs in sleep.
TEST(Lease, SurvivesSuspendAndClockJumpsOnItsOwnBoot) {
  const Lease lease = lease_of();

  EXPECT_EQ(judged(lease, itself, 9h, 10s).verdict, Verdict::live) << "slept or jumped forwards";
  EXPECT_EQ(judged(lease, itself, -9h, 10s).verdict, Verdict::live) << "jumped backwards";
  EXPECT_EQ(judged(lease, itself, 0s, 181s).verdict, Verdict::silent) << "wall clock stood still";
  EXPECT_EQ(judged(lease, itself, -9h, 181s).verdict, Verdict::silent) << "wall clock went back";
}

TEST(Lease, MeasuresItsHoldByTheMonotonicClockToo) {
  Lease lease = lease_of();
  lease.heard_at = t0 + 9h;
  lease.heard_mono = m0 + 29min;

  EXPECT_EQ(judged(lease, itself, 9h, 30min).verdict, Verdict::live);
  EXPECT_EQ(judged(lease, itself, 9h, 31min).verdict, Verdict::overdue);
}

TEST(Lease, SharesTheMonotonicClockWithContainersOfItsBoot) {
  Place container = here;
  container.pid_namespace = "ns-2";

  EXPECT_EQ(judged(lease_of(container), absent, 9h, 10s).verdict, Verdict::live);
  EXPECT_EQ(judged(lease_of(container), absent, 0s, 181s).verdict, Verdict::silent);
}

TEST(Lease, IsJudgedByTheStoresTimeFromAnotherHost) {
  const Lease lease = lease_of({"server", "boot-9", "ns-1"});

  EXPECT_EQ(judged(lease, absent, 180s, 9h).verdict, Verdict::live)
      << "our monotonic clock is not theirs";
  EXPECT_EQ(judged(lease, absent, 181s, 0s).verdict, Verdict::silent);
}

TEST(Lease, FallsBackToWallTimeWithoutAMonotonicHeartbeat) {
  Lease lease = lease_of();
  lease.heard_mono.reset();

  EXPECT_EQ(judged(lease, itself, 180s, 9h).verdict, Verdict::overdue)
      << "its start is still monotonic";
  EXPECT_EQ(judged(lease, itself, 181s, 0s).verdict, Verdict::silent);
  lease.granted_mono.reset();
  EXPECT_EQ(judged(lease, itself, 180s, 9h).verdict, Verdict::live);
}

// A host that we cannot tell from ours by name only, or a boot id that cannot be read, proves
// nothing.
TEST(Lease, IsNotOrphanedByWhatTheObserverDoesNotKnow) {
  const Lease lease = lease_of();

  const Sight blind = assess(lease.holder, {"laptop", "", "ns-1"}, m0, absent);
  EXPECT_EQ(blind.liveness, Liveness::unknown);
  EXPECT_FALSE(blind.mono_now);
  const Sight nameless = assess(lease.holder, {"", "boot-1", "ns-1"}, m0, absent);
  EXPECT_EQ(nameless.liveness, Liveness::unknown);
  EXPECT_FALSE(nameless.mono_now);
  EXPECT_EQ(judge(lease, Sight{}, t0).verdict, Verdict::live);
}

// L10 step 5: another host's or namespace's pid is never probed.
TEST(Holder, IsProbedOnlyInItsOwnPlace) {
  struct Row {
    std::string_view what;
    Place place;
    std::int64_t pid;
    bool probed;
  };
  const std::vector<Row> rows{
      {"same place", here, 4711, true},
      {"pid 1", here, 1, true},
      {"other host", {"server", "boot-1", "ns-1"}, 4711, false},
      {"other boot", {"laptop", "boot-0", "ns-1"}, 4711, false},
      {"other namespace", {"laptop", "boot-1", "ns-2"}, 4711, false},
      {"another tool's record", {"", "", ""}, 4711, true},
      {"no namespace", {"laptop", "boot-1", ""}, 4711, true},
      {"no pid", here, 0, false},
      {"a process group", here, -4711, false},
      {"everybody", here, -1, false},
      {"a pid that would be cut to 1", here, (std::int64_t{1} << 32) + 1, false},
  };

  for (const Row& row : rows) {
    const Holder holder{row.place, row.pid, 900, "run"};
    EXPECT_EQ(may_probe(holder, here), row.probed) << row.what;
    // What the local table says of a pid that is not to be probed must not count.
    const Sight sight = assess(holder, here, m0, absent);
    const bool restarted = row.place.boot == "boot-0";
    EXPECT_EQ(sight.liveness == Liveness::gone, row.probed || restarted) << row.what;
    EXPECT_FALSE(sight.evidence.empty()) << row.what;
  }
}

TEST(Holder, IsSeenByAMonotonicClockOnlyOnItsOwnBoot) {
  const auto mono = [](Place place) {
    return assess({std::move(place), 4711, 900, "r"}, here, m0, itself).mono_now;
  };

  EXPECT_EQ(mono(here), m0);
  EXPECT_EQ(mono({"laptop", "boot-1", "ns-2"}), m0);
  EXPECT_FALSE(mono({"laptop", "boot-0", "ns-1"}));
  EXPECT_FALSE(mono({"server", "boot-1", "ns-1"}));
  EXPECT_FALSE(mono({"laptop", "", ""}));
  EXPECT_FALSE(mono({"", "", ""}));
}

// A record of the seed's seven fields says nothing of host, boot and start time.
TEST(Lease, OfAnotherToolIsJudgedByPidHeartbeatAndTimeout) {
  Lease lease = lease_of({});
  lease.holder.pid_start = 0;
  lease.granted_mono.reset();
  lease.heard_mono.reset();

  EXPECT_EQ(judged(lease, absent, 1s).verdict, Verdict::orphaned);
  EXPECT_EQ(judged(lease, hidden, 1s).verdict, Verdict::live);
  EXPECT_EQ(judged(lease, another, 180s).verdict, Verdict::live)
      << "a start time proves nothing here";
  EXPECT_EQ(judged(lease, another, 181s).verdict, Verdict::silent);
  lease.heard_at = t0 + 31min;
  EXPECT_EQ(judged(lease, another, 31min).verdict, Verdict::overdue);
}

TEST(Verdict, HasAName) {
  EXPECT_EQ(name(Verdict::live), "live");
  EXPECT_EQ(name(Verdict::orphaned), "orphaned");
  EXPECT_EQ(name(Verdict::silent), "silent");
  EXPECT_EQ(name(Verdict::overdue), "overdue");
}

// next_check is the first microsecond at which time alone ends the lease: not
// one too early, or a loop that waits for it would spin.
TEST(Lease, IsCheckedNextAtTheMomentItCouldEnd) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    std::mt19937_64 dice(seed);
    const auto up_to = [&](Span most) {
      return Span(static_cast<std::int64_t>(dice()) & 0x7FFF'FFFF'FFFF) % most;
    };
    Lease lease = lease_of();
    lease.heard_at = lease.granted_at + up_to(2h);
    lease.silence_max = up_to(1h);
    lease.hold_max = up_to(4h);
    SCOPED_TRACE(seed);
    const Time next = next_check(lease);
    EXPECT_NE(judge(lease, Sight{}, next).verdict, Verdict::live);
    EXPECT_EQ(judge(lease, Sight{}, next - 1us).verdict, Verdict::live);
  }
}

// Time alone only ever makes a verdict worse, and a live process never makes it worse.
TEST(Lease, OnceLapsedStaysLapsedWithoutNews) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 dice(seed);
    Lease lease = lease_of();
    lease.heard_at = t0 + Span(static_cast<std::int64_t>(dice() % 3'600'000'000));
    const Time first = lease.heard_at + Span(static_cast<std::int64_t>(dice() % 3'600'000'000));
    const Time later = first + Span(static_cast<std::int64_t>(dice() % 3'600'000'000));
    SCOPED_TRACE(seed);
    if (judge(lease, Sight{}, first).verdict != Verdict::live) {
      EXPECT_NE(judge(lease, Sight{}, later).verdict, Verdict::live);
    }
    const Sight alive{Liveness::alive, "", std::nullopt};
    EXPECT_EQ(judge(lease, alive, first).verdict, judge(lease, Sight{}, first).verdict);
  }
}

}  // namespace
}  // namespace tyer::core
