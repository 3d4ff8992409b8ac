// The page for people, as the hub serves it.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "api/page.h"
#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* browser = "text/html,application/xhtml+xml,*/*;q=0.8";

class HubPage : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const fs::path whole = folder / path;
    fs::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }

  HubPlace place{"sqlite"};
  const fs::path folder = fs::path(place.dir().path()) / "page";
};

TEST_F(HubPage, IsThereForWhoeverComesAndSaysWhatItMayDo) {
  const RunningHub hub(place);
  for (const char* path : {"/", "/agents/nobody"}) {
    Visitor visitor = hub.visitor().with("Accept", browser);
    const Reply page = visitor.get(path);
    ASSERT_EQ(page.status, 200) << page.body;
    EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
    EXPECT_TRUE(page.body.contains("<!doctype html>")) << page.body;
    const std::string policy = page.header("content-security-policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
    EXPECT_TRUE(policy.contains("frame-ancestors 'none'"));
    EXPECT_FALSE(policy.contains("unsafe"));
    EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
    EXPECT_EQ(page.header("referrer-policy"), "no-referrer");
    EXPECT_EQ(page.header("cache-control"), "no-cache");
    const Reply head = visitor.ask("HEAD", path);
    EXPECT_EQ(head.header("content-length"), std::to_string(page.body.size()));
    EXPECT_EQ(head.body, "");
  }
}

TEST_F(HubPage, LeavesTheApiAlone) {
  const RunningHub hub(place);
  Visitor visitor = hub.visitor().with("Accept", browser);

  for (const char* path : {"/api/nothing", "/api", "/api/feeds/x/y"}) {
    const Reply answer = visitor.get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.header("content-type"), "application/json") << path;
  }
  EXPECT_EQ(hub.visitor().get("/nothing").status, 404);
  EXPECT_EQ(visitor.ask("POST", "/agents", "{}").status, 404);
  EXPECT_EQ(visitor.ask("POST", "/", "{}").status, 405);
  EXPECT_EQ(visitor.get("/assets/nothing.js").status, 404);
}

TEST_F(HubPage, IsToldByAHubWhatItIsOnceItIsKnown) {
  const RunningHub hub(place);
  const Json stranger = hub.visitor().get("/health").json();
  const Json known = hub.admin().get("/health").json();

  EXPECT_EQ(stranger, Json({{"status", "ok"}}));
  EXPECT_EQ(text_or(known, "status"), "ok");
  EXPECT_FALSE(text_or(known, "version").empty());
  EXPECT_TRUE(text_or(known, "store").starts_with("sqlite:"));
}

TEST_F(HubPage, IsSentOnceAndItsFilesAreKept) {
  if (api::page_files().empty()) GTEST_SKIP() << "built without the page";
  const RunningHub hub(place);
  const std::string etag = hub.visitor().get("/").header("etag");

  const Reply again = hub.visitor().with("If-None-Match", etag).get("/");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  for (const api::PageFile& file : api::page_files()) {
    const std::string path(file.path);
    const Reply packed = hub.visitor().with("Accept-Encoding", "gzip").get(path);
    const Reply plain = hub.visitor().get(path);
    EXPECT_EQ(packed.header("content-encoding"), "gzip") << path;
    EXPECT_TRUE(packed.body == file.gzip) << path;
    EXPECT_EQ(plain.status, 200) << path;
    EXPECT_EQ(plain.header("content-encoding"), "") << path;
    EXPECT_EQ(plain.header("content-type"), file.type) << path;
    EXPECT_FALSE(file.type.empty()) << path;
    EXPECT_EQ(packed.header("cache-control").contains("immutable"), path.starts_with("/assets/"));
  }
}

// What a visitor waits for: index.html, and what it names.
TEST_F(HubPage, IsSmallEnoughForASlowLine) {
  if (api::page_files().empty()) GTEST_SKIP() << "built without the page";
  const RunningHub hub(place);
  const std::string index = hub.visitor().get("/").body;
  std::size_t bytes = 0;
  for (const api::PageFile& file : api::page_files()) {
    if (index.contains(file.path) || file.path == "/index.html") bytes += file.gzip.size();
  }
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, 250'000U);
}

TEST_F(HubPage, ComesFromAFolderWhileOneWorksOnIt) {
  write("index.html", "<!doctype html>one");
  write("assets/a.js", "let a;");
  write("notes", "no type");
  const RunningHub hub(place, {"--web-dir", folder.string()});
  Visitor visitor = hub.visitor().with("Accept", browser);

  EXPECT_EQ(visitor.get("/agents").body, "<!doctype html>one");
  write("index.html", "<!doctype html>two");
  const Reply page = visitor.get("/");
  EXPECT_EQ(page.body, "<!doctype html>two");
  EXPECT_EQ(page.header("cache-control"), "no-store");
  EXPECT_TRUE(page.header("content-security-policy").contains("script-src 'self'"));
  const Reply script = visitor.get("/assets/a.js");
  EXPECT_EQ(script.body, "let a;");
  EXPECT_EQ(script.header("content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(hub.visitor().get("/notes").status, 404);
  fs::remove(folder / "index.html");
  EXPECT_EQ(visitor.get("/").status, 404);
}

TEST_F(HubPage, NeverLeavesItsFolder) {
  write("index.html", "<!doctype html>page");
  write(".hidden.txt", "secret");
  write("../outside.txt", "secret");
  fs::create_symlink("../outside.txt", folder / "out.txt");
  fs::create_directory_symlink("..", folder / "up");
  fs::create_symlink("index.html", folder / "in.html");
  const RunningHub hub(place, {"--web-dir", folder.string()});

  for (const char* path :
       {"/../outside.txt", "/%2e%2e/outside.txt", "/..%2foutside.txt", "/assets/../../outside.txt",
        "//outside.txt", "/out.txt", "/up/outside.txt", "/.hidden.txt", "/./index.html"}) {
    for (const char* accept : {"*/*", browser}) {
      const Reply answer = hub.visitor().with("Accept", accept).get(path);
      EXPECT_FALSE(answer.body.contains("secret")) << path;
      EXPECT_TRUE(answer.status == 404 || answer.body.contains("page")) << path << answer.status;
    }
  }
  EXPECT_EQ(hub.visitor().get("/in.html").body, "<!doctype html>page");
}

TEST_F(HubPage, IsNotLookedForInAFolderThatIsNotThere) {
  const ProgramResult refused = run_program(place.call({"--web-dir", (folder / "none").string()}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.err.contains("there is no such folder")) << refused.err;
}

}  // namespace
}  // namespace tyer::testing
