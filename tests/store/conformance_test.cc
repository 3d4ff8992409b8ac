// One suite for every store: what is promised by src/store/store.h. A store
// that passes it can be used by everything above without a difference. Its lists are
// in conformance_lists_test.cc.

#include "store/conformance.h"

#include <thread>

#include <fmt/format.h>

namespace tyer::testing {
namespace {

using store::Txn;

TEST_P(AnyStore, StartsEmpty) {
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ(*view.head(), core::Head{});
    EXPECT_EQ(*view.subject("a/b"), std::nullopt);
    EXPECT_EQ(*view.lease("a/b"), std::nullopt);
    EXPECT_EQ(*view.cursor("r"), (core::Cursor{"r", 0}));
    EXPECT_TRUE(view.subjects({})->empty());
    EXPECT_TRUE(view.leases("", 10)->empty());
    EXPECT_TRUE(view.events({})->empty());
    EXPECT_TRUE(view.due(never, 10)->empty());
    EXPECT_TRUE(view.cursors()->empty());
    return {};
  }));
}

TEST_P(AnyStore, KeepsEveryFieldOfWhatWasCommitted) {
  core::Subject full{.key = "task/팀/1",
                     .parent = "team/팀",
                     .status = "ready",
                     .due_at = from_micros(1'700'000'000'000'001),
                     .rev = 3,
                     .state = R"({"text":"a \"quoted\" \\ line\nand 한국어 🚂","n":-1.5})"};
  core::Event told = event("task/팀/1", "task.readied");
  told.rev = 3;
  told.cause = 17;
  told.body = R"({"why":"it's {\"a\",\"b\"} \\n"})";

  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(full);
    txn.put(lease("lock/x", 1));
    txn.put(core::Cursor{"rule/a", 1});
    txn.append(told);
    return {};
  }));

  for (int reopened = 0; reopened < 2; ++reopened, store = open()) {
    ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
      EXPECT_EQ(*view.subject("task/팀/1"), full);
      EXPECT_EQ(*view.lease("lock/x"), lease("lock/x", 1));
      EXPECT_EQ(view.cursor("rule/a")->seq, 1U);
      const auto events = view.events({});
      EXPECT_EQ(events->size(), 1U);
      told.seq = 1;
      told.at = events->front().at;
      EXPECT_EQ(events->front(), told);
      return {};
    }));
  }
}

TEST_P(AnyStore, HidesWhatIsNotYetCommitted) {
  const auto begun = store->begin({});
  ASSERT_OK(begun);
  Txn txn(*begun);
  txn.put(subject("a/1"));
  txn.append(event("a/1"));

  EXPECT_TRUE(*txn.subject("a/1"));
  store->rollback();

  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_FALSE(*view.subject("a/1"));
    EXPECT_EQ(view.head()->seq, 0U);
    return {};
  }));
}

TEST_P(AnyStore, UndoesAWorkThatFailsAndKeepsItsNeighbours) {
  const std::vector<store::Work> works{[](Txn& txn) -> Result<> {
                                         txn.put(subject("a/1"));
                                         txn.append(event("a/1"));
                                         return {};
                                       },
                                       [](Txn& txn) -> Result<> {
                                         txn.put(subject("a/1", 9));
                                         txn.put(subject("a/2"));
                                         txn.put(lease("lock/x", 2));
                                         txn.put(core::Cursor{"r", 2});
                                         txn.append(event("a/2"));
                                         return fail(Fault::conflict, "no");
                                       },
                                       [](Txn& txn) -> Result<> {
                                         EXPECT_EQ((*txn.subject("a/1"))->rev, 1U);
                                         EXPECT_FALSE(*txn.subject("a/2"));
                                         EXPECT_FALSE(*txn.lease("lock/x"));
                                         EXPECT_EQ(txn.append(event("a/3")), 2U);
                                         return {};
                                       }};

  const auto results = store::write_all(*store, works);

  EXPECT_TRUE(results[0]);
  EXPECT_EQ(results[1].error().fault, Fault::conflict);
  EXPECT_TRUE(results[2]);
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ((*view.subject("a/1"))->rev, 1U);
    EXPECT_FALSE(*view.subject("a/2"));
    EXPECT_EQ(view.cursor("r")->seq, 0U);
    EXPECT_EQ(view.events({})->size(), 2U);
    return {};
  }));
}

