// Asking for several leases in turn: L4, L7, L8 and L10.

#include "core/acquire.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "support/known_leases.h"

namespace tyer::core {
namespace {

const Place here{"laptop", "boot-1", "ns-1"};
constexpr Time t0 = from_micros(1'700'000'000'000'000);

// Process `pid`, which started at its own number, as the run `run`.
Holder holder_of(std::int64_t pid, std::string run) {
  return {here, pid, pid, std::move(run)};
}

struct Acquire : ::testing::Test {
  Lease& put(const std::string& key, std::uint64_t token, const Holder& holder) {
    Lease& lease = view.all[key];
    lease.key = key;
    lease.token = token;
    lease.holder = holder;
    lease.granted_at = lease.heard_at = t0;
    lease.silence_max = limits::silence_max;
    lease.hold_max = limits::hold_max;
    return lease;
  }

  // Process `pid` waits for `key`.
  Lease& queue(const std::string& key, std::uint64_t token, std::int64_t pid,
               const std::string& id) {
    return put(ticket_key(key, id), token, holder_of(pid, id));
  }

  static Asking asking(const std::vector<std::string>& keys, const Holder& holder = me) {
    Asking asking;
    for (const std::string& key : keys) {
      asking.wishes.push_back({.key = key,
                               .holder = holder,
                               .mono = 5s,
                               .silence_max = limits::silence_max,
                               .hold_max = limits::hold_max,
                               .command = "/wf:build"});
    }
    return asking;
  }

  Answer decide(const Asking& asking, Time now = t0 + 1s) const {
    Result<Answer> answer = decide_acquire(view, witness, asking, now);
    EXPECT_TRUE(answer);
    return answer ? *std::move(answer) : Answer{};
  }

  static std::vector<std::string> granted(const Answer& answer) {
    std::vector<std::string> keys;
    for (const Grant& grant : answer.change.grants) keys.push_back(grant.key);
    return keys;
  }

  static std::vector<std::uint64_t> ended(const Answer& answer) {
    std::vector<std::uint64_t> tokens;
    for (const Ending& ending : answer.change.endings) tokens.push_back(ending.token);
    return tokens;
  }

  using Keys = std::vector<std::string>;
  using Tokens = std::vector<std::uint64_t>;

  static inline const Holder me = holder_of(100, "run-me");
  static inline const Holder other = holder_of(200, "run-other");
  testing::KnownLeases view;
  testing::KnownDeaths witness;
};

TEST_F(Acquire, GetsAFreeKey) {
  const Answer answer = decide(asking({"lock/a"}));

  EXPECT_TRUE(answer.yes);
  ASSERT_EQ(granted(answer), Keys{"lock/a"});
  EXPECT_EQ(answer.change.grants[0].holder, me);
  EXPECT_EQ(answer.change.grants[0].command, "/wf:build");
  EXPECT_TRUE(answer.change.endings.empty());
}

TEST_F(Acquire, IsToldWhoHoldsTheKeyAndHowThatWasJudged) {
  put("lock/a", 7, other);

  const Answer answer = decide(asking({"lock/a"}));

  EXPECT_FALSE(answer.yes);
  ASSERT_EQ(answer.held.size(), 1U);
  EXPECT_EQ(answer.held[0].lease.token, 7U);
  EXPECT_EQ(answer.held[0].judgement.why, "process 200 is there");
  EXPECT_TRUE(answer.ahead.empty());
  EXPECT_TRUE(answer.free.empty());
}

// L4 and L10: each verdict with its reason, judged and replaced in one change.
TEST_F(Acquire, TakesAZombiesKeyOverInOneChange) {
  struct Row {
    bool dead;
    Span later;
    Span heard;
    std::string_view verdict;
    std::string_view why;
  };
  const std::vector<Row> rows{
      {true, 1s, 0s, "orphaned", "no process 200"},
      {false, 181s, 0s, "silent", "no heartbeat for 3 min"},
      {false, 31min, 31min, "overdue", "held for 31 min, the limit is 30 min"},
  };

  for (const Row& row : rows) {
    put("lock/a", 7, other).heard_at = t0 + row.heard;
    witness.pids = row.dead ? std::set<std::int64_t>{200} : std::set<std::int64_t>{};

    const Answer answer = decide(asking({"lock/a"}), t0 + row.later);

    EXPECT_EQ(granted(answer), Keys{"lock/a"}) << row.verdict;
    ASSERT_EQ(ended(answer), Tokens{7}) << row.verdict;
    EXPECT_EQ(answer.change.endings[0].how, End::lapsed);
    EXPECT_EQ(answer.change.endings[0].verdict, row.verdict);
    EXPECT_EQ(answer.change.endings[0].why, row.why);
  }
}

// L8: skip what others work on.
TEST_F(Acquire, TakesTheFirstFreeKeyOfAnyInTheOrderGiven) {
  put("lock/c", 7, other);
  Asking any = asking({"lock/c", "lock/b", "lock/a"});
  any.any = true;

  const Answer answer = decide(any);

  EXPECT_EQ(granted(answer), Keys{"lock/b"});
  ASSERT_EQ(answer.held.size(), 1U) << "what was skipped is told";
  EXPECT_EQ(answer.held[0].lease.key, "lock/c");
}

TEST_F(Acquire, SkipsAKeyOfAnyForWhichOthersWait) {
  queue("lock/a", 7, 300, "w1");
  Asking any = asking({"lock/a", "lock/b"});
  any.any = true;

  EXPECT_EQ(granted(decide(any)), Keys{"lock/b"});
}

TEST_F(Acquire, GetsNoneOfAnyIfAllAreHeld) {
  put("lock/a", 7, other);
  put("lock/b", 8, other);
  Asking any = asking({"lock/a", "lock/b"});
  any.any = true;

  const Answer answer = decide(any);

  EXPECT_FALSE(answer.yes);
  EXPECT_EQ(answer.held.size(), 2U);
}

TEST_F(Acquire, StaysWithTheOneOfAnyThatItHasAlready) {
  put("lock/b", 7, me);
  Asking any = asking({"lock/a", "lock/b"});
  any.any = true;

  const Answer answer = decide(any);

  EXPECT_TRUE(answer.change.grants.empty()) << "a lost answer must not cost a second key";
  ASSERT_EQ(answer.mine.size(), 1U);
  EXPECT_EQ(answer.mine[0].key, "lock/b");
}

TEST_F(Acquire, GetsAllOfSeveralKeys) {
  put("lock/b", 7, other);
  witness.pids = {200};

  const Answer answer = decide(asking({"lock/a", "lock/b", "lock/c"}));

  EXPECT_EQ(granted(answer), (Keys{"lock/a", "lock/b", "lock/c"}));
  EXPECT_EQ(ended(answer), Tokens{7});
}

TEST_F(Acquire, GetsNoneOfSeveralKeysIfOneIsHeldAndIsToldWhichAreFree) {
  put("lock/b", 7, other);
  put("lock/c", 8, holder_of(300, "run-dead"));
  put("lock/d", 9, me);
  witness.pids = {300};

  const Answer answer = decide(asking({"lock/a", "lock/b", "lock/c", "lock/d"}));

  EXPECT_FALSE(answer.yes);
  EXPECT_TRUE(answer.change.endings.empty()) << "the zombie is left to whoever takes its key";
  EXPECT_TRUE(answer.mine.empty());
  ASSERT_EQ(answer.held.size(), 1U);
  EXPECT_EQ(answer.held[0].lease.key, "lock/b");
  EXPECT_EQ(answer.free, (Keys{"lock/a", "lock/c"}));
}

TEST_F(Acquire, RenewsWhatItHoldsAlready) {
  put("lock/a", 7, me);

  const Answer answer = decide(asking({"lock/a", "lock/b"}));

  ASSERT_EQ(answer.change.renewals.size(), 1U);
  EXPECT_EQ(answer.change.renewals[0].key, "lock/a");
  EXPECT_EQ(answer.change.renewals[0].token, 7U);
  EXPECT_EQ(answer.change.renewals[0].mono, Span(5s));
  ASSERT_EQ(answer.mine.size(), 1U);
  EXPECT_EQ(answer.mine[0].token, 7U);
  EXPECT_EQ(granted(answer), Keys{"lock/b"});
}

// L7: Ctrl+C, then the same command again.
TEST_F(Acquire, SupersedesAnEarlierRunOfTheSameProcess) {
  put("lock/a", 7, holder_of(100, "run-before"));

  const Answer answer = decide(asking({"lock/a"}));

  ASSERT_EQ(ended(answer), Tokens{7});
  EXPECT_EQ(answer.change.endings[0].how, End::superseded);
  EXPECT_EQ(granted(answer), Keys{"lock/a"});
}

TEST_F(Acquire, DoesNotSupersedeTheRunOfADifferentProcess) {
  Holder reused = holder_of(100, "run-before");
  reused.pid_start = 99;
  put("lock/a", 7, reused);

  EXPECT_FALSE(decide(asking({"lock/a"})).yes);
}

// L7: at once. The key is not free, so nobody who waits for it is overtaken.
TEST_F(Acquire, SupersedesAtOnceAlsoIfOthersWait) {
  put("lock/a", 7, holder_of(100, "run-before"));
  queue("lock/a", 8, 300, "w1");

  const Answer answer = decide(asking({"lock/a"}));

  EXPECT_EQ(granted(answer), Keys{"lock/a"});
  EXPECT_EQ(ended(answer), Tokens{7}) << "the ticket keeps its place";
}

// L8: first come, first served.
TEST_F(Acquire, ServesTicketsByTheirTokensNotByTheirKeys) {
  queue("lock/a", 12, 300, "w1");
  queue("lock/a", 11, 301, "w2");

  const auto waiting = tickets(view, "lock/a");
  const Answer answer = decide(asking({"lock/a"}));

  ASSERT_EQ(waiting->size(), 2U);
  EXPECT_EQ(waiting->front().token, 11U);
  EXPECT_EQ(waiting->back().token, 12U);
  EXPECT_FALSE(answer.yes) << "who does not wait does not overtake those who do";
  ASSERT_EQ(answer.ahead.size(), 1U);
  EXPECT_EQ(answer.ahead[0].token, 11U);
  EXPECT_TRUE(answer.held.empty());
  EXPECT_TRUE(answer.free.empty());
}

TEST_F(Acquire, TakesTheKeyWhenItsTicketIsFirstAndGivesUpItsPlacesInTheSameChange) {
  queue("lock/a", 11, 100, "mine");
  queue("lock/b", 12, 100, "mine");
  queue("lock/a", 13, 300, "w1");
  Asking any = asking({"lock/a", "lock/b", "lock/c"});
  any.any = true;
  any.place = "mine";

  const Answer answer = decide(any);

  EXPECT_EQ(granted(answer), Keys{"lock/a"});
  EXPECT_EQ(ended(answer), (Tokens{11, 12}));
  for (const Ending& ending : answer.change.endings) EXPECT_EQ(ending.how, End::released);
}

TEST_F(Acquire, WaitsBehindAnEarlierTicket) {
  queue("lock/a", 11, 300, "w1");
  queue("lock/a", 12, 100, "mine");
  Asking waiting = asking({"lock/a"});
  waiting.place = "mine";

  const Answer answer = decide(waiting);

  EXPECT_FALSE(answer.yes);
  ASSERT_EQ(answer.ahead.size(), 1U);
  EXPECT_EQ(answer.ahead[0].token, 11U);
}

TEST_F(Acquire, RenewsAPlaceThatItFindsAgain) {
  put("lock/a", 7, other);
  queue("lock/a", 11, 100, "mine");
  Asking waiting = asking({"lock/a"});
  waiting.place = "mine";
  waiting.ticket = Grant{.mono = 5s};

  const Answer answer = decide(waiting);
  ASSERT_EQ(answer.found.size(), 1U);
  EXPECT_EQ(answer.found[0].heard_at, t0 + 1s);
  EXPECT_EQ(answer.change.renewals.size(), 1U);

  waiting.kept = {{ticket_key("lock/a", "mine"), 11}};
  EXPECT_TRUE(decide(waiting).change.empty());
}

TEST_F(Acquire, ClearsTheTicketsOfDeadWaiters) {
  queue("lock/a", 11, 300, "w1");
  queue("lock/a", 12, 301, "w2").heard_at = t0 - 1h;
  queue("lock/a", 13, 302, "w3");
  witness.pids = {300};
  Asking waiting = asking({"lock/a"});
  waiting.passed = {13};

  const Answer answer = decide(waiting);

  EXPECT_EQ(granted(answer), Keys{"lock/a"});
  ASSERT_EQ(ended(answer), (Tokens{11, 12}));
  EXPECT_EQ(answer.change.endings[0].how, End::lapsed);
  EXPECT_EQ(answer.change.endings[0].verdict, "orphaned");
  EXPECT_EQ(answer.change.endings[0].why, "no process 300");
  EXPECT_EQ(answer.change.endings[1].verdict, "silent");
}

TEST_F(Acquire, FitsIntoAChangeHoweverManyWaitersDied) {
  for (std::uint64_t i = 0; i < limits::waiters_max; ++i) {
    queue("lock/a", 11 + i, 300, "w" + std::to_string(i));
  }
  witness.pids = {300};

  const Answer answer = decide(asking({"lock/a"}));

  EXPECT_EQ(granted(answer), Keys{"lock/a"});
  EXPECT_LT(answer.change.endings.size(), limits::change_items_max);
}

TEST_F(Acquire, PassesOverATicketWithoutTakingItsPlace) {
  queue("lock/a", 11, 300, "w1");
  queue("lock/a", 12, 100, "mine");
  Asking waiting = asking({"lock/a"});
  waiting.place = "mine";
  waiting.passed = {11};

  const Answer answer = decide(waiting);

  EXPECT_EQ(granted(answer), Keys{"lock/a"});
  EXPECT_EQ(ended(answer), Tokens{12}) << "the ticket that was passed over stays";
}

TEST_F(Acquire, DoesNotCountTicketsOfKeysBelowOrBeside) {
  queue("lock/a/b", 11, 300, "w1");
  queue("lock/ab", 12, 300, "w2");

  EXPECT_TRUE(tickets(view, "lock/a")->empty());
  EXPECT_EQ(tickets(view, "lock/a/b")->size(), 1U);
  EXPECT_EQ(granted(decide(asking({"lock/a"}))), Keys{"lock/a"});
  EXPECT_FALSE(decide(asking({"lock/a/b"})).yes);
}

TEST_F(Acquire, FindsATicketBehindManyOfKeysBelow) {
  for (std::size_t i = 0; i <= limits::page_rows_max; ++i) {
    queue("lock/a/b", 11 + i, 300, "w" + std::to_string(i));
  }
  queue("lock/a", 9'000, 300, "x");

  EXPECT_EQ(tickets(view, "lock/a")->size(), 1U);
}

// L10: a judge that is not well itself judges nobody by his silence.
TEST_F(Acquire, MayDoubtASilenceButNotADeath) {
  Asking doubtful = asking({"lock/a"});
  doubtful.believes_silence = false;
  put("lock/a", 7, other);

  const Answer silent = decide(doubtful, t0 + 4min);
  EXPECT_FALSE(silent.yes);
  ASSERT_EQ(silent.held.size(), 1U);
  EXPECT_EQ(silent.held[0].judgement.verdict, Verdict::silent);

  witness.pids = {200};
  EXPECT_TRUE(decide(doubtful, t0 + 4min).yes);
}

TEST_F(Acquire, DoubtsTheSilenceOfThoseWhoWaitAsWell) {
  Asking doubtful = asking({"lock/a"});
  doubtful.believes_silence = false;
  queue("lock/a", 11, 300, "w1");

  EXPECT_EQ(decide(doubtful, t0 + 4min).ahead.size(), 1U);

  witness.pids = {300};
  EXPECT_TRUE(decide(doubtful, t0 + 4min).yes);
}

}  // namespace
}  // namespace tyer::core
