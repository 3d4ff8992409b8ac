// Group commit with real threads.

#include "engine/writer.h"

#include <latch>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/apply.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::EngineWorld;
using testing::fault_of;
using testing::member;
using testing::must;
using testing::WatchedStore;

// Threads that write one thing after the other, and a store so slow that each
// commit lasts until all of them have come with their next work.
class Crowd {
 public:
  explicit Crowd(int threads) : writing_(threads) {}

  void come() { change(1, 0); }
  void leave() { change(-1, 0); }
  void go_home() { change(0, -1); }

  void wait_until_all_have_come() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ == writing_; });
  }

 private:
  void change(int inside, int writing) {
    {
      const std::scoped_lock lock(mutex_);
      inside_ += inside;
      writing_ += writing;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  int writing_;
};

struct WriterTest : ::testing::Test {
  store::Work work(const std::string& key, const std::string& type,
                   const std::string& body = "{}") {
    return [=, this](store::Txn& txn) -> Result<> {
      TYER_TRY_OK(apply(txn, world.catalog, change_of(key, type, body), {"tester"}));
      return {};
    };
  }

  EngineWorld world;
  WatchedStore& store = world.here.store;
};

TEST_F(WriterTest, CommitsAWorkThatComesAloneAtOnce) {
  Writer writer(store);

  must(writer.write(work("item/a", "item.made")));
  must(writer.write(work("item/a", "item.noted")));

  EXPECT_EQ(world.subject("item/a")->rev, 2U);
  EXPECT_EQ(store.commits, 2);
}

TEST_F(WriterTest, CommitsAWorkThatComesAloneInTheThreadThatBringsIt) {
  Writer writer(store);
  std::thread::id by;
  store.before_commit = [&] { by = std::this_thread::get_id(); };

  must(writer.write(work("item/a", "item.made")));

  EXPECT_EQ(by, std::this_thread::get_id());
}

TEST_F(WriterTest, TellsAWorkWhatCameOfItBeforeAnybodyElse) {
  Writer writer(store);
  std::vector<std::string> told;
  writer.on_commit([&] { told.push_back("readers"); });
  store::Work good = work("item/a", "item.made");
  good.settled = [&](const Result<>& result) { told.push_back(result ? "made" : "failed"); };
  store::Work bad = work("item/a", "item.made");
  bad.settled = [&](const Result<>& result) { told.push_back(result ? "made" : "failed"); };

  must(writer.write(good));
  EXPECT_FALSE(writer.write(bad));

  EXPECT_EQ(told, (std::vector<std::string>{"made", "readers", "failed", "readers"}));
}

TEST_F(WriterTest, LetsWaitingWorksShareACommitAndKeepsTheirOrder) {
  constexpr int threads = 8;
  constexpr int works = 25;
  Crowd crowd(threads);
  store.before_commit = [&] { crowd.wait_until_all_have_come(); };
  {
    Writer writer(store);
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        for (int i = 0; i < works; ++i) {
          crowd.come();
          must(writer.write(
              work(fmt::format("echo/{}", thread), "echo.heard", fmt::format(R"({{"i":{}}})", i))));
          crowd.leave();
        }
        crowd.go_home();
      });
    }
  }

  EXPECT_EQ(world.head().seq, static_cast<std::uint64_t>(threads * works));
  EXPECT_LT(store.commits, threads * works);
  for (int thread = 0; thread < threads; ++thread) {
    int next = 0;
    for (const core::Event& event : world.events(fmt::format("echo/{}", thread))) {
      EXPECT_EQ(member(event.body, "i"), std::to_string(next++));
    }
  }
}

TEST_F(WriterTest, GivesEachWorkItsOwnAnswerAndDoesNotLetNeighboursSuffer) {
  constexpr int threads = 6;
  constexpr int works = 20;
  Crowd crowd(threads);
  store.before_commit = [&] { crowd.wait_until_all_have_come(); };
  {
    Writer writer(store);
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        for (int i = 0; i < works; ++i) {
          const std::string key = fmt::format("item/{}/{}", thread, i);
          const bool fails = (thread + i) % 3 == 0;
          crowd.come();
          const Result<> answer = writer.write([&](store::Txn& txn) -> Result<> {
            TYER_TRY_OK(work(key, "item.made").run(txn));
            if (fails) return fail(Fault::denied, key);
            return {};
          });
          crowd.leave();
          EXPECT_EQ(answer.has_value(), !fails);
          if (!answer) {
            EXPECT_EQ(answer.error().what, key);
          }
        }
        crowd.go_home();
      });
    }
  }

  for (int thread = 0; thread < threads; ++thread) {
    for (int i = 0; i < works; ++i) {
      EXPECT_EQ(world.status(fmt::format("item/{}/{}", thread, i)),
                (thread + i) % 3 == 0 ? "" : "open");
    }
  }
}