TEST_P(AnyStore, NumbersEventsWithoutAGapAcrossReopening) {
  for (std::uint64_t round = 0; round < 3; ++round, store = open()) {
    ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
      EXPECT_EQ(txn.append(event("a/1")), 2 * round + 1);
      EXPECT_EQ(txn.append(event("a/1")), 2 * round + 2);
      return {};
    }));
  }
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ(view.head()->seq, 6U);
    EXPECT_EQ(view.head()->first, 1U);
    return {};
  }));
}

// Law 6.
TEST_P(AnyStore, IsNeverBeforeItsNewestEvent) {
  const Time future = from_micros(to_micros(world.clock.now())) + 24h;
  ASSERT_OK(store->begin({}));
  store::Writes writes;
  writes.events.push_back(event("a/1"));
  writes.events.back().seq = 1;
  writes.events.back().at = future;
  ASSERT_OK(store->commit(writes));

  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    EXPECT_GE(txn.now(), future);
    txn.append(event("a/1"));
    return {};
  }));
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_GE(view.events({})->back().at, future);
    return {};
  }));
}

TEST_P(AnyStore, ReplacesAndDropsLeases) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (const char* key : {"lock/b", "lock/a", "task/x/1"}) txn.put(lease(key, 1));
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.drop_lease("lock/b");
    txn.put(lease("lock/a", 7));
    EXPECT_EQ(txn.leases("", 10)->size(), 2U);
    return {};
  }));
  store = open();
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_FALSE(*view.lease("lock/b"));
    EXPECT_EQ((*view.lease("lock/a"))->token, 7U);
    EXPECT_EQ(view.leases("", 1)->front().key, "lock/a");
    EXPECT_EQ(view.leases("lock/a", 5)->front().key, "task/x/1");
    return {};
  }));
}

TEST_P(AnyStore, ForgetsOldEventsButNeverTheNewestNorItsNumber) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (int i = 0; i < 5; ++i) txn.append(event("a/1"));
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.trim(3);
    EXPECT_EQ(txn.events({})->front().seq, 3U);
    return {};
  }));
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ(view.events({})->size(), 3U);
    EXPECT_EQ(view.head()->first, 3U);
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.trim(1000);
    return {};
  }));
  store = open();
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    EXPECT_EQ(txn.append(event("a/1")), 6U);
    return {};
  }));
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ(view.events({})->size(), 2U);
    EXPECT_EQ(view.head()->first, 5U);
    return {};
  }));
}

TEST_P(AnyStore, KeepsCursorsByReader) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(core::Cursor{"rule/b", 1});
    txn.put(core::Cursor{"rule/a b/ü", 2});
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(core::Cursor{"rule/b", 3});
    EXPECT_EQ(txn.cursors()->size(), 2U);
    return {};
  }));
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    const std::vector<core::Cursor> expected{{"rule/a b/ü", 2}, {"rule/b", 3}};
    EXPECT_EQ(*view.cursors(), expected);
    return {};
  }));
}

TEST_P(AnyStore, TakesAwkwardKeysAndLargeBodies) {
  const std::string long_key = "lock/" + std::string(235, 'x');
  const std::vector<std::string> keys{
      "lock/a b",    "lock/a%2Fb", "lock/a/b",    "lock/'; DROP TABLE event; --",
      "lock/*?<>|",  "lock/.hid",  "lock/가나다", "lock/x.lock.json",
      "lock/x.json", "lock/x.tmp", "task/x/.lo",  long_key};
  core::Event large = event("lock/a b");
  large.body = R"({"text":")" + std::string(200'000, 'y') + R"("})";
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (const std::string& key : keys) {
      txn.put(subject(key));
      txn.put(lease(key, 1));
    }
    txn.append(large);
    return {};
  }));
  store = open();
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    for (const std::string& key : keys) {
      EXPECT_TRUE(*view.subject(key)) << key;
      EXPECT_TRUE(*view.lease(key)) << key;
    }
    EXPECT_EQ(view.subjects({})->size(), keys.size());
    EXPECT_EQ(view.leases("", 100)->size(), keys.size());
    EXPECT_EQ(view.events({})->front().body, large.body);
    return {};
  }));
}

