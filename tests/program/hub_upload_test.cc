// Files that are sent to a real hub (H6, P14).

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"
#include "support/small_disk.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

class HubUpload : public ::testing::Test {
 protected:
  Reply send(const std::string& name, const std::string& type, const std::string& content) {
    Visitor sender = hub.visitor();
    if (!type.empty()) sender.with("Content-Type", type);
    return sender.ask("POST", "/api/uploads?name=" + name, content);
  }

  // What lies in the folder.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& root : fs::recursive_directory_iterator(place.dir().path())) {
      if (root.path().parent_path().filename() == "uploads") names.push_back(root.path());
    }
    return names;
  }

  HubPlace place{"sqlite"};
  RunningHub hub{place, {"--open-loopback"}};
  Visitor visitor = hub.visitor();
};

TEST_F(HubUpload, ComesBackAsItWasSent) {
  const std::string content("\x89PNG\r\n\x1a\n\0\xff", 10);
  const Reply made = send("%EC%82%AC%EC%A7%84.png", "image/png", content);

  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.text("name"), "사진.png");
  EXPECT_EQ(made.text("content_type"), "image/png");
  EXPECT_EQ(int_or(made.json(), "size"), 10);
  EXPECT_EQ(made.text("author_type"), "human");
  EXPECT_EQ(made.text("url"), "/api/uploads/" + made.text("id") + "/%EC%82%AC%EC%A7%84.png");
  const Reply got = visitor.get(made.text("url"));
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(got.body == content);
  EXPECT_EQ(got.header("content-type"), "image/png");
  EXPECT_TRUE(got.header("content-disposition").starts_with("inline;"));
  ASSERT_EQ(files().size(), 1U);
  EXPECT_TRUE(files().front().ends_with(made.text("id")));
}

TEST_F(HubUpload, IsADownloadInASandboxUnlessItIsAPicture) {
  for (const char* type : {"text/html", "image/svg+xml", "text/plain", "", "nonsense"}) {
    const Reply made = send("page.html", type, "<script>alert(1)</script>");
    ASSERT_EQ(made.status, 201) << made.body;
    const Reply got = visitor.get(made.text("url"));
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.header("content-disposition").starts_with("attachment;")) << type;
    EXPECT_EQ(got.header("content-security-policy"), "sandbox; default-src 'none'");
    EXPECT_EQ(got.header("x-content-type-options"), "nosniff");
    EXPECT_FALSE(got.header("content-type").contains("html"));
    EXPECT_FALSE(got.header("content-type").contains("svg"));
  }
}

TEST_F(HubUpload, MayHaveFiftyMegabytesAndNotOneByteMore) {
  std::string content(50 << 20, 'x');
  for (std::size_t i = 0; i < content.size(); i += 4'099) content[i] = static_cast<char>(i);
  const Reply made = send("large.bin", "application/zip", content);
  ASSERT_EQ(made.status, 201) << made.body;
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(fs::file_size(files().front()), content.size());
  EXPECT_EQ(visitor.ask("HEAD", made.text("url")).header("content-length"),
            std::to_string(content.size()));

  content += 'x';
  EXPECT_EQ(send("larger.bin", "", content).status, 413);
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(HubUpload, HasAPlainNameAndNoWayOutOfTheFolder) {
  for (const char* name :
       {"", "..", "a%2Fb", "..%2F..%2Fx", "a%5Cb", "a%0Ab", "%FF", "%E2%80%AEx"}) {
    EXPECT_EQ(send(name, "", "x").status, 400) << name;
  }
  EXPECT_EQ(send(std::string(201, 'a'), "", "x").status, 429);
  EXPECT_TRUE(files().empty());
  const std::string id = send("a.txt", "text/plain", "x").text("id");
  for (const std::string& path :
       {std::string("/b.txt"), std::string("/..%2F..%2Ftyer.db"), std::string("/"),
        std::string("/a.txt/x"), std::string("%2F..%2F..%2Ftyer.db/a.txt")}) {
    EXPECT_EQ(visitor.get("/api/uploads/" + id + path).status, 404) << path;
  }
  EXPECT_EQ(visitor.get("/api/uploads/..%2Ftyer.db/tyer.db").status, 404);
  EXPECT_EQ(visitor.get("/api/uploads/up_0/a.txt").status, 404);
}

TEST_F(HubUpload, IsForPeopleAndAgentsOnly) {
  const std::string url = send("a.txt", "text/plain", "x").text("url");
  const RunningHub closed(place);
  EXPECT_EQ(closed.visitor().get(url).status, 401);
  EXPECT_EQ(closed.visitor().ask("POST", "/api/uploads?name=a", "x").status, 401);
  Visitor stranger = closed.visitor();
  EXPECT_EQ(stranger.ask("POST", "/api/uploads?name=a", std::string(2 << 20, 'x')).status, 401);
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(HubUpload, LeavesNothingBehindWhenTheDiskIsFull) {
  const TempDir mount;
  const int code = on_a_small_disk(mount.path(), 12 << 10, [&] {
    Program program({.words = {"serve", "--listen", "127.0.0.1:0", "--json", "--open-loopback",
                               "--store", "sqlite:" + (mount / "tyer.db")},
                     .directory = mount.path()});
    if (!program.wait_for("\n")) return 1;
    const auto told = parse_json_object(program.out().substr(0, program.out().find('\n')));
    if (!told) return 2;
    Visitor sender(text_or(*told, "url"));
    // As it comes, and while it is copied.
    if (sender.again().ask("POST", "/api/uploads?name=a", std::string(20 << 20, 'x')).status != 507)
      return 3;
    if (sender.again().ask("POST", "/api/uploads?name=a", std::string(7 << 20, 'x')).status != 507)
      return 4;
    for (const auto& entry : fs::directory_iterator(mount / "uploads")) {
      (void)entry;
      return 5;
    }
    const Reply small = sender.again().ask("POST", "/api/uploads?name=a", "small");
    return small.status == 201 ? 0 : 6;
  });
  if (code == cannot_mount) GTEST_SKIP() << "only root can mount a small disk";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace tyer::testing
