// Copies from every store into every other.

#include "store/copy.h"

#include <gtest/gtest.h>

#include "store/txn.h"
#include "support/backends.h"
#include "support/test_env.h"

namespace tyer::testing {
namespace {

using Pair = std::tuple<std::string, std::string>;

struct Everything {
  std::vector<core::Subject> subjects;
  std::vector<core::Lease> leases;
  std::vector<core::Cursor> cursors;
  std::vector<core::Event> events;
  core::Head head;

  friend bool operator==(const Everything&, const Everything&) = default;
};

Everything read_all(store::Store& store) {
  Everything all;
  const auto read = store.read([&](const core::View& view) -> Result<> {
    all = {};
    core::SubjectQuery subjects;
    core::EventQuery events;
    while (true) {
      TYER_TRY(const auto page, view.subjects(subjects));
      all.subjects.insert(all.subjects.end(), page.begin(), page.end());
      if (page.size() < subjects.limit) break;
      subjects.after = page.back().key;
    }
    while (true) {
      TYER_TRY(const auto page, view.events(events));
      all.events.insert(all.events.end(), page.begin(), page.end());
      if (page.size() < events.limit) break;
      events.after = page.back().seq;
    }
    TYER_TRY(all.leases, view.leases("", limits::page_rows_max));
    TYER_TRY(all.cursors, view.cursors());
    TYER_TRY(all.head, view.head());
    return {};
  });
  EXPECT_TRUE(read) << read.error().what;
  return all;
}

core::Lease lease_of(const std::string& key, std::uint64_t token, Time now) {
  core::Lease lease;
  lease.key = key;
  lease.token = token;
  lease.holder = {{"host", "boot", "ns"}, 42, 7, "0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
  lease.granted_at = lease.heard_at = now;
  lease.granted_mono = lease.heard_mono = 5s;
  lease.silence_max = 3min;
  lease.hold_max = 30min;
  lease.command = "/wf:build";
  return lease;
}

// `count` subjects with an event each, a lease and a reader; without the first events if `trimmed`.
void fill(store::Store& store, int count, std::uint64_t trimmed) {
  const auto filled = store::write(store, [&](store::Txn& txn) -> Result<> {
    for (int i = 0; i < count; ++i) {
      const std::string key = "task/team/" + std::to_string(i);
      txn.append(
          {.key = key, .rev = 1, .type = "task.made", .actor = "tester", .body = R"({"제":"목"})"});
      txn.put(core::Subject{.key = key,
                            .parent = "team/team",
                            .status = "open",
                            .due_at = i % 2 == 0 ? std::optional(txn.now()) : std::nullopt,
                            .rev = 1,
                            .state = R"({"제":"목"})"});
    }
    const auto token =
        txn.append({.key = "lock/a", .type = "lease.granted", .actor = "tester", .cause = 1});
    txn.put(lease_of("lock/a", token, txn.now()));
    txn.put(core::Cursor{"pump", 2});
    txn.trim(trimmed);
    return {};
  });
  ASSERT_TRUE(filled) << filled.error().what;
}

// What a subject says to the search.
std::string said(const core::Subject& subject) {
  return subject.key + " says 배포";
}

class CopyBetween : public ::testing::TestWithParam<Pair> {
 protected:
  CopyBetween() {
    auto opened_from = from_backend->open(world.env);
    auto opened_to = to_backend->open(world.env);
    EXPECT_TRUE(opened_from && opened_to);
    from = *std::move(opened_from);
    to = *std::move(opened_to);
  }

  [[nodiscard]] Result<store::Copied> copy() {
    return store::copy(*from, *to, said, [](const store::Copied&) {});
  }

  TestEnv world;
  std::unique_ptr<Backend> from_backend = make_backend(std::get<0>(GetParam()));
  std::unique_ptr<Backend> to_backend = make_backend(std::get<1>(GetParam()));
  std::unique_ptr<store::Store> from;
  std::unique_ptr<store::Store> to;
};

TEST_P(CopyBetween, BringsEverythingOver) {
  fill(*from, 250, 0);

  const auto copied = copy();

  ASSERT_TRUE(copied) << copied.error().what;
  EXPECT_EQ(*copied,
            (store::Copied{
                .subjects = 250, .leases = 1, .cursors = 1, .events = 251, .events_total = 251}));
  EXPECT_EQ(read_all(*to), read_all(*from));
}

TEST_P(CopyBetween, CanBeSearchedAsTheSourceCan) {
  fill(*from, 250, 0);

  ASSERT_TRUE(copy());

  std::size_t found = 0;
  ASSERT_TRUE(to->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto all, view.search({.kind = "task", .words = {"배포"}, .text = said}));
    TYER_TRY(const auto one, view.search({.kind = "task", .words = {"/123"}, .text = said}));
    found = all.keys.size();
    EXPECT_EQ(one.keys, (std::vector<std::string>{"task/team/123"}));
    return {};
  }));
  EXPECT_EQ(found, 250U);
  EXPECT_EQ(to->check().value(), std::vector<std::string>());
}

