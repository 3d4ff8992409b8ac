// What every store lists: subjects, what is due, events; from a committed state and
// from within a transaction.

#include <fmt/format.h>

#include "store/conformance.h"

namespace tyer::testing {
namespace {

using store::Txn;

TEST_P(AnyStore, ListsSubjectsByParentKindAndStatusInKeyOrder) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (const char* key : {"task/b", "task/a", "tasks/z", "task/c/1", "use/a"}) {
      core::Subject row = subject(key, 1, key == std::string("task/b") ? "done" : "open");
      row.parent = key == std::string("use/a") ? "team/2" : "team/1";
      txn.put(row);
    }
    return {};
  }));
  const auto keys = [&](const core::SubjectQuery& query) {
    std::string all;
    EXPECT_TRUE(store->read([&](const core::View& view) -> Result<> {
      all.clear();
      TYER_TRY(const auto rows, view.subjects(query));
      for (const core::Subject& row : rows) all += row.key + " ";
      return {};
    }));
    return all;
  };

  EXPECT_EQ(keys({}), "task/a task/b task/c/1 tasks/z use/a ");
  EXPECT_EQ(keys({.kind = "task"}), "task/a task/b task/c/1 ");
  EXPECT_EQ(keys({.kind = "task", .status = "open"}), "task/a task/c/1 ");
  EXPECT_EQ(keys({.parent = "team/1"}), "task/a task/b task/c/1 tasks/z ");
  EXPECT_EQ(keys({.parent = "team/1", .kind = "task", .status = "done"}), "task/b ");
  EXPECT_EQ(keys({.parent = "team/2"}), "use/a ");
  EXPECT_EQ(keys({.status = "done"}), "task/b ");
  EXPECT_EQ(keys({.kind = "task", .after = "task/a"}), "task/b task/c/1 ");
  EXPECT_EQ(keys({.after = "task/b", .limit = 2}), "task/c/1 tasks/z ");
  EXPECT_EQ(keys({.kind = "tas"}), "");
}

TEST_P(AnyStore, ListsTheGreatestKeysFirstIfAsked) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (const char* key : {"n/a", "n/b", "n/b/1", "n/b/2", "n/c", "nn/a"}) {
      core::Subject row = subject(key, 1, key == std::string("n/c") ? "closed" : "open");
      row.parent = "team/1";
      txn.put(row);
    }
    return {};
  }));
  const auto keys = [&](const core::View& view, const core::SubjectQuery& query) {
    std::string all;
    const auto rows = view.newest(query);
    EXPECT_TRUE(rows);
    for (const core::Subject& row : *rows) all += row.key + " ";
    return all;
  };
  const auto look = [&](const core::View& view) -> Result<> {
    EXPECT_EQ(keys(view, {}), "nn/a n/c n/b/2 n/b/1 n/b n/a ");
    EXPECT_EQ(keys(view, {.kind = "n", .limit = 2}), "n/c n/b/2 ");
    EXPECT_EQ(keys(view, {.kind = "n", .before = "n/b/2", .limit = 2}), "n/b/1 n/b ");
    EXPECT_EQ(keys(view, {.parent = "team/1", .kind = "n", .status = "open", .limit = 3}),
              "n/b/2 n/b/1 n/b ");
    EXPECT_EQ(keys(view, {.kind = "n", .status = "open", .below = "n/b"}), "n/b/2 n/b/1 ");
    EXPECT_EQ(keys(view, {.parent = "team/1", .after = "n/b", .before = "n/c"}), "n/b/2 n/b/1 ");
    return {};
  };

  ASSERT_OK(store->read(look));
  ASSERT_OK(store::write(*store, [&](Txn& txn) { return look(txn); }));

  // What a transaction has written counts at once, and what it was before no more.
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(subject("n/d", 1, "open"));
    txn.put(subject("n/b/2", 2, "closed"));
    EXPECT_EQ(keys(txn, {.kind = "n", .limit = 2}), "n/d n/c ");
    EXPECT_EQ(keys(txn, {.kind = "n", .status = "open", .limit = 2}), "n/d n/b/1 ");
    EXPECT_EQ(keys(txn, {.kind = "n", .before = "n/d", .limit = 1}), "n/c ");
    EXPECT_EQ(keys(txn, {.kind = "n", .after = "n/d"}), "");
    EXPECT_EQ(keys(txn, {.parent = "team/1", .kind = "n", .limit = 2}), "n/c n/b/1 ");
    return {};
  }));
}