// Law 9.
TEST_P(AnyStore, LetsOneWriterInAtATime) {
  const auto second = open();
  const auto count_up = [](store::Store& mine) {
    for (int i = 0; i < 25; ++i) {
      EXPECT_TRUE(store::write(mine, [](Txn& txn) -> Result<> {
        TYER_TRY(const auto row, txn.subject("n/counter"));
        txn.put(subject("n/counter", row ? row->rev + 1 : 1));
        txn.append(event("n/counter"));
        return {};
      }));
    }
  };
  std::thread other([&] { count_up(*second); });
  count_up(*store);
  other.join();

  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ((*view.subject("n/counter"))->rev, 50U);
    EXPECT_EQ(view.head()->seq, 50U);
    EXPECT_EQ(view.events({})->size(), 50U);
    return {};
  }));
}

TEST_P(AnyStore, ShowsReadersOneMomentAndLetsTheWriterGoOn) {
  const auto put_pair = [&](std::uint64_t rev) {
    return store::write(*store, [rev](Txn& txn) -> Result<> {
      txn.put(subject("pair/a", rev));
      txn.put(subject("pair/b", rev));
      txn.append(event("pair/a"));
      return {};
    });
  };
  ASSERT_OK(put_pair(1));
  const auto reader = open();
  std::thread writer;
  int reads = 0;
  ASSERT_OK(reader->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto a, view.subject("pair/a"));
    if (reads++ == 0) {
      writer = std::thread([&] { EXPECT_TRUE(put_pair(2)); });
      // In memory, for tests, a reader and the writer take turns.
      if (GetParam() != "memory") writer.join();
    }
    TYER_TRY(const auto b, view.subject("pair/b"));
    if (reads == 1 && GetParam() == "files") return {};  // Noticed, and read again.
    EXPECT_EQ(a->rev, b->rev);
    return {};
  }));
  if (writer.joinable()) writer.join();
  ASSERT_OK(reader->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ((*view.subject("pair/b"))->rev, 2U);
    return {};
  }));
}

TEST_P(AnyStore, WakesAWatchWhenSomebodyCommits) {
  const auto other = open();
  auto watch = other->watch();
  ASSERT_OK(watch);

  ASSERT_OK(store::write(*store, [](Txn& txn) -> Result<> {
    txn.append(event("a/1"));
    return {};
  }));

  const auto woken = (*watch)->wait(10s);
  ASSERT_OK(woken);
  EXPECT_TRUE(*woken);
}

TEST_P(AnyStore, CommitsAFullBatchAtOnce) {
  std::vector<store::Work> works;
  for (int i = 0; i < 256; ++i) {
    works.emplace_back([i](Txn& txn) -> Result<> {
      txn.put(subject(fmt::format("n/{}", i)));
      txn.append(event(fmt::format("n/{}", i)));
      return {};
    });
  }
  for (const Result<>& result : store::write_all(*store, works)) ASSERT_OK(result);
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ(view.head()->seq, 256U);
    EXPECT_EQ(view.subjects({.kind = "n"})->size(), 256U);
    return {};
  }));
}

TEST_P(AnyStore, FindsNothingWrongWithAHealthyStore) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(subject("a/1"));
    txn.put(lease("lock/x", 1));
    for (int i = 0; i < 10; ++i) txn.append(event("a/1"));
    txn.put(core::Cursor{"r", 4});
    return {};
  }));
  const auto problems = store->check();
  ASSERT_OK(problems);
  EXPECT_EQ(*problems, std::vector<std::string>{});
}

TEST_P(AnyStore, KnowsTheTime) {
  const auto time = store->now();
  ASSERT_OK(time);
  EXPECT_LT(std::chrono::abs(*time - world.real.env().clock.now()), 1min);
}

TYER_ON_EVERY_STORE(AnyStore);

}  // namespace
}  // namespace tyer::testing
