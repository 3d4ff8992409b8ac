// Waiting for locks with real threads and stores: L8, L10, L13 and L20. Processes that
// wait are in waiting_process_test.cc.

#include "lock/waiting.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>

#include <gtest/gtest.h>

#include "env/bell.h"
#include "lock/limits.h"
#include "support/engine_world.h"
#include "support/lock_client.h"

namespace tyer::lock {
namespace {

using testing::Answer;
using testing::ask;
using testing::fault_of;
using testing::LockClient;
using testing::must;
using testing::run_of;

using Names = std::vector<std::string>;

constexpr Span long_enough = testing::give_up_after;

struct Waiting : ::testing::TestWithParam<std::string> {
  const std::unique_ptr<testing::Backend> backend = testing::make_backend(GetParam());
  LockClient holder{*backend, "run-holder"};
  LockClient first{*backend, "run-first"};
  LockClient second{*backend, "run-second"};
};

INSTANTIATE_TEST_SUITE_P(Stores, Waiting, ::testing::Values("memory", "sqlite", "files"),
                         [](const auto& each) { return each.param; });

TEST_P(Waiting, GetsAFreeLockWithoutQueueing) {
  EXPECT_EQ(run_of(acquire(first.locks, *first.store, first.request({"a"}), {1s, {}})),
            "run-first");

  EXPECT_EQ(first.lease("a")->token, 1U) << "nothing else was written";
}

// L8: woken by release.
TEST_P(Waiting, GetsTheLockWhenItIsReleased) {
  holder.take("a");
  Answer answer = ask(first, {"a"});
  holder.await_tickets("a", 1);

  must(holder.locks.release("a", holder.run));
  const Span released = holder.env.env().clock.mono();

  const auto outcome = answer.get();
  EXPECT_EQ(run_of(outcome), "run-first");
  EXPECT_LT(holder.env.env().clock.mono() - released, limits::wait_behind_every / 2)
      << "it was not woken but looked by itself";
  EXPECT_EQ(first.lease("a")->token, outcome->got.front().token);
  EXPECT_TRUE(first.tickets("a").empty()) << "its ticket is gone with the grant";
}

// L8: by whoever gives it back, and only for who is next.
TEST_P(Waiting, IsRungForWhenItsTurnComes) {
  const core::Lease held = holder.take("a");
  const auto next = env::Bell::hang("rung-next-" + GetParam());
  const auto last = env::Bell::hang("rung-last-" + GetParam());
  ASSERT_TRUE(next && last);
  for (const std::string place : {"rung-next-", "rung-last-"}) {
    const core::Grant ticket{.key = core::ticket_key("lock/a", place + GetParam()),
                             .holder = first.env.env().processes.self("run"),
                             .silence_max = limits::ticket_silence_max,
                             .hold_max = limits::ticket_hold_max};
    must(first.engine.apply({"run/x"}, [&](const core::View&, Time) -> Result<core::Change> {
      return core::Change{.grants = {ticket}};
    }));
  }

  must(holder.locks.break_lock("a", held.token, "user/me", {.why = ""}));

  EXPECT_TRUE(next->silence());
  EXPECT_FALSE(last->silence());
}

// Who is behind others for one of several locks may be the first for another.
TEST_P(Waiting, IsWokenByTheOneOfSeveralForWhichItIsFirst) {
  holder.take("a");
  holder.take("b");
  Answer before = ask(first, {"a"});
  holder.await_tickets("a", 1);
  Request any = second.request({"a", "b"});
  any.any = true;
  Answer answer = ask(second, any);
  holder.await_tickets("b", 1);

  must(holder.locks.release("b", holder.run));
  const Span released = holder.env.env().clock.mono();

  EXPECT_EQ(run_of(answer.get()), "run-second");
  EXPECT_LT(holder.env.env().clock.mono() - released, limits::wait_behind_every / 2);
  must(holder.locks.release("a", holder.run));
  EXPECT_EQ(run_of(before.get()), "run-first");
}

TEST_P(Waiting, GetsTheLockWhenItIsBroken) {
  const core::Lease lease = holder.take("a");
  Answer answer = ask(first, {"a"});
  holder.await_tickets("a", 1);

  must(holder.locks.break_lock("a", lease.token, "bob", {.why = "it hangs"}));

  EXPECT_EQ(run_of(answer.get()), "run-first");
}

// L8: first come, first served.
TEST_P(Waiting, IsServedInTheOrderOfComing) {
  LockClient third(*backend, "run-third");
  holder.take("a");
  const auto hold_for_a_moment = [](LockClient& client) {
    return std::async(std::launch::async, [&client] {
      const auto outcome =
          acquire(client.locks, *client.store, client.request({"a"}), {long_enough, {}});
      if (outcome && !outcome->got.empty()) must(client.locks.release("a", client.run));
      return run_of(outcome);
    });
  };
  auto last = hold_for_a_moment(third);
  holder.await_tickets("a", 1);
  auto middle = hold_for_a_moment(first);
  holder.await_tickets("a", 2);
  auto none = hold_for_a_moment(second);
  holder.await_tickets("a", 3);

  must(holder.locks.release("a", holder.run));

  EXPECT_EQ(last.get(), "run-third");
  EXPECT_EQ(middle.get(), "run-first");
  EXPECT_EQ(none.get(), "run-second");
  Names runs;
  for (const core::Event& event : holder.events("a")) {
    if (event.type == "lease.granted") runs.push_back(testing::member(event.body, "run"));
  }
  EXPECT_EQ(runs, (Names{"run-holder", "run-third", "run-first", "run-second"}));
}

// L8 and L20: woken by the holder's death.
TEST_P(Waiting, GetsTheLockOfAHolderThatIsKilled) {
  holder.take("a");
  Answer answer = ask(first, {"a"});
  first.await_tickets("a", 1);

  kill(holder.process.pid(), SIGKILL);

  const auto outcome = answer.get();
  EXPECT_EQ(run_of(outcome), "run-first");
  ASSERT_EQ(outcome->ended.size(), 1U);
  EXPECT_EQ(outcome->ended[0].judgement.verdict, core::Verdict::orphaned);
}

// L8: woken by expiry.
TEST_P(Waiting, GetsTheLockOfAHolderThatFallsSilent) {
  holder.take("a", 200ms);

  const auto outcome = ask(first, {"a"}).get();

  EXPECT_EQ(run_of(outcome), "run-first");
  ASSERT_EQ(outcome->ended.size(), 1U);
  EXPECT_EQ(outcome->ended[0].judgement.verdict, core::Verdict::silent);
}

TEST_P(Waiting, GetsTheLockOfAHolderThatHasReachedItsLimit) {
  holder.take("a", limits::silence_max, 200ms);

  const auto outcome = ask(first, {"a"}).get();

  EXPECT_EQ(run_of(outcome), "run-first");
  ASSERT_EQ(outcome->ended.size(), 1U);
  EXPECT_EQ(outcome->ended[0].judgement.verdict, core::Verdict::overdue);
}

TEST_P(Waiting, SaysWhoHoldsTheLockWhenThePatienceIsOver) {
  holder.take("b");

  const auto outcome = must(ask(first, first.request({"a", "b"}), {50ms, {}}).get());

  EXPECT_TRUE(outcome.got.empty());
  ASSERT_EQ(outcome.held.size(), 1U);
  EXPECT_EQ(outcome.held[0].lease.holder.run, "run-holder");
  EXPECT_EQ(outcome.free, Names{"a"});
  EXPECT_TRUE(first.tickets("a").empty());
  EXPECT_TRUE(first.tickets("b").empty());
}

TEST_P(Waiting, DoesNotWaitForAHolderWithoutPatience) {
  holder.take("a");

  const auto outcome = must(acquire(first.locks, *first.store, first.request({"a"}), {}));

  EXPECT_TRUE(outcome.got.empty());
  EXPECT_EQ(outcome.held.size(), 1U);
  EXPECT_EQ(first.events("a").size(), 1U);
}

TEST_P(Waiting, GivesUpWhenItIsTold) {
  testing::Pipe stop;
  holder.take("a");
  Answer answer = ask(first, first.request({"a"}), {long_enough, {stop.out.get()}});
  holder.await_tickets("a", 1);

  ASSERT_EQ(write(stop.in.get(), "x", 1), 1);

  EXPECT_EQ(fault_of(answer.get()), "cancelled");
  EXPECT_TRUE(holder.tickets("a").empty());
  EXPECT_EQ(holder.lease("a")->holder.run, "run-holder");
}

TEST_P(Waiting, GetsTheOneOfAnyThatIsReleasedAndLeavesTheOtherQueue) {
  holder.take("a");
  holder.take("b");
  Request any = first.request({"a", "b"});
  any.any = true;
  Answer answer = ask(first, any);
  holder.await_tickets("b", 1);

  must(holder.locks.release("b", holder.run));

  const auto outcome = must(answer.get());
  ASSERT_EQ(outcome.got.size(), 1U);
  EXPECT_EQ(outcome.got[0].key, "lock/b");
  EXPECT_TRUE(holder.tickets("a").empty());
  EXPECT_TRUE(holder.tickets("b").empty());
}

TEST_P(Waiting, GetsAllWhenTheLastIsReleased) {
  holder.take("a");
  holder.take("b");
  Answer answer = ask(first, {"a", "b"});
  holder.await_tickets("b", 1);

  must(holder.locks.release("b", holder.run));
  must(holder.locks.release("a", holder.run));

  EXPECT_EQ(must(answer.get()).got.size(), 2U);
}

// L7: the key is not free, so those who wait are not asked.
TEST_P(Waiting, DoesNotKeepAProcessFromItsOwnLock) {
  holder.take("a");
  testing::Pipe stop;
  Answer waiting = ask(first, first.request({"a"}), {long_enough, {stop.out.get()}});
  holder.await_tickets("a", 1);
  Request again = holder.request({"a"});
  again.holder.run = "run-again";

  EXPECT_EQ(run_of(acquire(holder.locks, *holder.store, again, {})), "run-again");

  EXPECT_EQ(holder.tickets("a").size(), 1U);
  ASSERT_EQ(write(stop.in.get(), "x", 1), 1);
  EXPECT_EQ(fault_of(waiting.get()), "cancelled");
}

// Somebody has the first place in the queue and does not take its turn.
TEST_P(Waiting, PassesOverOneThatDoesNotTakeItsTurnAlsoWithoutPatience) {
  const core::Holder idle = holder.request({"a"}).holder;
  must(holder.engine.apply({"tester"}, [&](const core::View&, Time) -> Result<core::Change> {
    return core::Change{.grants = {{.key = core::ticket_key("lock/a", "idle"),
                                    .holder = idle,
                                    .silence_max = limits::ticket_silence_max,
                                    .hold_max = limits::ticket_hold_max}}};
  }));

  EXPECT_EQ(run_of(acquire(first.locks, *first.store, first.request({"a"}), {})), "run-first");

  EXPECT_EQ(first.tickets("a").size(), 1U) << "it keeps its place";
}

// L13: an outage is not a duplicate.
TEST_P(Waiting, FailsIfTheStoreIsOutOfReachWhenThePatienceIsOver) {
  holder.take("a");
  testing::WatchedStore way(*first.store);
  way.before_commit = [&] { way.cut = true; };  // After its ticket.
  engine::Engine engine(first.env.env(), way, first.catalog);
  Locks locks(engine);

  const auto outcome = acquire(locks, way, first.request({"a"}), {50ms, {}});

  EXPECT_EQ(fault_of(outcome), "unavailable");
  EXPECT_EQ(first.tickets("a").size(), 1U) << "it is judged like every other lease";
}

TEST_P(Waiting, GoesOnWhenTheStoreAnswersAgain) {
  holder.take("a");
  testing::WatchedStore way(*first.store);
  std::atomic<bool> armed = true;
  way.before_commit = [&] { way.cut = armed.exchange(false); };
  engine::Engine engine(first.env.env(), way, first.catalog);
  Locks locks(engine);
  auto answer = std::async(std::launch::async, [&] {
    return acquire(locks, way, first.request({"a"}), {long_enough, {}});
  });
  holder.await_tickets("a", 1);
  must(holder.locks.release("a", holder.run));

  way.cut = false;

  EXPECT_EQ(run_of(answer.get()), "run-first");
}

// One who waits for somebody elsewhere, as a hub does for its clients.
struct WaitingForOthers : Waiting {
  Patience patience() {
    return {.at_most = long_enough,
            .stop_fds = {stop.out.get()},
            .proxy = Proxy{.place = "place",
                           .waits = second.request({"a"}).holder,
                           .on_look = [this](const Outcome&) { ++looks; }}};
  }

