// What is special to PostgreSQL: a server that restarts, dies or is cut off, and
// many programs on one database. What every store does is in conformance_test.cc.

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/conformance.h"
#include "store/libpq.h"
#include "store/postgres_store.h"
#include "store/txn.h"
#include "support/postgres_proxy.h"
#include "support/postgres_server.h"
#include "support/test_env.h"

namespace tyer::testing {
namespace {

using store::open_postgres;
using store::Txn;

Result<> append(store::Store& store, const std::string& key) {
  return store::write(store, [&](Txn& txn) -> Result<> {
    txn.put(subject(key));
    txn.append(event(key));
    return {};
  });
}

Result<> move_cursor(store::Store& store, const std::string& reader) {
  return store::write(store, [&](Txn& txn) -> Result<> {
    txn.put(core::Cursor{reader, 0});
    return {};
  });
}

std::uint64_t head_of(store::Store& store) {
  std::uint64_t seq = 0;
  const Result<> read = store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    seq = head.seq;
    return {};
  });
  EXPECT_TRUE(read) << read.error().what;
  return seq;
}

bool says(const Error& error, std::string_view what) {
  return error.what.contains(what);
}

// A space of its own on the shared server.
class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    store = open();
    ASSERT_NE(store, nullptr);
  }

  [[nodiscard]] std::unique_ptr<store::Store> open(Span wait_max = limits::store_wait_max) {
    auto opened = open_postgres(url, world.env, {.space = space}, wait_max);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    return opened ? *std::move(opened) : nullptr;
  }

  // From here on the test has a database of its own.
  void use_fresh_database() {
    const auto fresh = server.fresh_url();
    ASSERT_OK(fresh);
    url = *fresh;
    store = open();
    ASSERT_NE(store, nullptr);
  }

  // Ends every session but the one that asks.
  void terminate_sessions() {
    ASSERT_OK(server.sql(url,
                         "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                         " WHERE pid <> pg_backend_pid() AND datname = current_database()"));
  }

  [[nodiscard]] std::string database() const {
    const std::size_t from = url.rfind('/', url.find('?')) + 1;
    return url.substr(from, url.find('?') - from);
  }

  TestEnv world;
  PostgresServer& server = shared_postgres();
  std::string url = server.url();
  const std::string space = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::unique_ptr<store::Store> store;
};

TEST(Libpq, SaysWhatToInstallIfItIsMissing) {
  const auto loaded = store::load_libpq("libpq-that-is-not-there.so.5");

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().fault, Fault::unavailable);
  EXPECT_TRUE(says(loaded.error(), "apt-get install libpq5"));
}

TEST(Libpq, SaysWhichFunctionIsMissing) {
  const auto loaded = store::load_libpq("libc.so.6");

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().fault, Fault::unavailable);
  EXPECT_TRUE(says(loaded.error(), "libpq 14 or newer"));
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

TEST_F(Postgres, RefusesTheSchemaOfANewerProgram) {
  use_fresh_database();
  ASSERT_OK(server.sql(url, "INSERT INTO tyer_schema VALUES (99, now())"));

  const auto opened = open_postgres(url, world.env, {});

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::conflict);
  EXPECT_TRUE(says(opened.error(), "a newer tyer (schema 99, this one knows 1): upgrade tyer"))
      << opened.error().what;
}

TEST_F(Postgres, IsNotFoundWhereThereIsNoneAndNoneMayBeMade) {
  const auto empty = server.fresh_url();
  ASSERT_OK(empty);

  const auto opened = open_postgres(*empty, world.env, {.create = false});

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::not_found);
  EXPECT_TRUE(open_postgres(url, world.env, {.create = false}));
}

TEST_F(Postgres, IsMadeOnceByProgramsThatStartTogether) {
  const auto empty = server.fresh_url();
  ASSERT_OK(empty);
  std::vector<Result<>> results(4);

  std::vector<std::jthread> programs;
  for (Result<>& result : results) {
    programs.emplace_back([&] {
      auto opened = open_postgres(*empty, world.env, {});
      result = opened ? append(**opened, "a/1") : Result<>(std::unexpected(opened.error()));
    });
  }
  programs.clear();

  for (const Result<>& result : results) EXPECT_TRUE(result) << result.error().what;
}

TEST_F(Postgres, KeepsSpacesApart) {
  const auto opened = open_postgres(url, world.env, {.space = space + "-other"}, 2s);
  ASSERT_OK(opened);
  store::Store& other = **opened;
  ASSERT_OK(store->begin({}));

  ASSERT_OK(append(other, "a/1"));
  ASSERT_OK(append(other, "a/2"));
  store->rollback();

  EXPECT_EQ(head_of(other), 2U);
  EXPECT_EQ(head_of(*store), 0U);
}

TEST_F(Postgres, HasOneWriterInASpace) {
  const auto impatient = open(50ms);
  const auto patient = open();
  const auto begun = store->begin({});
  ASSERT_OK(begun);
  Txn txn(*begun);
  txn.append(event("a/1"));

  const auto refused = impatient->begin({});
  std::uint64_t seen = 0;
  std::jthread waiting([&] {
    const auto later = patient->begin({});
    if (!later) return;
    seen = later->head.seq;
    patient->rollback();
  });
  ASSERT_OK(store->commit(txn.writes()));
  waiting.join();

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::timeout);
  EXPECT_EQ(seen, 1U);
}

TEST_F(Postgres, HasOneWriterInAProgram) {
  const auto impatient = open(50ms);
  ASSERT_OK(impatient->begin({}));

  const auto refused = impatient->begin({});
  impatient->rollback();

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::timeout);
}

