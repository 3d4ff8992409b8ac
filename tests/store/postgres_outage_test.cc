// A PostgreSQL server that restarts, dies or is cut off: nothing is lost, and it is
// known what became of a commit, or said that it is not.

#include <gtest/gtest.h>

#include "store/postgres_space.h"
#include "support/postgres_proxy.h"

namespace tyer::testing {
namespace {

using store::open_postgres;
using store::Txn;

Result<> move_cursor(store::Store& store, const std::string& reader) {
  return store::write(store, [&](Txn& txn) -> Result<> {
    txn.put(core::Cursor{reader, 0});
    return {};
  });
}

TEST(PostgresServerLife, LetsAStoreGoOnAfterARestart) {
  TestEnv world;
  auto server = PostgresServer::start();
  ASSERT_OK(server);
  auto store = open_postgres((*server)->url(), world.env, {});
  ASSERT_OK(store);
  auto watch = (*store)->watch();
  ASSERT_OK(watch);
  ASSERT_OK(append(**store, "a/1"));
  ASSERT_EQ(head_of(**store), 1U);
  ASSERT_TRUE(*(*watch)->wait(30s));

  ASSERT_OK((*server)->stop());
  const Result<> written = append(**store, "a/2");
  const Result<> read = (*store)->read([](const core::View&) { return Result<>{}; });
  const Result<bool> told = (*watch)->wait(0s);
  ASSERT_OK((*server)->start_again());

  ASSERT_FALSE(written);
  ASSERT_FALSE(read);
  ASSERT_FALSE(told);
  for (const Error& error : {written.error(), read.error(), told.error()}) {
    EXPECT_EQ(error.fault, Fault::unavailable);
    EXPECT_TRUE(says(error, "postgres://postgres@/postgres?host=")) << error.what;
  }
  EXPECT_TRUE(*(*watch)->wait(0s));
  ASSERT_OK(append(**store, "a/3"));
  EXPECT_EQ(head_of(**store), 2U);
}

TEST(PostgresServerLife, LosesNothingThatWasCommittedBeforeACrash) {
  TestEnv world;
  auto server = PostgresServer::start();
  ASSERT_OK(server);
  auto store = open_postgres((*server)->url(), world.env, {});
  ASSERT_OK(store);
  ASSERT_OK(append(**store, "a/1"));
  const auto begun = (*store)->begin({});
  ASSERT_OK(begun);
  Txn txn(*begun);
  txn.append(event("a/2"));

  ASSERT_OK((*server)->stop(true));
  const Result<> committed = (*store)->commit(txn.writes());
  ASSERT_OK((*server)->start_again());

  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().fault, Fault::unavailable);
  EXPECT_EQ(head_of(**store), 1U);
  ASSERT_OK(append(**store, "a/2"));
  EXPECT_EQ(head_of(**store), 2U);
}

TEST_F(Postgres, GoesOnAtOnceAfterItsConnectionsWereEnded) {
  ASSERT_OK(append(*store, "a/1"));
  ASSERT_EQ(head_of(*store), 1U);

  terminate_sessions();

  ASSERT_OK(append(*store, "a/2"));
  EXPECT_EQ(head_of(*store), 2U);
}

TEST_F(Postgres, ReadsAfreshWhenTheConnectionIsLostInTheMiddle) {
  ASSERT_OK(append(*store, "a/1"));
  int runs = 0;

  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    if (++runs == 1) terminate_sessions();
    TYER_TRY(const core::Head head, view.head());
    EXPECT_EQ(head.seq, 1U);
    return {};
  }));

  EXPECT_EQ(runs, 2);
}

TEST_F(Postgres, CommitsNothingIfItsConnectionEndsBetweenBeginAndCommit) {
  const auto begun = store->begin({});
  ASSERT_OK(begun);
  Txn txn(*begun);
  txn.append(event("a/1"));

  terminate_sessions();
  const Result<> committed = store->commit(txn.writes());

  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().fault, Fault::unavailable);
  EXPECT_TRUE(says(committed.error(), "nothing was committed")) << committed.error().what;
  EXPECT_EQ(head_of(*store), 0U);
  ASSERT_OK(append(*store, "a/1"));
}

TEST_F(Postgres, DoesNotCommitInANewSessionWhatWasReadInALostOne) {
  const auto begun = store->begin({});
  ASSERT_OK(begun);
  Txn txn(*begun);
  txn.append(event("a/1"));

  terminate_sessions();
  EXPECT_EQ(txn.subject("a/1").error().fault, Fault::unavailable);
  const Result<> committed = store->commit(txn.writes());

  ASSERT_FALSE(committed);
  EXPECT_TRUE(says(committed.error(), "nothing was committed")) << committed.error().what;
  EXPECT_EQ(head_of(*store), 0U);
}

TEST_F(Postgres, KnowsWhatBecameOfACommitWhoseAnswerWasLost) {
  PostgresProxy proxy(server.socket_directory());
  auto far = open_postgres(proxy.url(database()), world.env, {.space = space});
  ASSERT_OK(far);

  proxy.arm(PostgresProxy::Cut::before_answer);
  EXPECT_TRUE(append(**far, "a/1"));
  proxy.arm(PostgresProxy::Cut::before_anything);
  EXPECT_TRUE(append(**far, "a/2"));
  proxy.arm(PostgresProxy::Cut::before_answer);
  EXPECT_TRUE(move_cursor(**far, "by its transaction id"));
  proxy.arm(PostgresProxy::Cut::before_commit);
  const Result<> lost = append(**far, "a/3");

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().fault, Fault::unavailable);
  EXPECT_TRUE(says(lost.error(), "nothing was committed")) << lost.error().what;
  EXPECT_EQ(head_of(*store), 2U);
  EXPECT_TRUE(append(**far, "a/3"));
}

TEST_F(Postgres, SaysSoIfItCannotKnowWhatBecameOfACommit) {
  PostgresProxy proxy(server.socket_directory());
  auto far = open_postgres(proxy.url(database()), world.env, {.space = space});
  ASSERT_OK(far);

  proxy.arm(PostgresProxy::Cut::before_anything);
  const Result<> nameless = move_cursor(**far, "r");
  proxy.arm(PostgresProxy::Cut::before_answer, true);
  const Result<> unreachable = append(**far, "a/1");

  for (const Result<>& result : {nameless, unreachable}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().fault, Fault::unavailable);
    EXPECT_TRUE(says(result.error(), "may or may not have been committed")) << result.error().what;
  }
  EXPECT_EQ(head_of(*store), 1U);
}

}  // namespace
}  // namespace tyer::testing
