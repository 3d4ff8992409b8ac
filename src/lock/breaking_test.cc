#include "lock/breaking.h"

#include <csignal>
#include <future>

#include <gtest/gtest.h>

#include "env/wait_readable.h"
#include "support/engine_world.h"
#include "support/lock_client.h"

namespace tyer::lock {
namespace {

using testing::LockClient;
using testing::LockStore;
using testing::must;

struct Breaking : ::testing::TestWithParam<std::string> {
  std::future<Result<Broken>> start(const core::Lease& lease) {
    return std::async(std::launch::async, [this, token = lease.token] {
      return breaker.locks.break_lock("a", token, "bob", {.why = "it hangs"});
    });
  }

  const std::unique_ptr<testing::Backend> backend = testing::make_backend(GetParam());
  LockClient victim{*backend, "run-victim"};
  LockClient next{*backend, "run-next"};
  LockStore breaker{*backend};
};

INSTANTIATE_TEST_SUITE_P(Stores, Breaking, ::testing::Values("sqlite", "files"),
                         [](const auto& each) { return each.param; });

TEST_P(Breaking, KeepsOthersOutUntilAHolderThatEndsWithItsLockIsGone) {
  const core::Lease lease = victim.take("a");
  const auto bell = env::Bell::hang(ending_bell(lease.holder));
  ASSERT_TRUE(bell);

  auto broken = start(lease);
  ASSERT_TRUE(*env::wait_readable(bell->fd(), testing::give_up_after));
  const Outcome refused = must(next.locks.acquire(next.request({"a"})));
  kill(victim.process.pid(), SIGKILL);

  ASSERT_EQ(refused.held.size(), 1U);
  EXPECT_EQ(refused.held[0].lease.command, "waiting for the end of pid " +
                                               std::to_string(victim.process.pid()) +
                                               ", whose lock was broken");
  EXPECT_EQ(must(broken.get()).holding, Holding::ended);
  EXPECT_EQ(testing::run_of(next.locks.acquire(next.request({"a"}))), "run-next");
}

// It is kept for the process that had it, not for the one that breaks it and has better to do.
TEST_P(Breaking, KeepsOthersOutAlsoIfItDoesNotWaitForTheEnd) {
  const core::Lease lease = victim.take("a");
  const auto bell = env::Bell::hang(ending_bell(lease.holder));
  ASSERT_TRUE(bell);

  const Broken broken =
      must(breaker.locks.break_lock("a", lease.token, "bob", {.wait = Span::zero()}));
  const Outcome refused = must(next.locks.acquire(next.request({"a"})));
  kill(victim.process.pid(), SIGKILL);
  ASSERT_TRUE(testing::has_ended(victim.process.pid()));

  EXPECT_EQ(broken.holding, Holding::ending);
  EXPECT_TRUE(refused.got.empty());
  EXPECT_EQ(testing::run_of(next.locks.acquire(next.request({"a"}))), "run-next");
}

TEST_P(Breaking, WakesAHolderThatGoesOnAndDoesNotWaitForIt) {
  const core::Lease lease = victim.take("a");
  const auto bell = env::Bell::hang(listening_bell(lease.holder));
  ASSERT_TRUE(bell);

  EXPECT_EQ(must(start(lease).get()).holding, Holding::running);

  EXPECT_TRUE(bell->silence());
  EXPECT_EQ(testing::run_of(next.locks.acquire(next.request({"a"}))), "run-next");
}

TEST_P(Breaking, SeesThatTheHolderWasGoneAlready) {
  const core::Lease lease = victim.take("a");
  kill(victim.process.pid(), SIGKILL);
  ASSERT_TRUE(testing::has_ended(victim.process.pid()));

  EXPECT_EQ(must(start(lease).get()).holding, Holding::ended);
}

}  // namespace
}  // namespace tyer::lock
