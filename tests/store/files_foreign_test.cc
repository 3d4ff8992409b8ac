// Other tools and people touch the files of a files store.

#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "core/claim.h"
#include "store/files_directory.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;
using store::Txn;

// As the seed's tool writes it: seven fields, nothing of ours.
constexpr const char* foreign_lock = R"({
  "taskId": "TSK-01-01",
  "command": "/wf:build",
  "pid": 12345,
  "sessionId": "550e8400-e29b-41d4-a716-446655440000",
  "startedAt": "2025-12-15T10:30:00.000Z",
  "heartbeatAt": "2025-12-15T10:35:00.000Z",
  "timeout": 1800000
})";

TEST_F(FilesStore, ReadsTheDirectoryOfAnotherToolAndWritesNothingToIt) {
  put_file("locks/TSK-01-01.lock.json", foreign_lock);
  const auto store = open();

  const auto lease = lease_in(*store, "lock/TSK-01-01");
  std::vector<core::Lease> listed;
  ASSERT_TRUE(store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(listed, view.leases("", 10));
    return {};
  }));

  ASSERT_TRUE(lease);
  ASSERT_TRUE(*lease);
  EXPECT_EQ((*lease)->token, 0U);
  EXPECT_EQ((*lease)->holder.pid, 12345);
  EXPECT_EQ((*lease)->command, "/wf:build");
  EXPECT_EQ((*lease)->hold_max, 30min);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0], **lease);
  EXPECT_EQ(std::distance(fs::directory_iterator(path), {}), 1);
}

TEST_F(FilesStore, TakesItsPlaceBesideAnotherToolsLocks) {
  put_file("locks/TSK-01-01.lock.json", foreign_lock);
  const auto store = open();

  EXPECT_EQ(grant(*store, "lock/TSK-01-02"), 1U);

  EXPECT_EQ(file("locks/TSK-01-01.lock.json"), foreign_lock);
  EXPECT_TRUE(file("locks/TSK-01-02.lock.json").contains(R"("taskId":"TSK-01-02")"));
  EXPECT_EQ(file("format"), "tyer files 1\n");
  EXPECT_TRUE(store->check()->empty());
}

TEST_F(FilesStore, NeverTakesALockItCannotReadForFree) {
  const auto store = open();
  for (const std::string& content : std::vector<std::string>{
           "", "{", R"({"taskId":"x"})", "\x7f" + std::string(3, '\0') + "ELF", "[]",
           std::string(100'000, ' '), std::string(foreign_lock).substr(0, 120)}) {
    put_file("locks/x.lock.json", content);

    const auto lease = lease_in(*store, "lock/x");
    const Result<> claimed = store::write(*store, [&](Txn& txn) -> Result<> {
      TYER_TRY(
          const auto answer,
          core::decide_claim(
              txn, world.env.processes,
              {.grant = {.key = "lock/x", .holder = {}, .mono = {}, .command = "", .owner = ""}},
              txn.now()));
      EXPECT_FALSE(std::holds_alternative<core::Change>(answer));
      return {};
    });
    std::vector<core::Lease> listed;
    ASSERT_TRUE(store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(listed, view.leases("", 10));
      return {};
    }));
    const auto damage = store->check();

    ASSERT_FALSE(lease) << content;
    EXPECT_EQ(lease.error().fault, Fault::broken);
    EXPECT_TRUE(lease.error().what.contains("locks/x.lock.json")) << lease.error().what;
    EXPECT_FALSE(claimed);
    EXPECT_TRUE(listed.empty());
    ASSERT_TRUE(damage);
    ASSERT_EQ(damage->size(), 1U);
    EXPECT_TRUE(damage->front().contains("locks/x.lock.json"));
    EXPECT_EQ(file("locks/x.lock.json"), content);
  }
}

TEST_F(FilesStore, ReportsForeignFilesAndLeavesThem) {
  const auto store = open();
  grant(*store, "lock/a");
  put_file("locks/README", "mine");
  put_file("locks/sub/b.lock.json", foreign_lock);
  put_file("tasks/fix/notes.txt", "mine");
  put_file("tasks/fix/1.json", R"({"id":"1","subject":"of another tool"})");

  const auto damage = store->check();

  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->size(), 4U);
  EXPECT_EQ(file("locks/README"), "mine");
}

TEST_F(FilesStore, ALockRemovedByHandIsGoneAndStaysGone) {
  const auto store = open();
  grant(*store, "lock/a");
  fs::remove(fs::path(path) / "locks/a.lock.json");

  EXPECT_EQ(*lease_in(*store, "lock/a"), std::nullopt);
  const auto reopened = open();
  const std::uint64_t token = grant(*reopened, "lock/b");

  EXPECT_EQ(*lease_in(*reopened, "lock/a"), std::nullopt);
  EXPECT_EQ(token, 2U);
}

}  // namespace
}  // namespace tyer::testing
