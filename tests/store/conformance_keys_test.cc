// Finding things by key in every store: what is brought along for a work, and the
// events of a key in a long log.

#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "store/conformance.h"

namespace tyer::testing {
namespace {

using store::Txn;

class AnyStoreByKey : public AnyStore {
 protected:
  std::atomic<std::uint64_t> seen = 0;

  // Puts `subject` and `lease` through the given store, the keys known beforehand.
  static void set(store::Store& store, std::uint64_t number) {
    const std::string key = "lock/x";
    ASSERT_OK(store::write(store, {[&](Txn& txn) -> Result<> {
                                     txn.put(subject(key, number));
                                     txn.put(lease(key, number));
                                     txn.append(event(key));
                                     return {};
                                   },
                                   {key}}));
  }

  static void expect(store::Store& store, std::uint64_t number) {
    const std::vector<std::string> keys{"lock/x", "lock/absent", "lock/\"quoted\\,{}"};
    ASSERT_OK(store::write(store, {[&](Txn& txn) -> Result<> {
                                     EXPECT_EQ(txn.subject(keys[0])->value().rev, number);
                                     EXPECT_EQ(txn.lease(keys[0])->value().token, number);
                                     for (const std::string& key : {keys[1], keys[2]}) {
                                       EXPECT_FALSE(*txn.subject(key));
                                       EXPECT_FALSE(*txn.lease(key));
                                     }
                                     return {};
                                   },
                                   keys}));
  }

  // Events with every `kinds`-th key of its own, in batches.
  void append_events(std::uint64_t count) {
    constexpr std::uint64_t batch = 1'000;
    for (std::uint64_t from = 0; from < count; from += batch) {
      ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
        for (std::uint64_t i = from; i < std::min(from + batch, count); ++i) {
          txn.append(event(fmt::format("a/{}", i % 10)));
        }
        return {};
      }));
    }
  }

  // The numbers of the events of `root`, read in pages of `page`.
  std::vector<std::uint64_t> numbers(const std::string& root, std::size_t page) {
    std::vector<std::uint64_t> all;
    const Result<> read = store->read([&](const core::View& view) -> Result<> {
      all.clear();
      while (true) {
        const std::uint64_t after = all.empty() ? 0 : all.back();
        TYER_TRY(const auto events, view.events({.after = after, .root = root, .limit = page}));
        for (const core::Event& one : events) all.push_back(one.seq);
        if (events.size() < page) return {};
      }
    });
    EXPECT_TRUE(read);
    return all;
  }
};

TEST_P(AnyStoreByKey, BringsAlongWhatIsCommittedAndNothingStale) {
  set(*store, 1);
  expect(*store, 1);
  set(*store, 2);
  expect(*store, 2);

  const auto other = open();
  set(*other, 3);
  expect(*store, 3);
  expect(*other, 3);
  set(*store, 4);
  expect(*other, 4);
}

TEST_P(AnyStoreByKey, ForgetsWhatAFailedWorkHadChanged) {
  set(*store, 1);
  const Result<> failed = store::write(*store, {[&](Txn& txn) -> Result<> {
                                                  txn.put(subject("lock/x", 9));
                                                  txn.drop_lease("lock/x");
                                                  return fail(Fault::denied, "no");
                                                },
                                                {"lock/x"}});
  EXPECT_FALSE(failed);
  expect(*store, 1);
}

TEST_P(AnyStoreByKey, FindsTheEventsOfAKeyInALongLog) {
  constexpr std::uint64_t events = 12'345;
  append_events(events);

  std::vector<std::uint64_t> every_tenth;
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < events; ++i) {
    if (i % 10 == 7) every_tenth.push_back(i + 1);
    all.push_back(i + 1);
  }
  EXPECT_EQ(numbers("a/7", 1'000), every_tenth);
  EXPECT_EQ(numbers("a/7", 33), every_tenth);
  EXPECT_EQ(numbers("a", 1'000), all);
  EXPECT_EQ(numbers("a/77", 10), std::vector<std::uint64_t>{});
  EXPECT_EQ(*store->check(), std::vector<std::string>{});

  constexpr std::uint64_t kept_from = 9'000;
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.trim(kept_from);
    return {};
  }));
  std::erase_if(every_tenth, [&](std::uint64_t seq) { return seq < kept_from; });
  EXPECT_EQ(numbers("a/7", 100), every_tenth);
  EXPECT_EQ(*store->check(), std::vector<std::string>{});
}

// A hint that comes before the commit can be seen is of no use if none follows.
TEST_P(AnyStoreByKey, TellsAWatchOfEveryCommitOnceItCanBeSeen) {
  constexpr std::uint64_t commits = 100;
  const auto durable = backend->open(world.env, store::Durability::full);
  ASSERT_OK(durable);
  const auto watch = store->watch();
  ASSERT_OK(watch);
  std::jthread writer([&] {
    for (std::uint64_t i = 1; i <= commits; ++i) {
      set(**durable, i);
      // The next one would hide that this one was not told.
      seen.wait(i - 1);
    }
  });
  while (seen < commits) {
    const auto told = (*watch)->wait(20s);
    ASSERT_OK(told);
    ASSERT_TRUE(*told) << "after " << seen << " commits";
    ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head head, view.head());
      seen = head.seq;
      return {};
    }));
    seen.notify_all();
  }
}

TYER_ON_EVERY_STORE(AnyStoreByKey);

}  // namespace
}  // namespace tyer::testing
