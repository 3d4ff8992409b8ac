// A process that waits for a lock, and is killed or stopped while it does: L8 and L10.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

#include "lock/waiting.h"
#include "support/engine_world.h"
#include "support/lock_client.h"

namespace tyer::lock {
namespace {

using testing::Answer;
using testing::ask;
using testing::LockClient;
using testing::LockStore;
using testing::must;
using testing::run_of;

// A process that waits for "a" by itself, and holds it for a moment.
struct WaitingProcess : ::testing::TestWithParam<std::string> {
  int wait_and_release() {
    if (go.line() != "go") return 3;
    LockStore own(*backend);
    const Request request{.names = {"a"}, .holder = own.env.env().processes.self("run-process")};
    const auto outcome = acquire(own.locks, *own.store, request, {testing::give_up_after, {}});
    if (run_of(outcome) != "run-process") return 1;
    return own.locks.release("a", "run-process") ? 0 : 2;
  }

  // Somebody holds the lock, and the process is the first to wait for it.
  void SetUp() override {
    holder.take("a");
    ASSERT_EQ(write(go.in.get(), "go\n", 3), 3);
    holder.await_tickets("a", 1);
  }

  // Its ticket is seen a moment before it has let go of the store. While we write, it has.
  void stop_process() {
    int status = 0;
    must(store::write(*holder.store, [&](store::Txn&) -> Result<> {
      kill(process.pid(), SIGSTOP);
      EXPECT_EQ(waitpid(process.pid(), &status, WUNTRACED), process.pid());
      return {};
    }));
    ASSERT_TRUE(WIFSTOPPED(status));
  }

  const std::unique_ptr<testing::Backend> backend = testing::make_backend(GetParam());
  testing::Pipe go;
  testing::Forked process{[this] { return wait_and_release(); }};
  LockClient holder{*backend, "run-holder"};
  LockClient second{*backend, "run-second"};
};

INSTANTIATE_TEST_SUITE_P(Stores, WaitingProcess, ::testing::Values("sqlite", "files"),
                         [](const auto& each) { return each.param; });

TEST_P(WaitingProcess, GetsTheLockBeforeOneThatDoesNotWait) {
  must(holder.locks.release("a", holder.run));

  const auto outcome = must(acquire(second.locks, *second.store, second.request({"a"}), {}));

  EXPECT_TRUE(outcome.next.empty()) << "it had its turn";
  EXPECT_EQ(process.code(), 0);
  const auto events = holder.events("a");
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(testing::member(events[2].body, "run"), "run-process");
}

TEST_P(WaitingProcess, DoesNotBlockTheQueueWhenItIsKilled) {
  Answer answer = ask(second, {"a"});
  holder.await_tickets("a", 2);
  kill(process.pid(), SIGKILL);
  ASSERT_EQ(process.code(), 128 + SIGKILL);

  must(holder.locks.release("a", holder.run));

  EXPECT_EQ(run_of(answer.get()), "run-second");
  EXPECT_TRUE(holder.tickets("a").empty()) << "the dead one's ticket is cleared away";
}

TEST_P(WaitingProcess, DoesNotBlockTheQueueWhenItIsKilledInItsTurn) {
  stop_process();
  Answer answer = ask(second, {"a"});
  holder.await_tickets("a", 2);
  must(holder.locks.release("a", holder.run));

  kill(process.pid(), SIGKILL);

  EXPECT_EQ(run_of(answer.get()), "run-second");
}

TEST_P(WaitingProcess, IsPassedOverWhileItIsStoppedButKeepsItsPlace) {
  const std::uint64_t place = holder.tickets("a").front().token;
  stop_process();
  Answer answer = ask(second, {"a"});
  holder.await_tickets("a", 2);

  must(holder.locks.release("a", holder.run));
  EXPECT_EQ(run_of(answer.get()), "run-second");

  ASSERT_EQ(holder.tickets("a").size(), 1U);
  EXPECT_EQ(holder.tickets("a").front().token, place);
  kill(process.pid(), SIGCONT);
  must(second.locks.release("a", second.run));
  EXPECT_EQ(process.code(), 0) << "it gets the lock after all";
}

// L10: the pid is gone; nobody was told.
TEST_P(WaitingProcess, GetsTheLockOfAHolderThatIsKilled) {
  kill(holder.process.pid(), SIGKILL);

  EXPECT_EQ(process.code(), 0);
}

}  // namespace
}  // namespace tyer::lock
