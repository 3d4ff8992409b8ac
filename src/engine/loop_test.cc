// A step with a thread of its own.

#include "engine/loop.h"

#include <atomic>
#include <latch>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "engine/limits.h"
#include "env/linux_clock.h"

namespace tyer::engine {
namespace {

// Lines of a Log, and how often something happened.
class Counter {
 public:
  void add(std::string line = "") {
    {
      const std::scoped_lock lock(mutex_);
      lines_.push_back(std::move(line));
    }
    changed_.notify_all();
  }

  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_.size() >= count; });
  }

  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return lines_.size();
  }

  std::string line(std::size_t index) const {
    const std::scoped_lock lock(mutex_);
    return index < lines_.size() ? lines_[index] : "";
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

struct LoopTest : ::testing::Test {
  env::LinuxClock clock;
  Counter steps;
  Counter said;
  Log log{Log::Form::text, Level::info, [] { return Time{}; },
          [this](std::string_view line) { said.add(std::string(line)); }};
};

TEST_F(LoopTest, StepsAtOnceAndThenWhenItWasAskedTo) {
  const Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    steps.add();
    return steps.count() < 3 ? now + 1ms : now + 1h;
  });

  steps.wait_for(3);

  EXPECT_EQ(said.count(), 0U);
}

TEST_F(LoopTest, StepsAgainAtOnceIfThereIsMoreToDo) {
  const Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    steps.add();
    return steps.count() < 100 ? now : now + 1h;
  });

  steps.wait_for(100);
}

TEST_F(LoopTest, IsGivenTheTime) {
  const Time before = clock.now();
  std::atomic<Time> given{};
  const Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    given = now;
    steps.add();
    return never;
  });

  steps.wait_for(1);

  EXPECT_GE(given.load(), before);
  EXPECT_LE(given.load(), clock.now());
}

TEST_F(LoopTest, IsWokenByAHint) {
  Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    steps.add();
    return now + 1h;
  });

  for (std::size_t i = 1; i < 20; ++i) {
    steps.wait_for(i);
    loop.hint();
  }
  steps.wait_for(20);
}

TEST_F(LoopTest, DoesNotMissAHintThatComesDuringAStep) {
  std::latch hinted(1);
  Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    steps.add();
    hinted.wait();
    return now + 1h;
  });

  steps.wait_for(1);
  loop.hint();
  hinted.count_down();

  steps.wait_for(2);
}

TEST_F(LoopTest, WaitsLongerAfterEachFailureAndSaysSo) {
  const Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    steps.add();
    if (steps.count() == 3) return now;
    if (steps.count() > 4) return now + 1h;
    return fail(Fault::unavailable, "the store does not answer");
  });

  steps.wait_for(5);

  ASSERT_EQ(said.count(), 3U);
  EXPECT_NE(said.line(0).find("the store does not answer"), std::string::npos) << said.line(0);
  EXPECT_NE(said.line(0).find("50ms"), std::string::npos) << said.line(0);
  EXPECT_NE(said.line(1).find("100ms"), std::string::npos) << said.line(1);
  EXPECT_NE(said.line(2).find("50ms"), std::string::npos)
      << "it was well in between: " << said.line(2);
}

TEST_F(LoopTest, DoesNotLetHintsCutThePauseAfterAFailure) {
  const Span before = clock.mono();
  std::atomic<Loop*> self = nullptr;
  std::latch known(1);
  Loop loop("part", clock, log, [&](Time now) -> Result<Time> {
    known.wait();
    steps.add();
    self.load()->hint();
    if (steps.count() < 3) return fail(Fault::timeout, "the store is busy");
    return now + 1h;
  });
  self = &loop;
  known.count_down();

  steps.wait_for(3);

  EXPECT_GE(clock.mono() - before, 3 * limits::backoff_first);
}

TEST_F(LoopTest, EndsWithoutWaitingForItsTime) {
  for (const Time next : {never, Time{}}) {
    Counter once;
    const Loop loop("part", clock, log, [&](Time) -> Result<Time> {
      once.add();
      return next;
    });
    once.wait_for(1);
  }
}

TEST_F(LoopTest, EndsBeforeItsFirstStepIsAskedForAgain) {
  const Loop loop("part", clock, log, [&](Time now) -> Result<Time> { return now + 1h; });
}

TEST_F(LoopTest, EndsInThePauseAfterAFailure) {
  const Loop loop("part", clock, log, [&](Time) -> Result<Time> {
    steps.add();
    return fail(Fault::unavailable, "no");
  });
  steps.wait_for(2);
}

TEST_F(LoopTest, WaitsForTheStepThatIsRunningBeforeItEnds) {
  std::latch go_on(1);
  std::atomic<bool> done = false;
  std::optional<Loop> loop;
  loop.emplace("part", clock, log, [&](Time now) -> Result<Time> {
    steps.add();
    go_on.wait();
    done = true;
    return now;
  });
  steps.wait_for(1);
  std::jthread ender([&] {
    loop.reset();
    EXPECT_TRUE(done);
  });
  go_on.count_down();
}

TEST(Backoff, DoublesUpToItsLimit) {
  Span pause{};
  std::vector<Span> pauses;
  for (int i = 0; i < 9; ++i) pauses.push_back(pause = next_backoff(pause));

  EXPECT_EQ(pauses, (std::vector<Span>{50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5s, 5s}));
}

}  // namespace
}  // namespace tyer::engine
