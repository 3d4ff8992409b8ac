// Asking for a lease: L4, L6, L7 and law 1.

#include "core/claim.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/limits.h"

namespace tyer::core {
namespace {

const Place here{"laptop", "boot-1", "ns-1"};
constexpr Time t0 = from_micros(1'700'000'000'000'000);

Claim claim_of(std::string run, std::int64_t pid = 100, std::int64_t pid_start = 10) {
  Claim claim;
  claim.grant.key = "lock/a";
  claim.grant.holder = {here, pid, pid_start, std::move(run)};
  claim.grant.silence_max = limits::silence_max;
  claim.grant.hold_max = limits::hold_max;
  claim.grant.command = "/wf:build";
  return claim;
}

// The lease that `claim` was granted at t0.
Lease lease_of(const Claim& claim, std::uint64_t token = 7) {
  Lease lease;
  lease.key = claim.grant.key;
  lease.token = token;
  lease.holder = claim.grant.holder;
  lease.granted_at = lease.heard_at = t0;
  lease.silence_max = claim.grant.silence_max;
  lease.hold_max = claim.grant.hold_max;
  return lease;
}

const Sight alive{Liveness::alive, "process 100 is there", std::nullopt};
const Sight gone{Liveness::gone, "no process 100", std::nullopt};

// A store with at most one lease in it.
class OneLease final : public View {
 public:
  explicit OneLease(std::optional<Lease> lease) : lease_(std::move(lease)) {}

  bool out_of_reach = false;

  Result<std::optional<Subject>> subject(const std::string&) const override { return std::nullopt; }
  Result<std::vector<Subject>> subjects(const SubjectQuery&) const override {
    return std::vector<Subject>{};
  }
  Result<std::vector<Subject>> due(Time, std::size_t) const override {
    return std::vector<Subject>{};
  }
  Result<std::optional<Lease>> lease(const std::string& key) const override {
    if (out_of_reach) return fail(Fault::unavailable, "the store is out of reach");
    return lease_ && lease_->key == key ? lease_ : std::nullopt;
  }
  Result<std::vector<Lease>> leases(const std::string&, std::size_t) const override {
    return std::vector<Lease>{};
  }
  Result<std::vector<Event>> events(const EventQuery&) const override {
    return std::vector<Event>{};
  }
  Result<Head> head() const override { return Head{}; }
  Result<Cursor> cursor(const std::string& reader) const override { return Cursor{reader, 0}; }
  Result<std::vector<Cursor>> cursors() const override { return std::vector<Cursor>{}; }

 private:
  std::optional<Lease> lease_;
};

// Says the same of everybody and remembers whom it was asked about.
class OneSight final : public Witness {
 public:
  explicit OneSight(Sight sight) : sight_(std::move(sight)) {}
  Sight look(const Holder& holder) const override {
    asked.push_back(holder.run);
    return sight_;
  }

  mutable std::vector<std::string> asked;

 private:
  Sight sight_;
};

TEST(Claim, GetsAFreeKey) {
  const Claim claim = claim_of("run-1");

  const ClaimAnswer answer = decide_claim(claim, std::nullopt, Sight{}, t0);

  const auto& change = std::get<Change>(answer);
  ASSERT_EQ(change.grants.size(), 1U);
  EXPECT_EQ(change.grants[0].key, "lock/a");
  EXPECT_EQ(change.grants[0].holder, claim.grant.holder);
  EXPECT_EQ(change.grants[0].hold_max, limits::hold_max);
  EXPECT_TRUE(change.endings.empty());
  EXPECT_TRUE(change.events.empty());
  EXPECT_FALSE(change.empty());
}

TEST(Claim, IsToldWhoHoldsTheKeyAndHowThatWasJudged) {
  const Lease present = lease_of(claim_of("run-1"));

  const ClaimAnswer answer = decide_claim(claim_of("run-2", 200), present, alive, t0 + 1min);

  const auto& held = std::get<Held>(answer);
  EXPECT_EQ(held.lease, present);
  EXPECT_EQ(held.judgement.verdict, Verdict::live);
  EXPECT_EQ(held.judgement.why, "process 100 is there");
}

// L10: nobody was heard of later than now. Its holder may live and be heard of again, so it is not
// taken at once; but its silence begins.
TEST(Claim, MakesTheSilenceOfALeaseFromTheFutureBegin) {
  const auto renewal_of = [](Span heard, Span granted, std::optional<Span> mono,
                             const Sight& sight) {
    Lease present = lease_of(claim_of("run-1"));
    present.heard_at += heard;
    present.granted_at += granted;
    present.heard_mono = mono;
    return std::get<Held>(decide_claim(claim_of("run-2", 200), present, sight, t0)).renewal;
  };
  Sight near = alive;
  near.mono_now = 1h;

  EXPECT_FALSE(renewal_of(limits::clock_ahead_max, 0s, {}, alive)) << "clocks differ that much";
  ASSERT_TRUE(renewal_of(limits::clock_ahead_max + 1us, 0s, {}, alive));
  EXPECT_EQ(renewal_of(7000 * 366 * 24h, 0s, 5s, alive)->token, 7U);
  EXPECT_EQ(renewal_of(7000 * 366 * 24h, 0s, 5s, alive)->mono, 5s) << "on its boot nothing changes";
  EXPECT_TRUE(renewal_of(0s, 9h, {}, alive)) << "it would never be overdue";
  EXPECT_FALSE(renewal_of(9h, 0s, 1h - 5s, near)) << "the clock was set back, and it is alive";
  EXPECT_TRUE(renewal_of(9h, 0s, 2h, near)) << "no clock of its boot is there yet";
}

TEST(Claim, FindsItsOwnLeaseAfterACommitWhoseAnswerWasLost) {
  const Lease present = lease_of(claim_of("run-1"));

  Claim claim = claim_of("run-1");
  claim.grant.mono = 5s;

  const ClaimAnswer answer = decide_claim(claim, present, alive, t0 + 1s);

  const auto& mine = std::get<Mine>(answer);
  EXPECT_EQ(mine.lease.token, present.token);
  EXPECT_EQ(mine.lease.granted_at, t0) << "it is not a new one";
  EXPECT_EQ(mine.lease.heard_at, t0 + 1s);
  EXPECT_EQ(mine.lease.heard_mono, 5s);
  ASSERT_EQ(mine.change.renewals.size(), 1U);
  EXPECT_EQ(mine.change.renewals[0].key, "lock/a");
  EXPECT_EQ(mine.change.renewals[0].token, present.token);
  EXPECT_EQ(mine.change.renewals[0].mono, 5s);
}

// Law 1: a neighbour may take it at any moment, so finding it again is not holding it.
TEST(Claim, ReplacesItsOwnLeaseThatNoLongerStands) {
  Lease present = lease_of(claim_of("run-1"));
  const auto verdict_at = [&](Span later) {
    const ClaimAnswer answer = decide_claim(claim_of("run-1"), present, alive, t0 + later);
    const auto* change = std::get_if<Change>(&answer);
    const bool replaced =
        change != nullptr && change->endings.size() == 1 && change->grants.size() == 1;
    return replaced ? change->endings[0].verdict : "it still stands";
  };

  EXPECT_EQ(verdict_at(limits::silence_max), "it still stands");
  EXPECT_EQ(verdict_at(limits::silence_max + 1us), "silent");
  present.heard_at = t0 + limits::hold_max;
  EXPECT_EQ(verdict_at(limits::hold_max), "it still stands");
  EXPECT_EQ(verdict_at(limits::hold_max + 1us), "overdue");
}

TEST(Claim, KeepsItsOwnSilentLeaseWhileSilencesAreDoubted) {
  const Lease present = lease_of(claim_of("run-1"));
  Claim claim = claim_of("run-1");
  claim.believes_silence = false;

  const ClaimAnswer answer = decide_claim(claim, present, alive, t0 + limits::silence_max + 1us);

  EXPECT_TRUE(std::holds_alternative<Mine>(answer));
}

// L7: Ctrl+C, then the same command again.
TEST(Claim, SupersedesAnEarlierRunOfTheSameProcess) {
  const Lease present = lease_of(claim_of("run-1"));

  const ClaimAnswer answer = decide_claim(claim_of("run-2"), present, alive, t0 + 1s);

  const auto& change = std::get<Change>(answer);
  ASSERT_EQ(change.endings.size(), 1U);
  EXPECT_EQ(change.endings[0].key, "lock/a");
  EXPECT_EQ(change.endings[0].token, present.token) << "the lease that was seen, no other (law 2)";
  EXPECT_EQ(change.endings[0].how, End::superseded);
  EXPECT_EQ(change.endings[0].why, "another run of the same process");
  ASSERT_EQ(change.grants.size(), 1U);
  EXPECT_EQ(change.grants[0].holder.run, "run-2");
}

// Through a hub anybody can say to be a process, and sessions are told.
TEST(Claim, OfAnotherAskerHasNeitherTheProcessNorTheRunOfTheHolder) {
  Lease present = lease_of(claim_of("run-1"));
  present.asker = {.who = "agent/ag_1", .network = "127.0.0.1"};
  for (const char* run : {"run-1", "run-2"}) {
    for (const char* who : {"agent/ag_2", ""}) {
      Claim claim = claim_of(run);
      claim.grant.asker.who = who;
      const ClaimAnswer answer = decide_claim(claim, present, alive, t0 + 1s);
      EXPECT_TRUE(std::holds_alternative<Held>(answer)) << run << " of " << who;
    }
    Claim same = claim_of(run);
    same.grant.asker = {.who = "agent/ag_1", .network = "203.0.113.9"};
    EXPECT_FALSE(std::holds_alternative<Held>(decide_claim(same, present, alive, t0 + 1s))) << run;
  }
}

TEST(Claim, DoesNotTakeADifferentProcessForItsOwn) {
  struct Row {
    std::string_view what;
    Holder holder;
  };
  const std::vector<Row> rows{
      {"other pid", {here, 101, 10, "run-1"}},
      {"same pid, other start", {here, 100, 11, "run-1"}},
      {"no start time", {here, 100, 0, "run-1"}},
      {"other host", {{"server", "boot-1", "ns-1"}, 100, 10, "run-1"}},
      {"other boot", {{"laptop", "boot-0", "ns-1"}, 100, 10, "run-1"}},
      {"other container", {{"laptop", "boot-1", "ns-2"}, 100, 10, "run-1"}},
      {"another tool", {{}, 100, 0, "run-1"}},
      {"the same run id from another process", {here, 101, 10, "run-2"}},
  };

  for (const Row& row : rows) {
    Lease present = lease_of(claim_of("run-1"));
    present.holder = row.holder;
    const ClaimAnswer answer = decide_claim(claim_of("run-2"), present, alive, t0 + 1s);
    EXPECT_TRUE(std::holds_alternative<Held>(answer)) << row.what;
  }
  // Unknown start times are not equal ones.
  Lease present = lease_of(claim_of("run-1", 100, 0));
  EXPECT_TRUE(
      std::holds_alternative<Held>(decide_claim(claim_of("run-2", 100, 0), present, alive, t0)));
}

// L4: judging and replacing are one change, so there is no moment between them.
TEST(Claim, EndsTheZombieAndTakesTheKeyInOneChange) {
  struct Row {
    Sight sight;
    Span later;
    Span heard;
    std::string_view verdict;
    std::string_view why;
  };
  const std::vector<Row> rows{
      {gone, 1s, 0s, "orphaned", "no process 100"},
      {alive, 181s, 0s, "silent", "no heartbeat for 3 min"},
      {Sight{}, 181s, 0s, "silent", "no heartbeat for 3 min"},
      {alive, 31min, 31min, "overdue", "held for 31 min, the limit is 30 min"},
  };

  for (const Row& row : rows) {
    Lease present = lease_of(claim_of("run-1"), 42);
    present.heard_at = t0 + row.heard;
    const ClaimAnswer answer =
        decide_claim(claim_of("run-2", 200), present, row.sight, t0 + row.later);
    const auto* change = std::get_if<Change>(&answer);
    ASSERT_NE(change, nullptr) << row.verdict;
    ASSERT_EQ(change->endings.size(), 1U);
    EXPECT_EQ(change->endings[0].token, 42U)
        << "a successor's lease has another token and is not hit";
    EXPECT_EQ(change->endings[0].how, End::lapsed);
    EXPECT_EQ(change->endings[0].verdict, row.verdict);
    EXPECT_EQ(change->endings[0].why, row.why);
    ASSERT_EQ(change->grants.size(), 1U);
    EXPECT_EQ(change->grants[0].holder.run, "run-2");
  }
}

TEST(Claim, ReadsTheLeaseAndAsksTheWitnessAboutItsHolder) {
  const OneLease taken(lease_of(claim_of("run-1")));
  const OneLease free(std::nullopt);
  const OneSight dead(gone);
  const OneSight living(alive);

  const auto zombie = decide_claim(taken, dead, claim_of("run-2", 200), t0 + 1s);
  const auto held = decide_claim(taken, living, claim_of("run-2", 200), t0 + 1s);
  const auto got = decide_claim(free, living, claim_of("run-2", 200), t0 + 1s);

  EXPECT_EQ(std::get<Change>(*zombie).endings.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Held>(*held));
  EXPECT_TRUE(std::get<Change>(*got).endings.empty());
  EXPECT_EQ(dead.asked, std::vector<std::string>{"run-1"});
  EXPECT_EQ(living.asked, std::vector<std::string>{"run-1"})
      << "a free key has nobody to ask about";
}

// L13: an outage is not a duplicate.
TEST(Claim, PassesOnThatTheStoreIsOutOfReach) {
  OneLease view(std::nullopt);
  view.out_of_reach = true;

  const auto answer = decide_claim(view, OneSight(alive), claim_of("run-1"), t0);

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::unavailable);
  EXPECT_EQ(release(view, "lock/a", 7).error().fault, Fault::unavailable);
}

// L6: release acts only on one's own lease, never on a successor's.
TEST(Release, EndsOnesOwnLeaseOnly) {
  const OneLease view(lease_of(claim_of("run-1"), 7));

  const auto own = release(view, "lock/a", 7);
  const auto successors = release(view, "lock/a", 6);
  const auto nobodys = release(view, "lock/b", 7);

  ASSERT_EQ(own->endings.size(), 1U);
  EXPECT_EQ(own->endings[0].key, "lock/a");
  EXPECT_EQ(own->endings[0].token, 7U);
  EXPECT_EQ(own->endings[0].how, End::released);
  EXPECT_TRUE(successors->empty());
  EXPECT_TRUE(nobodys->empty());
}

TEST(Ending, HasAnEventType) {
  EXPECT_EQ(event_type(End::released), "lease.released");
  EXPECT_EQ(event_type(End::lapsed), "lease.lapsed");
  EXPECT_EQ(event_type(End::superseded), "lease.superseded");
  EXPECT_EQ(event_type(End::broken), "lease.broken");
}

TEST(Change, IsEmptyIfItOnlyNamesALease) {
  Change change;
  EXPECT_TRUE(change.empty());

  change.under.push_back({"lock/a", 7});
  EXPECT_TRUE(change.empty());

  change.renewals.push_back({"lock/a", 7, std::nullopt});
  EXPECT_FALSE(change.empty());
}

}  // namespace
}  // namespace tyer::core
