// The search index of SQLite: how older files come by it, and how damage is seen (H7).

#include <sqlite3.h>

#include <fmt/format.h>

#include "core/search.h"
#include "store/conformance.h"
#include "store/limits.h"
#include "store/migrations.h"
#include "support/temp_dir.h"

namespace tyer::testing {
namespace {

class SqliteSearch : public ::testing::Test {
 protected:
  void run_sql(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  // As a program that knew the first step only has left it.
  void make_old_file() const {
    for (const store::Migration& step : store::migrations()) {
      if (step.dialect == "sqlite" && step.number == 1) run_sql(std::string(step.sql));
    }
    run_sql("PRAGMA application_id = 0x54796572; PRAGMA user_version = 1");
  }

  static std::vector<std::string> find(store::Store& store, const std::string& query) {
    std::vector<std::string> keys;
    EXPECT_TRUE(store.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto words, core::read_words(query));
      keys.clear();
      for (const char* kind : {"post", "comment"}) {
        TYER_TRY(const auto found, view.search({.kind = kind, .words = words}));
        keys.insert(keys.end(), found.keys.begin(), found.keys.end());
      }
      return {};
    }));
    return keys;
  }

  TempDir dir;
  std::string path = dir / "tyer.db";
  TestEnv world;
};

TEST_F(SqliteSearch, FindsWhatWasWrittenBeforeThereWasAnIndex) {
  make_old_file();
  std::string rows = "INSERT INTO subject VALUES ";
  for (int i = 100; i < 1'300; ++i) {
    rows += fmt::format(
        R"(('comment/cm_{}','post/ps_1','comment','active',NULL,1,'{{"content":"글 {}"}}'),)", i,
        i);
  }
  rows += R"(('post/ps_1','','post','active',NULL,1,'{"content":"본문","title":"제목"}'),)";
  rows += R"(('post/ps_2','','post','deleted',NULL,2,'{"content":"본문"}'),)";
  rows += R"(('task/t','','task','open',NULL,1,'{"content":"본문"}'))";
  run_sql(rows);

  const auto store = store::open("sqlite:" + path, world.env, {});

  ASSERT_OK(store);
  EXPECT_EQ(find(**store, "제목 본문"), (std::vector<std::string>{"post/ps_1"}));
  EXPECT_EQ(find(**store, "글 1234"), (std::vector<std::string>{"comment/cm_1234"}));
  EXPECT_EQ(find(**store, "글").size(), 1'000U) << "one page";
  EXPECT_EQ((*store)->check().value(), std::vector<std::string>());
}

TEST_F(SqliteSearch, SaysThatItsIndexIsDamaged) {
  {
    const auto store = store::open("sqlite:" + path, world.env, {});
    ASSERT_OK(store);
    ASSERT_OK(store::write(**store, [](store::Txn& txn) -> Result<> {
      txn.put(subject("post/ps_1", 1, "active"));
      txn.put_text("post/ps_1", "something to find");
      return {};
    }));
  }
  run_sql("UPDATE search SET key = 'post/ps_0'");

  const auto store = store::open("sqlite:" + path, world.env, {});

  ASSERT_OK(store);
  const auto problems = (*store)->check();
  ASSERT_OK(problems);
  ASSERT_EQ(problems->size(), 1U);
  EXPECT_TRUE(problems->front().contains("search")) << problems->front();
}

// Each write alone, so that some are in the index and the newest are not.
TEST_F(SqliteSearch, FindsWhatIsNotInTheIndexYet) {
  const auto store = store::open("sqlite:" + path, world.env, {});
  ASSERT_OK(store);
  std::vector<std::string> expected;
  const auto write = [&](const std::string& key, const std::string& text) {
    ASSERT_OK(store::write(**store, [&](store::Txn& txn) -> Result<> {
      txn.put(subject(key, 1, "active"));
      txn.put_text(key, text);
      return {};
    }));
  };
  for (int i = 100; i < 100 + 3 * limits::search_tail_max + 5; ++i) {
    write(fmt::format("comment/cm_{}", i), fmt::format("word {}", i));
    write(fmt::format("post/ps_{}", i), "another");
    expected.insert(expected.begin(), fmt::format("comment/cm_{}", i));
    ASSERT_EQ(find(**store, "word"), expected);
    ASSERT_EQ(find(**store, fmt::format("word {}", i)).size(), 1U);
  }
  // Of each half: one that changes, one that goes and comes again, with a number that was free.
  const std::string newest = expected.front();
  const std::string oldest = expected.back();
  for (const std::string& key : {newest, oldest}) {
    write(key, "changed");
    EXPECT_EQ(find(**store, "changed"), std::vector<std::string>{key});
    write(key, "");
    EXPECT_EQ(find(**store, "changed"), std::vector<std::string>());
    EXPECT_EQ(find(**store, "word").size(), expected.size() - 1);
    write(key, "word of " + key);
    EXPECT_EQ(find(**store, "word of " + key), std::vector<std::string>{key});
  }
  EXPECT_EQ((*store)->check().value(), std::vector<std::string>());
}

TEST_F(SqliteSearch, FindsWhatTakesTheNumberOfOneThatWasIndexed) {
  const auto store = store::open("sqlite:" + path, world.env, {});
  ASSERT_OK(store);
  const auto write = [&](const std::string& text) {
    return store::write(**store, [&](store::Txn& txn) -> Result<> {
      for (int i = 10; i < 10 + limits::search_tail_max; ++i) {
        const std::string key = fmt::format("comment/cm_{}", i);
        txn.put(subject(key, 1, "active"));
        txn.put_text(key, text);
      }
      return {};
    });
  };
  ASSERT_OK(write("first"));
  ASSERT_OK(write(""));
  EXPECT_EQ(find(**store, "first"), std::vector<std::string>());
  ASSERT_OK(write("second"));
  EXPECT_EQ(find(**store, "second").size(), std::size_t{limits::search_tail_max});
  EXPECT_EQ((*store)->check().value(), std::vector<std::string>());
}

TEST_F(SqliteSearch, CostsNothingForWhatCannotBeSearched) {
  const auto store = store::open("sqlite:" + path, world.env, {});
  ASSERT_OK(store);
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(store::write(**store, [&](store::Txn& txn) -> Result<> {
      txn.put(subject(fmt::format("task/{}", i)));
      EXPECT_TRUE(txn.writes().texts.empty());
      return {};
    }));
  }
  EXPECT_EQ(find(**store, "task"), std::vector<std::string>());
}

}  // namespace
}  // namespace tyer::testing
