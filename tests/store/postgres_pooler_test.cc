// A pooler between the store and PostgreSQL: a real pgbouncer.

#include "store/conformance.h"
#include "support/pgbouncer.h"

namespace tyer::testing {
namespace {

class PostgresPooler : public ::testing::Test {
 protected:
  // Refused, whatever was prepared before on the sessions that it mixes.
  void expect_refusal(const std::vector<std::string>& settings, const std::string& mode) {
    PgBouncer pooler(settings);
    const std::string url = pooler.fresh_url();
    for (int i = 0; i < 5; ++i) {
      const auto opened = store::open(url, world.env, {});
      ASSERT_FALSE(opened);
      EXPECT_EQ(opened.error().fault, Fault::invalid);
      EXPECT_TRUE(opened.error().what.contains("pool_mode = " + mode)) << opened.error().what;
      EXPECT_TRUE(opened.error().what.contains("set pool_mode = session")) << opened.error().what;
    }
  }

  TestEnv world;
};

TEST_F(PostgresPooler, ThatKeepsSessionsApartIsAsGoodAsTheServer) {
  PgBouncer pooler({"pool_mode = session"});
  const std::string url = pooler.fresh_url();
  const auto store = store::open(url, world.env, {});
  ASSERT_TRUE(store) << store.error().what;
  const auto other = store::open(url, world.env, {});
  ASSERT_TRUE(other) << other.error().what;
  const auto watch = (*other)->watch();
  ASSERT_TRUE(watch) << watch.error().what;

  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(store::write(**store, [](store::Txn& txn) -> Result<> {
      txn.append(event("task/a"));
      return {};
    }));
  }

  EXPECT_TRUE((*watch)->wait(10s).value());
  ASSERT_OK((*other)->read([](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    EXPECT_EQ(head.seq, 3U);
    return {};
  }));
}

TEST_F(PostgresPooler, ThatMixesSessionsBetweenTransactionsIsRefused) {
  expect_refusal({"pool_mode = transaction"}, "transaction");
  expect_refusal({"pool_mode = transaction", "default_pool_size = 1"}, "transaction");
  expect_refusal({"pool_mode = transaction", "server_round_robin = 1", "min_pool_size = 3"},
                 "transaction");
}

TEST_F(PostgresPooler, ThatMixesSessionsBetweenStatementsIsRefused) {
  expect_refusal({"pool_mode = statement"}, "statement");
}

}  // namespace
}  // namespace tyer::testing
