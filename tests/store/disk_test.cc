// Full and read-only disks under a store that lives on: a clear error, nothing
// lost, and service returns by itself (P6).

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "store/conformance.h"
#include "support/small_disk.h"
#include "support/temp_dir.h"

namespace tyer::testing {
namespace {

constexpr int disk_kilobytes = 1'024;

class OnDisk : public ::testing::TestWithParam<std::string> {};

Result<> write_one(store::Store& store, int number, std::size_t bytes) {
  return store::write(store, [&](store::Txn& txn) -> Result<> {
    core::Subject row = subject(fmt::format("n/{}", number));
    row.state = R"({"x":")" + std::string(bytes, 'x') + R"("})";
    txn.put(std::move(row));
    txn.append(event(fmt::format("n/{}", number)));
    return {};
  });
}

// Says on which line the body gave up, as an exit code for the parent.
#define REQUIRE(condition)                                                       \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      return 1;                                                                  \
    }                                                                            \
  } while (false)

int fill_and_free(const std::string& directory, const std::string& scheme) {
  TestEnv world;
  auto opened = store::open(scheme + ":" + directory + "/store", world.env, {});
  REQUIRE(opened);
  store::Store& store = **opened;
  {
    std::ofstream(directory + "/ballast") << std::string(400 << 10, 'b');
  }
  int written = 0;
  Result<> last;
  while (written < 10'000 && (last = write_one(store, written, 2'000))) ++written;
  REQUIRE(!last && last.error().fault == Fault::limit);
  REQUIRE(last.error().what.contains("full"));
  // A second attempt fails as clearly. Readers see what was acknowledged; those
  // of files may be told to wait for room, if the last commit was cut short.
  REQUIRE(!write_one(store, written, 2'000));
  std::uint64_t head = 0;
  const auto read_head = [&] {
    return store.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head found, view.head());
      head = found.seq;
      return {};
    });
  };
  const Result<> read = read_head();
  REQUIRE(read ? head == static_cast<std::uint64_t>(written) : read.error().fault == Fault::limit);
  REQUIRE(read || scheme == "files");

  std::filesystem::remove(directory + "/ballast");
  REQUIRE(read_head() && head == static_cast<std::uint64_t>(written));
  REQUIRE(write_one(store, written, 2'000));
  const auto problems = store.check();
  REQUIRE(problems && problems->empty());
  return 0;
}

int lock_and_unlock(const std::string& directory, const std::string& scheme) {
  TestEnv world;
  const std::string url = scheme + ":" + directory + "/store";
  {
    auto first = store::open(url, world.env, {});
    REQUIRE(first && write_one(**first, 1, 10));
  }
  REQUIRE(make_read_only(directory, true));
  auto opened = store::open(url, world.env, {});
  if (opened) {
    const Result<> refused = write_one(**opened, 2, 10);
    REQUIRE(!refused && refused.error().fault == Fault::unavailable);
  } else {
    REQUIRE(opened.error().fault == Fault::unavailable);
  }
  REQUIRE(make_read_only(directory, false));
  auto again = store::open(url, world.env, {});
  REQUIRE(again && write_one(**again, 2, 10));
  return 0;
}

TEST_P(OnDisk, AFullDiskIsALimitAndRoomBringsServiceBack) {
  const TempDir dir;
  const int code = on_a_small_disk(dir.path(), disk_kilobytes,
                                   [&] { return fill_and_free(dir.path(), GetParam()); });
  if (code == cannot_mount) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(code, 0);
}

TEST_P(OnDisk, AReadOnlyDiskIsUnavailableUntilItIsWritable) {
  const TempDir dir;
  const int code = on_a_small_disk(dir.path(), disk_kilobytes,
                                   [&] { return lock_and_unlock(dir.path(), GetParam()); });
  if (code == cannot_mount) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(code, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, OnDisk, ::testing::Values("sqlite", "files"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
