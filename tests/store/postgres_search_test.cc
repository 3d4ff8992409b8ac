// The search index of PostgreSQL: how older databases come by it, and that it is used (H7).

#include <fmt/format.h>

#include "core/search.h"
#include "store/postgres_space.h"

namespace tyer::testing {
namespace {

std::vector<std::string> find(store::Store& store, const std::string& kind,
                              const std::string& query) {
  std::vector<std::string> keys;
  const Result<> read = store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto words, core::read_words(query));
    TYER_TRY(const auto found, view.search({.kind = kind, .words = words}));
    keys = found.keys;
    return {};
  });
  EXPECT_TRUE(read) << read.error().what;
  return keys;
}

TEST_F(Postgres, FindsWhatWasWrittenBeforeThereWasAnIndex) {
  use_fresh_database();
  ASSERT_OK(server.sql(
      url,
      "DROP TABLE tyer_search, tyer_upload; DELETE FROM tyer_schema WHERE number >= 2;"
      "INSERT INTO tyer_subject SELECT space, 'comment/cm_' || n, '', 'comment', 'active', NULL, 1,"
      "  '{\"content\":\"글 ' || n || '\"}' FROM generate_series(100, 450) AS n,"
      "  (VALUES ('other'), ('" +
          space +
          "')) AS s (space);"
          "INSERT INTO tyer_subject VALUES ('" +
          space +
          "', 'post/ps_1', '', 'post', 'active', NULL, 1,"
          "  '{\"content\":\"본문 \\u0000\",\"title\":\"제목\"}')"));

  store = open();

  ASSERT_NE(store, nullptr);
  EXPECT_EQ(find(*store, "post", "제목 본문"), (std::vector<std::string>{"post/ps_1"}));
  EXPECT_EQ(find(*store, "comment", "글 345"), (std::vector<std::string>{"comment/cm_345"}));
  EXPECT_EQ(find(*store, "comment", "글").size(), 351U) << "of this space only";
}

TEST_F(Postgres, FindsARareTextAmongManyByItsIndex) {
  use_fresh_database();
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(store::write(*store, [&](store::Txn& txn) -> Result<> {
      for (int j = 0; j < 250; ++j) {
        const std::string key = fmt::format("post/ps_{:05}", 250 * i + j);
        txn.put(subject(key, 1, "active"));
        txn.put_text(key, fmt::format("흔한 말 {}", 250 * i + j));
      }
      return {};
    }));
  }
  ASSERT_OK(server.sql(url, "SELECT pg_stat_reset()"));

  EXPECT_EQ(find(*store, "post", "1234").size(), 1U);
  store = nullptr;  // It tells what it has read when it ends.
  ASSERT_OK(server.sql(
      url,
      "DO $$ BEGIN PERFORM pg_stat_force_next_flush(); IF (SELECT coalesce(sum(idx_tup_read), 0)"
      " FROM pg_stat_user_indexes WHERE indexrelname = 'tyer_search_by_gram') NOT BETWEEN 1 AND 20"
      " THEN RAISE 'the index was not used'; END IF; END $$"));
}

}  // namespace
}  // namespace tyer::testing