  testing::Pipe stop;
  std::atomic<int> looks = 0;
};

INSTANTIATE_TEST_SUITE_P(Stores, WaitingForOthers, ::testing::Values("sqlite", "files"),
                         [](const auto& each) { return each.param; });

TEST_P(WaitingForOthers, KeepsThePlaceWhenItIsToldToStopAndComesBackToIt) {
  holder.take("a");
  Answer stopped = ask(first, first.request({"a"}), patience());
  holder.await_tickets("a", 1);
  ASSERT_EQ(write(stop.in.get(), "x", 1), 1);
  EXPECT_EQ(fault_of(stopped.get()), "cancelled");
  EXPECT_GE(looks, 1);
  ASSERT_EQ(holder.tickets("a").size(), 1U) << "it is still in line";
  const std::uint64_t place = holder.tickets("a").front().token;
  EXPECT_EQ(holder.tickets("a").front().holder.pid, second.request({"a"}).holder.pid);

  Answer behind = ask(second, {"a"});
  holder.await_tickets("a", 2);
  Patience again = patience();
  again.stop_fds.clear();
  Answer answer = ask(first, first.request({"a"}), again);
  must(holder.locks.release("a", holder.run));

  EXPECT_EQ(run_of(answer.get()), "run-first");
  EXPECT_LT(place, first.lease("a")->token);
  must(first.locks.release("a", first.run));
  EXPECT_EQ(run_of(behind.get()), "run-second");
}

TEST_P(WaitingForOthers, IsPassedOverWhenThatProcessIsGone) {
  holder.take("a");
  Answer stopped = ask(first, first.request({"a"}), patience());
  holder.await_tickets("a", 1);
  ASSERT_EQ(write(stop.in.get(), "x", 1), 1);
  EXPECT_EQ(fault_of(stopped.get()), "cancelled");
  ASSERT_EQ(::kill(second.process.pid(), SIGKILL), 0);
  EXPECT_EQ(second.process.code(), 128 + SIGKILL);
  must(holder.locks.release("a", holder.run));

  EXPECT_EQ(run_of(acquire(first.locks, *first.store, first.request({"a"}), {})), "run-first");

  EXPECT_TRUE(first.tickets("a").empty());
}

}  // namespace
}  // namespace tyer::lock
