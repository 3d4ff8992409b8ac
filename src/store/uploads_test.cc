// Uploads in a folder beside a store; what all stores do is in
// tests/store/conformance_uploads_test.cc.

#include "store/uploads.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/test_env.h"

namespace tyer::store {
namespace {

struct UploadFolder : ::testing::Test {
  UploadFolder() { EXPECT_TRUE(world.env.files.make_directory(folder)); }

  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> all;
    const std::vector<env::Entry> entries = world.env.files.list(folder).value();
    for (const env::Entry& entry : entries) all.push_back(entry.name);
    std::ranges::sort(all);
    return all;
  }

  testing::TestEnv world;
  testing::TempDir dir;
  const std::string folder = dir / "uploads";
  const std::unique_ptr<Uploads> uploads = uploads_in(world.env.files, folder);
};

TEST_F(UploadFolder, HasEachFileUnderItsIdForTheUserAlone) {
  EXPECT_EQ(uploads->put("up_1", pieces_of("what was sent")).value(), 13U);

  EXPECT_EQ(names(), std::vector<std::string>{"up_1"});
  struct stat facts{};
  ASSERT_EQ(::stat((folder + "/up_1").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST_F(UploadFolder, FollowsNoLinkOutOfIt) {
  std::ofstream(dir / "secret") << "secret";
  ASSERT_EQ(::symlink((dir / "secret").c_str(), (folder + "/up_1").c_str()), 0);

  EXPECT_FALSE(uploads->open("up_1"));
  EXPECT_EQ(uploads->list().value(), std::vector<UploadEntry>());
}

TEST_F(UploadFolder, IsNoLinkItself) {
  ASSERT_EQ(::rmdir(folder.c_str()), 0);
  ASSERT_TRUE(world.env.files.make_directory(dir / "outside"));
  std::ofstream(dir / "outside/up_1") << "secret";
  std::ofstream(dir / "outside/up_2.partial") << "mine";
  ASSERT_EQ(::symlink("outside", folder.c_str()), 0);

  const auto is_refused = [](const auto& result) {
    return !result && result.error().what.contains("uploads is a symbolic link");
  };
  EXPECT_FALSE(uploads->put("up_3", pieces_of("x")));
  EXPECT_TRUE(is_refused(uploads->open("up_1")));
  EXPECT_TRUE(is_refused(uploads->remove("up_1")));
  EXPECT_TRUE(is_refused(uploads->list()));
  EXPECT_TRUE(is_refused(uploads->sweep()));
  EXPECT_EQ(world.env.files.list(dir / "outside")->size(), 2U);
}

TEST_F(UploadFolder, IsClearedOfWhatAKilledHubHasLeftButNotOfWhatAnotherIsWriting) {
  std::ofstream(folder + "/up_1") << "whole";
  std::ofstream(folder + "/up_2.partial") << "le";
  std::ofstream(folder + "/thesis.partial") << "not ours";
  const auto writing = world.env.files.open(folder + "/up_3.partial", env::Open::create_new);
  ASSERT_TRUE(writing && (*writing)->try_lock().value());

  ASSERT_TRUE(uploads->sweep());

  EXPECT_EQ(names(), (std::vector<std::string>{"thesis.partial", "up_1", "up_3.partial"}));
  EXPECT_EQ(uploads->put("up_3", pieces_of("x")).error().fault, Fault::unavailable);
  EXPECT_EQ(names(), (std::vector<std::string>{"thesis.partial", "up_1", "up_3.partial"}));
}

TEST_F(UploadFolder, IsBesideTheStore) {
  EXPECT_EQ(uploads_folder("sqlite:/a/.tyer/tyer.db"), "/a/.tyer/uploads");
  EXPECT_EQ(uploads_folder("files:/a/plain/"), "/a/uploads");
  EXPECT_EQ(uploads_folder("sqlite::memory:"), "");
  EXPECT_EQ(uploads_folder("postgres://host/database"), "");
}

}  // namespace
}  // namespace tyer::store
