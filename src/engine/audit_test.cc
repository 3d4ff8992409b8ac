#include "engine/audit.h"

#include <gtest/gtest.h>

#include "core/run.h"
#include "engine/apply.h"
#include "env/linux_env.h"
#include "store/open.h"

namespace tyer::engine {
namespace {

core::Draft draft(const std::string& key, const std::string& type, std::string body = "{}") {
  return {.key = key, .type = type, .body = std::move(body)};
}

class Auditing : public ::testing::Test {
 protected:
  Auditing() {
    apply({.events = {draft("run/1", "run.created", R"({"a":1})")}});
    apply({.events = {draft("run/1", "run.started", R"({"b":2})")}});
    core::Grant grant;
    grant.key = "lock/a";
    grant.holder = {{"laptop", "boot", "1"}, 12345, 7, "0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
    grant.silence_max = 3min;
    grant.hold_max = 30min;
    apply({.grants = {grant}});
  }

  void apply(const core::Change& change) {
    write([&](store::Txn& txn) -> Result<> {
      TYER_TRY_OK(engine::apply(txn, catalog, change, {.actor = "tester"}));
      return {};
    });
  }

  void write(const store::Work& work) {
    const auto written = store::write(*store, work);
    ASSERT_TRUE(written) << written.error().what;
  }

  [[nodiscard]] Audit look() {
    Audit found;
    const auto read = store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(found, audit(view, catalog, [](std::uint64_t, std::uint64_t) {}));
      return {};
    });
    EXPECT_TRUE(read) << read.error().what;
    return found;
  }

  // The one problem of a store that has one.
  [[nodiscard]] std::string problem() {
    const Audit found = look();
    EXPECT_EQ(found.problems_total, 1U);
    return found.problems.empty() ? "" : found.problems.front();
  }

  env::LinuxEnv real;
  core::Catalog catalog{{core::run_kind()}, {}};
  std::unique_ptr<store::Store> store = *store::open("sqlite::memory:", real.env(), {});
};

TEST_F(Auditing, FindsNothingInWhatTheEngineWrote) {
  const Audit found = look();

  EXPECT_EQ(found.problems, std::vector<std::string>{});
  EXPECT_EQ(found.events, 3U);
  EXPECT_EQ(found.subjects, 1U);
  EXPECT_EQ(found.leases, 1U);
  EXPECT_EQ(found.unfolded, 0U);
}

TEST_F(Auditing, FindsNothingInAnEmptyStore) {
  store = *store::open("sqlite::memory:", real.env(), {});

  EXPECT_EQ(look(), Audit{});
}

TEST_F(Auditing, SeesARowThatIsNotWhatItsEventsSay) {
  write([](store::Txn& txn) -> Result<> {
    TYER_TRY(auto row, txn.subject("run/1"));
    row->state = R"({"a":1,"b":3})";
    txn.put(*row);
    return {};
  });

  EXPECT_EQ(problem(), "run/1: its state is not what its events say (law 3)");
}

TEST_F(Auditing, SeesARevisionThatNoEventMade) {
  write([](store::Txn& txn) -> Result<> {
    TYER_TRY(auto row, txn.subject("run/1"));
    row->rev = 5;
    txn.put(*row);
    return {};
  });

  EXPECT_EQ(problem(), "run/1 is at revision 5, its newest event at 2 (law 3)");
}

TEST_F(Auditing, SeesRevisionsThatAreMissingOrRepeated) {
  for (const std::uint64_t rev : {2U, 4U}) {
    write([rev](store::Txn& txn) -> Result<> {
      txn.append({.key = "run/1", .rev = rev, .type = "run.noted", .actor = "tester"});
      TYER_TRY(auto row, txn.subject("run/1"));
      row->rev = rev;
      txn.put(*row);
      return {};
    });
  }

  const Audit found = look();
  EXPECT_EQ(found.problems,
            (std::vector<std::string>{"run/1: revision 2 is followed by 2 in event 4 (law 3)",
                                      "run/1: revision 2 is followed by 4 in event 5 (law 3)"}));
}

TEST_F(Auditing, SeesAnEventThatCouldNotHaveHappened) {
  write([](store::Txn& txn) -> Result<> {
    txn.append({.key = "run/1", .rev = 3, .type = "run.created", .actor = "tester"});
    TYER_TRY(auto row, txn.subject("run/1"));
    row->rev = 3;
    txn.put(*row);
    return {};
  });

  EXPECT_TRUE(problem().starts_with("event 4 could not have happened (law 3): run/1 is running"));
}

TEST_F(Auditing, SeesAnEventOfASubjectThatDoesNotExist) {
  write([](store::Txn& txn) -> Result<> {
    txn.append({.key = "run/2", .rev = 1, .type = "run.created", .actor = "tester"});
    return {};
  });

  EXPECT_EQ(problem(), "event 4 changed run/2, which does not exist (law 3)");
}

TEST_F(Auditing, SeesATokenThatNoEventGranted) {
  const auto set_token = [this](std::uint64_t token) {
    write([token](store::Txn& txn) -> Result<> {
      TYER_TRY(auto lease, txn.lease("lock/a"));
      lease->token = token;
      txn.put(*lease);
      return {};
    });
  };

  set_token(2);
  EXPECT_EQ(problem(), "lock/a: event 2 did not grant the lease with this token (law 1)");
  set_token(9);
  EXPECT_EQ(problem(), "lock/a: the lease's token 9 is beyond the newest event 3 (law 1)");
  set_token(0);
  EXPECT_EQ(look().problems_total, 0U) << "another tool's lease has no token";
}

TEST_F(Auditing, SeesAReaderBeyondTheLog) {
  write([](store::Txn& txn) -> Result<> {
    txn.put(core::Cursor{"pump", 4});
    return {};
  });

  EXPECT_EQ(problem(), "reader pump stands at 4, beyond the newest event 3 (law 4)");
}

TEST_F(Auditing, DoesNotBlameWhatWasForgotten) {
  write([](store::Txn& txn) -> Result<> {
    txn.trim(3);
    return {};
  });

  const Audit found = look();
  EXPECT_EQ(found.problems, std::vector<std::string>{});
  EXPECT_EQ(found.unfolded, 1U);
}

TEST_F(Auditing, DoesNotBlameKindsItDoesNotKnow) {
  catalog = core::Catalog();

  const Audit found = look();
  EXPECT_EQ(found.problems, std::vector<std::string>{});
  EXPECT_EQ(found.unfolded, 1U);
}

TEST_F(Auditing, TakesManySubjectsInSeveralPasses) {
  for (int batch = 0; batch < 5; ++batch) {
    core::Change change;
    for (int i = 0; i < 1'000; ++i) {
      change.events.push_back(
          draft("run/" + std::to_string(batch) + "-" + std::to_string(i), "run.created"));
    }
    apply(change);
  }

  const Audit found = look();
  EXPECT_EQ(found.problems, std::vector<std::string>{});
  EXPECT_EQ(found.subjects, 5'001U);
  EXPECT_EQ(found.events, 5'003U);
}

}  // namespace
}  // namespace tyer::engine