TEST_F(WriterTest, TellsEveryWorkOfABatchWhenItsCommitFails) {
  Writer writer(store);
  store.refuses_commits = true;

  EXPECT_EQ(fault_of(writer.write(work("item/a", "item.made"))), "limit");
  EXPECT_EQ(
      fault_of(writer.write([](store::Txn&) -> Result<> { return fail(Fault::denied, "no"); })),
      "denied");
  store.refuses_commits = false;
  EXPECT_TRUE(writer.write(work("item/a", "item.made")));
}

TEST_F(WriterTest, TellsThatTheStoreCannotBeReached) {
  Writer writer(store);
  store.cut = true;

  EXPECT_EQ(fault_of(writer.write(work("item/a", "item.made"))), "unavailable");
  store.cut = false;
  EXPECT_TRUE(writer.write(work("item/a", "item.made")));
}

TEST_F(WriterTest, DoesNotCommitWhatWritesNothing) {
  Writer writer(store);

  must(writer.write([](store::Txn&) -> Result<> { return {}; }));

  EXPECT_EQ(store.commits, 0);
}

TEST_F(WriterTest, EndsOnlyWhenWhatItWasGivenIsCommitted) {
  std::latch committing(1);
  std::latch go_on(1);
  store.before_commit = [&] {
    committing.count_down();
    go_on.wait();
  };
  std::optional<Writer> writer(std::in_place, store);
  std::jthread caller([&] { must(writer->write(work("item/a", "item.made"))); });
  committing.wait();
  std::jthread ender([&] { writer.reset(); });
  go_on.count_down();

  ender.join();

  EXPECT_EQ(store.commits, 1);
  EXPECT_TRUE(world.subject("item/a"));
}

TEST_F(WriterTest, HintsBeforeTheAnswerThatThereIsSomethingToRead) {
  Writer writer(store);
  std::atomic<int> hints = 0;
  writer.on_commit([&] { ++hints; });

  must(writer.write(work("item/a", "item.made")));
  EXPECT_EQ(hints, 1);
  must(writer.write(work("item/b", "item.made")));
  EXPECT_EQ(hints, 2);
}

TEST_F(WriterTest, AnswersWithoutAThreadThatWaits) {
  constexpr int works = 20;
  std::vector<std::string> answers;
  std::latch all(works);
  Writer writer(store);
  // Each answer brings the next work; every third work is refused.
  std::function<void(int)> submit = [&](int i) {
    const std::string key = fmt::format("item/{}", i / 3 * 3 == i ? 0 : i);
    must(writer.submit(work(key, "item.made"), [&, i](const Result<>& answer) {
      answers.emplace_back(answer ? "made" : fault_of(answer));
      if (i + 1 < works) submit(i + 1);
      all.count_down();
    }));
  };
  submit(0);
  all.wait();

  EXPECT_EQ(answers.size(), static_cast<std::size_t>(works));
  for (int i = 0; i < works; ++i) {
    EXPECT_EQ(answers[static_cast<std::size_t>(i)], i == 0 || i % 3 != 0 ? "made" : "conflict")
        << i;
  }
}

TEST_F(WriterTest, LetsThoseWithAndWithoutAThreadShareACommit) {
  std::latch committing(1);
  std::latch go_on(1);
  std::latch answered(2);
  bool first = true;
  store.before_commit = [&] {
    if (!std::exchange(first, false)) return;
    committing.count_down();
    go_on.wait();
  };
  Writer writer(store);
  std::jthread busy([&] { must(writer.write(work("item/a", "item.made"))); });
  committing.wait();
  for (const char* key : {"item/b", "item/c"}) {
    must(writer.submit(work(key, "item.made"), [&](const Result<>& answer) {
      EXPECT_TRUE(answer);
      EXPECT_EQ(store.commits, 2);
      answered.count_down();
    }));
  }
  go_on.count_down();
  answered.wait();
}

TEST_F(WriterTest, ServesAnEngine) {
  Writer writer(store);
  Engine engine(world.here.env, store, world.catalog,
                [&](const store::Work& each) { return writer.write(each); });

  const Applied applied =
      must(engine.apply({"tester"}, [](const core::View&, Time) -> Result<core::Change> {
        return change_of("item/a", "item.made");
      }));

  EXPECT_EQ(applied.seq, 1U);
  EXPECT_TRUE(world.subject("item/a"));
}

}  // namespace
}  // namespace tyer::engine
