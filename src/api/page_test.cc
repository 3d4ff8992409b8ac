#include "api/page.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace tyer::api {
namespace {

// printf 'hello hello hello\n' | gzip -9n
const std::string hello(
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03"
    "\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\0"
    "\x3b\x7c\x8a\xdf\x12\0\0\0",
    29);

const std::array files{
    PageFile{"/assets/index-1a.js", page_type("/assets/index-1a.js"), "\"js\"", hello},
    PageFile{"/favicon.svg", page_type("/favicon.svg"), "\"svg\"", hello},
    PageFile{"/index.html", page_type("/index.html"), "\"html\"", hello},
};

constexpr const char* browser = "text/html,application/xhtml+xml,*/*;q=0.8";

http::Request get(std::string path, std::vector<http::Header> headers = {}) {
  return {.method = "GET", .path = std::move(path), .headers = std::move(headers)};
}

std::string type_at(const http::Request& request) {
  const auto page = show_page(request, files).value();
  return page ? std::string(page->header("content-type")) : "none";
}

TEST(Page, IsShownAtEveryPathThatABrowserVisits) {
  for (const char* path : {"/", "/agents", "/agents/ag_1", "/a.b", "/apis"}) {
    EXPECT_EQ(type_at(get(path, {{"accept", browser}})), "text/html; charset=utf-8") << path;
  }
  EXPECT_EQ(type_at(get("/")), "text/html; charset=utf-8");
  EXPECT_EQ(type_at(get("/", {{"accept", "*/*"}})), "text/html; charset=utf-8");
}

TEST(Page, IsNotWhatTheApiAndProgramsGet) {
  EXPECT_EQ(type_at(get("/api/nothing", {{"accept", browser}})), "none");
  EXPECT_EQ(type_at(get("/api", {{"accept", browser}})), "none");
  EXPECT_EQ(type_at(get("/agents", {{"accept", "*/*"}})), "none");
  EXPECT_EQ(type_at(get("/agents", {{"accept", "text/html;q=0, */*"}})), "none");
  EXPECT_EQ(type_at(get("/assets/gone.js", {{"accept", browser}})), "none");
  http::Request post = get("/agents", {{"accept", browser}});
  post.method = "POST";
  EXPECT_EQ(type_at(post), "none");
  EXPECT_EQ(type_at(get("/", {{"accept", "application/json"}})), "text/plain; charset=utf-8");
}

TEST(Page, HasFilesThatNeverChangeAndOthersThatAreAskedForAnew) {
  const auto script = show_page(get("/assets/index-1a.js"), files).value().value();
  const auto index = show_page(get("/"), files).value().value();

  EXPECT_EQ(script.header("cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(script.header("content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(index.header("cache-control"), "no-cache");
  EXPECT_EQ(index.header("etag"), "W/\"html\"");
}

TEST(Page, IsNotSentToWhoHasIt) {
  for (const char* known : {"W/\"html\"", "\"html\"", "\"other\", W/\"html\"", "*"}) {
    const auto page = show_page(get("/", {{"if-none-match", known}}), files).value().value();
    EXPECT_EQ(page.status, 304) << known;
    EXPECT_EQ(page.body, "");
    EXPECT_EQ(page.header("etag"), "W/\"html\"");
  }
  EXPECT_EQ(show_page(get("/", {{"if-none-match", "\"old\""}}), files).value()->status, 200);
}

TEST(Page, IsCompressedForWhoReadsIt) {
  for (const char* coding : {"gzip", "br, gzip;q=0.5", "deflate,GZIP"}) {
    const auto page = show_page(get("/", {{"accept-encoding", coding}}), files).value().value();
    EXPECT_EQ(page.header("content-encoding"), "gzip") << coding;
    EXPECT_EQ(page.body, hello);
  }
  for (const char* coding : {"", "br", "gzip;q=0", "gzip;q=0.0", "xgzip"}) {
    const auto page = show_page(get("/", {{"accept-encoding", coding}}), files).value().value();
    EXPECT_EQ(page.header("content-encoding"), "") << coding;
    EXPECT_EQ(page.body, "hello hello hello\n");
  }
}

TEST(Page, ThatWasNotBuiltSaysHowToBuildIt) {
  const auto page = show_page(get("/agents", {{"accept", browser}}), {}).value().value();

  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.contains("./dev build"));
  EXPECT_FALSE(show_page(get("/assets/index.js"), {}).value().has_value());
}

}  // namespace
}  // namespace tyer::api