TEST_F(Postgres, ThrowsOutAWriterThatStalls) {
  const auto stalled = open(200ms);
  const auto begun = stalled->begin({});
  ASSERT_OK(begun);
  Txn txn(*begun);
  txn.append(event("a/stalled"));

  ASSERT_OK(append(*store, "a/1"));
  const Result<> late = stalled->commit(txn.writes());

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().fault, Fault::unavailable);
  EXPECT_TRUE(says(late.error(), "nothing was committed")) << late.error().what;
  EXPECT_EQ(head_of(*store), 1U);
}

TEST_F(Postgres, WakesAWatchOfAnotherProgram) {
  const auto other = open();
  auto watch = other->watch();
  ASSERT_OK(watch);
  EXPECT_FALSE(*(*watch)->wait(0s));

  ASSERT_OK(append(*store, "a/1"));
  EXPECT_TRUE(*(*watch)->wait(30s));

  terminate_sessions();
  EXPECT_TRUE(*(*watch)->wait(30s));
  ASSERT_OK(append(*store, "a/2"));
  EXPECT_TRUE(*(*watch)->wait(30s));
}

TEST_F(Postgres, NeverTellsThePassword) {
  const std::string secret = "s3cr3t-w0rd";
  const std::string host = "?host=" + server.socket_directory();
  const std::string good = "postgres://postgres:" + secret + "@/" + database() + host;

  const auto opened = open_postgres(good, world.env, {.space = "else"});
  ASSERT_OK(opened);
  EXPECT_EQ((*opened)->name(),
            fmt::format("postgres://postgres@/{}{} (space else)", database(), host));

  for (const std::string& bad : {
           "postgres://postgres:" + secret + "@/no_such_database" + host,
           "postgres://postgres:" + secret + "@/x?host=/no/such/directory",
           "postgres://postgres:" + secret + "@[::1/x",
           "postgres://postgres:" + secret + "@localhost:port/x?nonsense=1",
           "postgres://postgres:" + secret + "%zz@localhost/x",
       }) {
    const auto refused = open_postgres(bad, world.env, {});
    ASSERT_FALSE(refused);
    EXPECT_FALSE(says(refused.error(), secret)) << refused.error().what;
  }
}

TEST_F(Postgres, IsUnavailableForWritingOnAReadOnlyServer) {
  use_fresh_database();
  ASSERT_OK(append(*store, "a/1"));
  ASSERT_OK(server.sql(
      url, fmt::format("ALTER DATABASE {} SET default_transaction_read_only = on", database())));
  const auto late = open();
  ASSERT_NE(late, nullptr);

  EXPECT_EQ(head_of(*late), 1U);
  const Result<> written = append(*late, "a/2");

  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().fault, Fault::unavailable);
  EXPECT_TRUE(says(written.error(), "read-only")) << written.error().what;
}

TEST_F(Postgres, IsDeniedToWhoeverHasNoRights) {
  use_fresh_database();
  ASSERT_OK(server.sql(url, "DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN"));
  std::string guest_url = url;
  guest_url.replace(0, guest_url.find('@'), "postgres://guest");

  const auto opened = open_postgres(guest_url, world.env, {});

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::denied) << opened.error().what;
}

TEST_F(Postgres, RefusesTextThatItCannotKeep) {
  using namespace std::string_literals;

  EXPECT_EQ(append(*store, "a/with\0nul"s).error().fault, Fault::invalid);
  EXPECT_EQ(append(*store, "a/\xff").error().fault, Fault::invalid);

  ASSERT_OK(append(*store, "a/1"));
  EXPECT_EQ(head_of(*store), 1U);
}

TEST_F(Postgres, CommitsMoreThanFitsIntoOneStatement) {
  const std::string state = fmt::format(R"({{"text":"{}"}})", std::string(500'000, '\\'));

  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (int i = 0; i < 20; ++i) {
      core::Subject big = subject(fmt::format("a/{:02}", i));
      big.state = state;
      txn.put(std::move(big));
      txn.append(event(fmt::format("a/{:02}", i)));
    }
    return {};
  }));

  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const std::vector<core::Subject> rows, view.subjects({}));
    EXPECT_EQ(rows.size(), 20U);
    for (const core::Subject& row : rows) EXPECT_TRUE(row.state == state);
    return {};
  }));
}

TEST_F(Postgres, FindsDamage) {
  use_fresh_database();
  for (const char* key : {"a/1", "a/2", "a/3", "a/4"}) ASSERT_OK(append(*store, key));
  EXPECT_TRUE(store->check()->empty());

  ASSERT_OK(server.sql(url,
                       "DELETE FROM tyer_event WHERE seq = 2;"
                       "UPDATE tyer_event SET key = 'a/1', rev = 7 WHERE seq IN (1, 4);"
                       "INSERT INTO tyer_lease VALUES ('FindsDamage', 'lock/x', 'not json');"
                       "INSERT INTO tyer_cursor VALUES ('FindsDamage', 'rule/r', 99);"
                       "INSERT INTO tyer_cursor VALUES ('else', 'rule/s', 99)"));
  const auto findings = store->check();

  ASSERT_OK(findings);
  ASSERT_EQ(findings->size(), 4U);
  EXPECT_TRUE((*findings)[0].contains("event 3 follows event 1"));
  EXPECT_TRUE((*findings)[1].contains("a/1 has 2 events that all made revision 7"));
  EXPECT_TRUE((*findings)[2].contains("the lease of lock/x cannot be read"));
  EXPECT_TRUE((*findings)[3].contains("rule/r stands at event 99, but the newest is 4"));
}

}  // namespace
}  // namespace tyer::testing
