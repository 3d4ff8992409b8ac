// What is sent is hostile (H6, P14): its name, its type, and its size.

#include "api/uploads.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "api/limits.h"
#include "base/text.h"
#include "support/temp_dir.h"
#include "support/test_env.h"

namespace tyer::api {
namespace {

TEST(Upload, HasAPlainName) {
  for (const char* name : {"a", "report.pdf", "사진 1.png", "a..b", ".profile", "x\"y'z;.txt"}) {
    EXPECT_TRUE(check_upload_name(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../x"), std::string("a/b"),
        std::string("a\\b"), std::string("a\nb"), std::string("a\0b", 3), std::string("\xff.png"),
        std::string("gpj.\u202Eexe"), std::string("a\u2066b"), std::string("a\u0085b")}) {
    const auto checked = check_upload_name(name);
    ASSERT_FALSE(checked) << printable(name);
    EXPECT_EQ(checked.error().fault, Fault::invalid);
  }
  EXPECT_EQ(check_upload_name(std::string(limits::upload_name_bytes_max + 1, 'a')).error().fault,
            Fault::limit);
}

TEST(Upload, KeepsItsTypeIfThatIsPlain) {
  EXPECT_EQ(plain_type("image/png"), "image/png");
  EXPECT_EQ(plain_type("Text/Plain ; charset=utf-8"), "text/plain");
  for (const std::string& type :
       {std::string(), std::string("png"), std::string("/png"), std::string("image/"),
        std::string("image/p ng"), std::string("image/png\r\nx: y"), std::string("a/b/c"),
        std::string("\"a\"/b"), "a/" + std::string(200, 'b')}) {
    EXPECT_EQ(plain_type(type), "application/octet-stream") << printable(type);
  }
}

TEST(Upload, IsShownOnlyIfItIsAPicture) {
  for (const char* type : {"image/png", "image/jpeg", "image/gif", "image/webp"}) {
    EXPECT_EQ(show_upload("a.png", type).content_type, type);
    EXPECT_TRUE(show_upload("a.png", type).disposition.starts_with("inline;")) << type;
  }
  for (const char* type : {"text/plain", "application/pdf", "video/mp4"}) {
    EXPECT_EQ(show_upload("a", type).content_type, type);
    EXPECT_TRUE(show_upload("a", type).disposition.starts_with("attachment;")) << type;
  }
  for (const char* type : {"image/svg+xml", "text/html", "application/xhtml+xml", "text/xml",
                           "text/javascript", "application/ecmascript", "text/css"}) {
    EXPECT_EQ(show_upload("a", type).content_type, "application/octet-stream") << type;
    EXPECT_TRUE(show_upload("a", type).disposition.starts_with("attachment;")) << type;
  }
}

TEST(Upload, TellsItsNameInAHeaderThatCanBeSent) {
  EXPECT_EQ(show_upload("사 \"1\".txt", "text/plain").disposition,
            "attachment; filename=\"___ _1_.txt\"; "
            "filename*=UTF-8''%EC%82%AC%20%221%22.txt");
  EXPECT_TRUE(rc::check("any good name", [](const std::string& name) {
    if (!check_upload_name(name)) return;
    const std::string value = show_upload(name, "text/plain").disposition;
    RC_ASSERT(http::is_sendable({"content-disposition", value}));
    RC_ASSERT(std::ranges::count(value, '"') == 2);
  }));
}

struct UploadFolder : ::testing::Test {
  UploadFolder() { EXPECT_TRUE(world.env.files.make_directory(folder)); }

  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> all;
    const std::vector<env::Entry> entries = world.env.files.list(folder).value();
    for (const env::Entry& entry : entries) all.push_back(entry.name);
    return all;
  }

  testing::TestEnv world;
  testing::TempDir dir;
  const std::string folder = dir / "uploads";
};

TEST_F(UploadFolder, HasEachFileUnderItsIdForTheUserAlone) {
  http::Request request;
  request.body = "what was sent";

  EXPECT_EQ(keep_upload(world.env.files, folder, "up_1", request).value(), 13U);

  EXPECT_EQ(names(), std::vector<std::string>{"up_1"});
  struct stat facts{};
  ASSERT_EQ(::stat((folder + "/up_1").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  const auto opened = open_upload(folder, "up_1");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->size, 13U);
}

TEST_F(UploadFolder, TakesALargeBodyFromItsFile) {
  std::string content;
  for (int i = 0; content.size() < (3U << 20U); ++i) content += std::to_string(i);
  std::ofstream(dir / "body") << content;
  std::FILE* const body = std::fopen((dir / "body").c_str(), "r");
  http::Request request;
  request.body_fd = ::fileno(body);

  EXPECT_EQ(keep_upload(world.env.files, folder, "up_1", request).value(), content.size());

  std::stringstream kept;
  kept << std::ifstream(folder + "/up_1").rdbuf();
  EXPECT_TRUE(kept.str() == content);
  std::fclose(body);
}

TEST_F(UploadFolder, IsLeftAsItWasIfSomethingFails) {
  http::Request request;
  request.body_fd = 1 << 20;  // Nothing can be read from it.
  EXPECT_FALSE(keep_upload(world.env.files, folder, "up_1", request));
  EXPECT_EQ(names(), std::vector<std::string>());
}

TEST_F(UploadFolder, FollowsNoLinkOutOfIt) {
  std::ofstream(dir / "secret") << "secret";
  ASSERT_EQ(::symlink((dir / "secret").c_str(), (folder + "/up_1").c_str()), 0);
  EXPECT_FALSE(open_upload(folder, "up_1"));
  EXPECT_EQ(open_upload(folder, "up_2").error().fault, Fault::not_found);
}

TEST_F(UploadFolder, IsClearedOfWhatAKilledHubHasLeftButNotOfWhatAnotherIsWriting) {
  std::ofstream(folder + "/up_1") << "whole";
  std::ofstream(folder + "/up_2.partial") << "le";
  const auto writing = world.env.files.open(folder + "/up_3.partial", env::Open::create_new);
  ASSERT_TRUE(writing && (*writing)->try_lock().value());

  http::Limits limits;
  ASSERT_TRUE(prepare_uploads(world.env.files, {.uploads = folder}, limits));

  std::vector<std::string> left = names();
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"up_1", "up_3.partial"}));
}

TEST_F(UploadFolder, LetsLargeBodiesInOnlyWhereFilesAreSentByThoseWhoSayWhoTheyAre) {
  http::Limits limits;
  ASSERT_TRUE(prepare_uploads(world.env.files, {.uploads = folder}, limits));
  EXPECT_EQ(limits.spool_dir, folder);
  http::Request head{.method = "POST", .path = "/api/uploads"};
  EXPECT_EQ(limits.body_limit(head), 0U);
  head.headers.push_back({"authorization", "Bearer ty_x"});
  EXPECT_EQ(limits.body_limit(head), limits::upload_bytes_max);
  head.path = "/api/feeds";
  EXPECT_EQ(limits.body_limit(head), 0U);

  http::Limits unchanged;
  ASSERT_TRUE(prepare_uploads(world.env.files, {}, unchanged));
  EXPECT_FALSE(unchanged.body_limit);
}

}  // namespace
}  // namespace tyer::api
