// Keeping locks for another process, with real processes and stores: L9.

#include "lock/keeping.h"

#include <unistd.h>

#include <csignal>
#include <future>
#include <set>

#include <gtest/gtest.h>

#include "support/engine_world.h"
#include "support/lock_client.h"

namespace tyer::lock {
namespace {

using testing::fault_of;
using testing::LockClient;
using testing::LockStore;
using testing::member;
using testing::must;

using Names = std::vector<std::string>;

struct Keeping : ::testing::TestWithParam<std::string> {
  std::future<Result<>> start(const Names& names, Span heartbeat = limits::heartbeat_every) {
    return std::async(std::launch::async, [this, names, heartbeat] {
      return keep(*desk, names, agent.run, heartbeat, stop.out.get());
    });
  }

  // It has renewed the lock `name` for the first time.
  void await_start(const std::string& name, const core::Lease& granted) {
    watcher.await([&] {
      const auto lease = watcher.lease(name);
      return !lease || lease->heard_mono != granted.heard_mono;
    });
  }

  void stop_keeping() { ASSERT_EQ(write(stop.in.get(), "x", 1), 1); }

  const std::unique_ptr<testing::Backend> backend = testing::make_backend(GetParam());
  testing::Pipe stop;
  LockClient agent{*backend, "run-agent"};
  LockStore keeper{*backend};
  const std::unique_ptr<Desk> desk = make_near_desk(keeper.locks, *keeper.store);
  LockStore watcher{*backend};
};

INSTANTIATE_TEST_SUITE_P(Stores, Keeping, ::testing::Values("sqlite", "files"),
                         [](const auto& each) { return each.param; });

TEST_P(Keeping, RenewsWhileTheProcessLives) {
  agent.take("a");
  auto kept = start({"a"}, 10ms);

  std::set<Time> heard;
  watcher.await([&] {
    heard.insert(watcher.lease("a")->heard_at);
    return heard.size() >= 5;
  });

  stop_keeping();
  must(kept.get());
}

TEST_P(Keeping, BeatsAsOftenAsAShortSilenceNeedsIt) {
  agent.take("a", 600ms);
  auto kept = start({"a"});

  std::set<Time> heard;
  watcher.await([&] {
    heard.insert(watcher.lease("a")->heard_at);
    return heard.size() >= 5;
  });

  stop_keeping();
  must(kept.get());
}

TEST_P(Keeping, EndsTheLocksWithTheProcess) {
  const core::Lease a = agent.take("a");
  const core::Lease b = agent.take("b");
  auto kept = start({"a", "b"});
  await_start("a", a);
  await_start("b", b);

  kill(agent.process.pid(), SIGKILL);

  must(kept.get());
  for (const std::string name : {"a", "b"}) {
    EXPECT_FALSE(watcher.lease(name));
    const core::Event last = watcher.events(name).back();
    EXPECT_EQ(last.type, "lease.lapsed");
    EXPECT_EQ(member(last.body, "verdict"), "orphaned");
    EXPECT_EQ(member(last.body, "why"), "no process " + std::to_string(agent.process.pid()));
  }
}

TEST_P(Keeping, EndsTheLocksOfAProcessThatHasEndedBefore) {
  agent.take("a");
  kill(agent.process.pid(), SIGKILL);
  ASSERT_TRUE(testing::has_ended(agent.process.pid()));

  must(start({"a"}).get());

  EXPECT_EQ(watcher.events("a").back().type, "lease.lapsed");
}

TEST_P(Keeping, EndsWhenTheLockIsReleased) {
  const core::Lease lease = agent.take("a");
  auto kept = start({"a"});
  await_start("a", lease);

  must(agent.locks.release("a", agent.run));

  must(kept.get());
  EXPECT_EQ(watcher.events("a").back().type, "lease.released");
}

TEST_P(Keeping, EndsWhenTheLockIsBroken) {
  const core::Lease lease = agent.take("a");
  auto kept = start({"a"});
  await_start("a", lease);

  must(watcher.locks.break_lock("a", lease.token, "bob", {.why = "it hangs"}));

  must(kept.get());
  EXPECT_EQ(watcher.events("a").back().type, "lease.broken");
}

// L6: never a successor's lease.
TEST_P(Keeping, LeavesASuccessorAlone) {
  LockClient other(*backend, "run-other");
  const core::Lease lease = agent.take("a");
  auto kept = start({"a"});
  await_start("a", lease);

  must(watcher.locks.break_lock("a", lease.token, "bob", {.why = "it hangs"}));
  const core::Lease taken = other.take("a");
  kill(agent.process.pid(), SIGKILL);

  must(kept.get());
  EXPECT_EQ(watcher.lease("a"), taken);
}

TEST_P(Keeping, KeepsTheOthersWhenOneIsReleased) {
  const core::Lease a = agent.take("a");
  const core::Lease b = agent.take("b");
  auto kept = start({"a", "b"});
  await_start("a", a);
  await_start("b", b);
  must(agent.locks.release("a", agent.run));

  kill(agent.process.pid(), SIGKILL);

  must(kept.get());
  EXPECT_EQ(watcher.events("a").back().type, "lease.released");
  EXPECT_EQ(watcher.events("b").back().type, "lease.lapsed");
}

TEST_P(Keeping, KeepsTheOthersIfOneHadEndedBeforeItBegan) {
  const core::Lease b = agent.take("b");
  auto kept = start({"a", "b"});
  await_start("b", b);

  kill(agent.process.pid(), SIGKILL);

  must(kept.get());
  EXPECT_EQ(watcher.events("b").back().type, "lease.lapsed");
}

TEST_P(Keeping, HasNothingToDoIfAllHaveEnded) {
  EXPECT_EQ(fault_of(start({"a"}).get()), "not_found");
  EXPECT_EQ(fault_of(start({}).get()), "not_found");

  EXPECT_EQ(fault_of(start({""}).get()), "invalid");
}

TEST_P(Keeping, LeavesTheLockAloneWhenItIsToldToStop) {
  const core::Lease lease = agent.take("a");
  auto kept = start({"a"});
  await_start("a", lease);

  stop_keeping();

  must(kept.get());
  ASSERT_TRUE(watcher.lease("a"));
  EXPECT_EQ(watcher.lease("a")->token, lease.token);
}

}  // namespace
}  // namespace tyer::lock
