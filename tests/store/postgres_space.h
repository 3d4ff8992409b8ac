// What the tests of PostgreSQL share: a space on a server, and what they do there.

#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "store/conformance.h"
#include "store/postgres_store.h"
#include "store/txn.h"
#include "support/postgres_server.h"
#include "support/test_env.h"

namespace tyer::testing {

inline Result<> append(store::Store& store, const std::string& key) {
  return store::write(store, [&](store::Txn& txn) -> Result<> {
    txn.put(subject(key));
    txn.append(event(key));
    return {};
  });
}

inline std::uint64_t head_of(store::Store& store) {
  std::uint64_t seq = 0;
  const Result<> read = store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    seq = head.seq;
    return {};
  });
  EXPECT_TRUE(read) << read.error().what;
  return seq;
}

inline bool says(const Error& error, std::string_view what) {
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
    auto opened = store::open_postgres(url, world.env, {.space = space}, wait_max);
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

}  // namespace tyer::testing
