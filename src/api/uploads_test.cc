// What is sent is hostile (H6, P14): its name, its type, and its size.

#include "api/uploads.h"

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

struct KeptUploads : ::testing::Test {
  testing::TestEnv world;
  testing::TempDir dir;
  const std::string folder = dir / "uploads";
  const std::shared_ptr<store::Uploads> uploads = store::uploads_in(world.env.files, folder);
};

TEST_F(KeptUploads, KnowTheirSizeAndTheirHash) {
  http::Request request;
  request.body = "what was sent";

  const auto kept = keep_upload(*uploads, "up_1", request);

  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size, 13U);
  // As sha256sum says.
  EXPECT_EQ(kept->sha256, "8163a7d71b91347a1efe60413e773743993d7e660826c0ab7cb77a7715d37824");
}

TEST_F(KeptUploads, ComeFromTheFileOfALargeBody) {
  std::string content;
  for (int i = 0; content.size() < (3U << 20U); ++i) content += std::to_string(i);
  std::ofstream(dir / "body") << content;
  std::FILE* const body = std::fopen((dir / "body").c_str(), "r");
  http::Request request;
  request.body_fd = ::fileno(body);

  EXPECT_EQ(keep_upload(*uploads, "up_1", request).value().size, content.size());

  std::stringstream kept;
  kept << std::ifstream(folder + "/up_1").rdbuf();
  EXPECT_TRUE(kept.str() == content);
  std::fclose(body);
}

TEST_F(KeptUploads, AreNotThereIfSomethingFails) {
  http::Request request;
  request.body_fd = 1 << 20;  // Nothing can be read from it.
  EXPECT_FALSE(keep_upload(*uploads, "up_1", request));
  EXPECT_EQ(uploads->list().value(), std::vector<store::UploadEntry>());
}

TEST_F(KeptUploads, LieInTheirFolderWhileTheyCome) {
  http::Limits limits;
  ASSERT_TRUE(prepare_uploads(world.env.files, {.uploads = uploads, .scratch = folder}, limits));
  EXPECT_EQ(limits.spool_dir, folder);
}

TEST(HubBodies, AreLargeOnlyWhereThatIsOfUse) {
  const auto most = [](const char* method, const char* path) {
    return Hub::body_limit({.method = method, .path = path});
  };
  EXPECT_EQ(most("POST", "/api/uploads"), limits::upload_bytes_max);
  EXPECT_EQ(most("POST", "/api/feeds/fd_1/posts"), 0U) << "as large as any";
  for (const char* path : {"/api/setup", "/api/auth/login", "/api/auth/link", "/nowhere"}) {
    EXPECT_EQ(most("POST", path), limits::open_body_bytes_max) << path;
  }
  EXPECT_EQ(most("GET", "/api/feeds"), limits::open_body_bytes_max);
}

}  // namespace
}  // namespace tyer::api
