// What is special to PostgreSQL: many programs on one database, rights, and what a
// server refuses. What every store does is in conformance_test.cc.

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/libpq.h"
#include "store/postgres_space.h"

namespace tyer::testing {
namespace {

using store::open_postgres;
using store::Txn;

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

TEST_F(Postgres, RefusesTheSchemaOfANewerProgram) {
  use_fresh_database();
  ASSERT_OK(server.sql(url, "INSERT INTO tyer_schema VALUES (99, now())"));

  const auto opened = open_postgres(url, world.env, {});

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::conflict);
  EXPECT_TRUE(says(opened.error(), "a newer tyer (schema 99, this one knows 3): upgrade tyer"))
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
