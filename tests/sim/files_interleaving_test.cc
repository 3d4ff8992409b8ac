#include <gtest/gtest.h>

#include <fmt/format.h>

#include "sim/files_env.h"
#include "sim/files_world.h"
#include "store/txn.h"

namespace tyer::files_sim {
namespace {

constexpr std::uint64_t seeds = 300;
constexpr std::uint64_t flaw_seeds = 500;

std::optional<std::uint64_t> first_seed_that_notices(FilesFlaw flaw) {
  for (std::uint64_t seed = 1; seed <= flaw_seeds; ++seed) {
    if (run_files_world(seed, flaw)) return seed;
  }
  return std::nullopt;
}

TEST(FilesWorld, KeepsItsLawsUnderEverySeed) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto broken = run_files_world(seed, FilesFlaw::none);
    ASSERT_FALSE(broken) << "seed " << seed << ": " << *broken;
  }
}

TEST(FilesWorld, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::string first;
    std::string second;
    (void)run_files_world(seed, FilesFlaw::none, &first);
    (void)run_files_world(seed, FilesFlaw::none, &second);
    EXPECT_EQ(first, second) << "seed " << seed;
    EXPECT_FALSE(first.empty());
  }
}

TEST(FilesWorld, NoticesThatTheWriterLockIsMissing) {
  EXPECT_TRUE(first_seed_that_notices(FilesFlaw::no_lock));
}

TEST(FilesWorld, NoticesThatTheJournalIsNotReplayed) {
  EXPECT_TRUE(first_seed_that_notices(FilesFlaw::no_replay));
}

TEST(FilesWorld, NoticesThatNothingIsSynced) {
  EXPECT_TRUE(first_seed_that_notices(FilesFlaw::no_sync));
}

TEST(FilesReader, NeedsNoLockWhileAWriterHasIt) {
  sim::Disk disk;
  SetClock clock;
  Process writer(disk, clock, "boot");
  Process reader(disk, clock, "boot");
  ASSERT_TRUE(writer.open(store::Durability::normal, 10'000));
  ASSERT_TRUE(reader.open(store::Durability::normal, 10'000));
  ASSERT_TRUE(store::write(*writer.store, [](store::Txn& txn) -> Result<> {
    txn.append(event_of("pair/a", "made"));
    return {};
  }));

  ASSERT_TRUE(writer.store->begin({}));
  const auto seen = picture(*reader.store);  // Would be a failed check if it waited.
  writer.store->rollback();

  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->starts_with("head 1 "));
}

// A writer that is stopped at each of its system calls, with a reader let in.
TEST(FilesReader, SeesBeforeOrAfterAtEverySystemCallOfALiveWriter) {
  for (const auto durability : {store::Durability::full, store::Durability::normal}) {
    sim::Disk disk;
    SetClock clock;
    Process writer(disk, clock, "boot");
    Process reader(disk, clock, "boot");
    ASSERT_TRUE(writer.open(durability, 100'000));
    ASSERT_TRUE(reader.open(durability, 100'000));
    const auto count_up = [](store::Txn& txn) -> Result<> {
      const std::uint64_t seq = txn.append(event_of("pair/a", "counted"));
      txn.put(core::Subject{"pair/a", "", "counted", std::nullopt, seq, "{}"});
      txn.put(core::Subject{"pair/b", "", "counted", std::nullopt, seq, "{}"});
      return {};
    };
    ASSERT_TRUE(store::write(*writer.store, count_up));
    const std::string before = *picture(*reader.store);
    std::vector<std::string> seen;
    bool inside = false;
    int blocked = 0;
    std::uint64_t calls = 0;
    writer.files.before_call = [&] {
      if (inside) return;
      inside = true;
      ++calls;
      Process visitor(disk, clock, "boot");
      // Where it would have to wait for the writer, it is sent away instead.
      visitor.files.wait_for_lock = [&] {
        ++blocked;
        visitor.files.kill();
      };
      ASSERT_TRUE(visitor.open(durability, 100'000));
      if (const auto now = picture(*visitor.store)) seen.push_back(*now);
      inside = false;
    };

    ASSERT_TRUE(store::write(*writer.store, count_up));
    writer.files.before_call = nullptr;
    const std::string after = *picture(*reader.store);

    ASSERT_NE(before, after);
    for (const std::string& now : seen) EXPECT_TRUE(now == before || now == after) << now;
    EXPECT_GE(seen.size(), 8U);
    EXPECT_GT(blocked, 0);
    EXPECT_EQ(seen.size() + static_cast<std::size_t>(blocked), calls);
  }
}

}  // namespace
}  // namespace tyer::files_sim