TEST_P(AnyStore, ListsWhatLiesBelowAKeyAndBetweenTwo) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (const char* key : {"n/a", "n/a/1", "n/a/2", "n/a0", "n/ab/1"}) txn.put(subject(key));
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(subject("n/a/3"));
    txn.put(subject("n/b/3"));
    const auto keys = [&](const core::SubjectQuery& query) {
      std::string all;
      const auto rows = txn.subjects(query);
      EXPECT_TRUE(rows);
      for (const core::Subject& row : *rows) all += row.key + " ";
      return all;
    };
    EXPECT_EQ(keys({.below = "n/a"}), "n/a/1 n/a/2 n/a/3 ");
    EXPECT_EQ(keys({.kind = "n", .status = "open", .below = "n/a", .after = "n/a/1"}),
              "n/a/2 n/a/3 ");
    EXPECT_EQ(keys({.after = "n/a/1", .before = "n/ab/1"}), "n/a/2 n/a/3 n/a0 ");
    return {};
  }));
}

TEST_P(AnyStore, PagesThroughAListingAsItWillBeAfterTheCommit) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (int i = 0; i < 20; ++i) txn.put(subject(fmt::format("n/{:02}", i)));
    return {};
  }));
  std::vector<std::string> seen;
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (int i = 0; i < 20; i += 3) txn.put(subject(fmt::format("n/{:02}", i), 2, "closed"));
    for (const char* added : {"n/", "n/055", "n/99"}) txn.put(subject(std::string(added) + "x"));
    core::SubjectQuery query{.kind = "n", .status = "open", .limit = 3};
    for (int pages = 0; pages < 20; ++pages) {
      TYER_TRY(const auto rows, txn.subjects(query));
      for (const core::Subject& row : rows) seen.push_back(row.key);
      if (rows.size() < query.limit) break;
      query.after = rows.back().key;
    }
    return {};
  }));
  const std::vector<std::string> expected{"n/01", "n/02", "n/04",  "n/05", "n/055x", "n/07",
                                          "n/08", "n/10", "n/11",  "n/13", "n/14",   "n/16",
                                          "n/17", "n/19", "n/99x", "n/x"};
  EXPECT_EQ(seen, expected);
}

TEST_P(AnyStore, ListsWhatIsDueByTimeThenKey) {
  const auto due_subject = [](const std::string& key, std::optional<int> at) {
    core::Subject row = subject(key);
    if (at) row.due_at = from_micros(*at);
    return row;
  };
  const auto keys = [](const core::View& view, int until, std::size_t limit) {
    std::string all;
    const auto rows = view.due(from_micros(until), limit);
    for (const core::Subject& row : *rows) all += row.key + " ";
    return all;
  };
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.put(due_subject("t/late", 30));
    txn.put(due_subject("t/b", 10));
    txn.put(due_subject("t/a", 10));
    txn.put(due_subject("t/never", std::nullopt));
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    EXPECT_EQ(keys(txn, 20, 10), "t/a t/b ");
    txn.put(due_subject("t/a", std::nullopt));
    txn.put(due_subject("t/new", 5));
    EXPECT_EQ(keys(txn, 20, 10), "t/new t/b ");
    EXPECT_EQ(keys(txn, 20, 1), "t/new ");
    return {};
  }));
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    EXPECT_EQ(keys(view, 30, 10), "t/new t/b t/late ");
    EXPECT_EQ(keys(view, 4, 10), "");
    return {};
  }));
}

TEST_P(AnyStore, ReadsEventsAfterANumberAndBelowAKey) {
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (const char* key : {"lock/a", "lock/ab", "lock/a/b", "task/a", "lock/a"})
      txn.append(event(key));
    return {};
  }));
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    txn.append(event("lock/a/c"));
    const auto numbers = [&](const core::EventQuery& query) {
      std::string all;
      const auto rows = txn.events(query);
      for (const core::Event& row : *rows) all += std::to_string(row.seq) + " ";
      return all;
    };
    EXPECT_EQ(numbers({}), "1 2 3 4 5 6 ");
    EXPECT_EQ(numbers({.after = 4}), "5 6 ");
    EXPECT_EQ(numbers({.after = 1, .limit = 2}), "2 3 ");
    EXPECT_EQ(numbers({.root = "lock/a"}), "1 3 5 6 ");
    EXPECT_EQ(numbers({.after = 3, .root = "lock/a", .limit = 1}), "5 ");
    EXPECT_EQ(numbers({.root = "nothing/here"}), "");
    EXPECT_EQ(numbers({.after = 6}), "");
    return {};
  }));
}

}  // namespace
}  // namespace tyer::testing