TEST_P(CopyBetween, KeepsTheNumbersOfALogThatWasTrimmed) {
  fill(*from, 20, 15);

  const auto copied = copy();

  ASSERT_TRUE(copied) << copied.error().what;
  EXPECT_EQ(copied->events, 7U);
  EXPECT_EQ(read_all(*to), read_all(*from));
  EXPECT_EQ(read_all(*to).head.first, 15U);

  fill(*to, 1, 0);
  EXPECT_EQ(read_all(*to).head.seq, 23U) << "the log goes on after the copy";
}

TEST_P(CopyBetween, RefusesATargetThatIsNotEmpty) {
  fill(*from, 2, 0);
  ASSERT_TRUE(copy());
  const Everything before = read_all(*to);

  const auto again = copy();

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().fault, Fault::conflict);
  EXPECT_EQ(read_all(*to), before);
}

TEST_P(CopyBetween, OfNothingIsNothing) {
  const auto copied = copy();

  ASSERT_TRUE(copied) << copied.error().what;
  EXPECT_EQ(*copied, store::Copied{});
}

// A source that shows its picture again, as the files store does when somebody
// wrote meanwhile: each time with the log longer and the lease in other hands.
class Restless final : public store::Store {
 public:
  explicit Restless(store::Store& inner) : inner_(inner) {}
  Result<store::Begun> begin(std::span<const std::string> keys) override {
    return inner_.begin(keys);
  }
  Result<> commit(const store::Writes& writes) override { return inner_.commit(writes); }
  void rollback() override { inner_.rollback(); }
  Result<> read(const std::function<Result<>(const core::View&)>& reader) override {
    TYER_TRY_OK(inner_.read(reader));
    TYER_TRY_OK(store::write(inner_, [](store::Txn& txn) -> Result<> {
      txn.append({.key = "lock/a", .type = "lease.released", .actor = "tester"});
      txn.drop_lease("lock/a");
      const auto token = txn.append({.key = "lock/b", .type = "lease.granted", .actor = "tester"});
      txn.put(lease_of("lock/b", token, txn.now()));
      txn.trim(2);
      return {};
    }));
    return inner_.read(reader);
  }
  Result<std::unique_ptr<store::Watch>> watch() override { return inner_.watch(); }
  Result<std::vector<std::string>> check() override { return inner_.check(); }
  std::string name() const override { return inner_.name(); }

 private:
  store::Store& inner_;
};

TEST_P(CopyBetween, EndsWithTheLastPictureOfARestlessSource) {
  fill(*from, 3, 0);
  Restless restless(*from);

  const auto copied = store::copy(restless, *to, said, [](const store::Copied&) {});

  ASSERT_TRUE(copied) << copied.error().what;
  EXPECT_EQ(copied->leases, 1U);
  EXPECT_EQ(read_all(*to), read_all(*from));
}

INSTANTIATE_TEST_SUITE_P(Stores, CopyBetween,
                         ::testing::Values(Pair{"sqlite", "files"}, Pair{"files", "sqlite"},
                                           Pair{"sqlite", "postgres"}, Pair{"postgres", "files"},
                                           Pair{"memory", "sqlite"}, Pair{"sqlite", "memory"}),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_to_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace tyer::testing
