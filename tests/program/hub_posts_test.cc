// Posts of all feeds in one list, and reading many of them at once, on every store (H11, H21).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

using Ids = std::vector<std::string>;

class HubPosts : public ::testing::TestWithParam<std::string> {
 protected:
  Ids list(const std::string& query) {
    Ids ids;
    std::string cursor;
    do {
      const Json page = visitor.get("/api/posts?" + query + cursor).json();
      for (const Json& row : page["data"]) ids.push_back(text_or(row, "id"));
      cursor = page["next_cursor"].is_string() ? "&cursor=" + text_or(page, "next_cursor") : "";
    } while (!cursor.empty());
    return ids;
  }

  HubPlace place{GetParam()};
  RunningHub hub{place, {"--open-loopback"}};
  Visitor visitor = hub.visitor();
  std::string key = visitor.post("/api/keys", {{"name", "a"}, {"type", "command"}}).text("key");
  Visitor agent = hub.visitor().as(key);
  std::string first = "/api/feeds/" + visitor.make("/api/feeds", {{"name", "first"}});
  std::string second = "/api/feeds/" + visitor.make("/api/feeds", {{"name", "second"}});
};

TEST_P(HubPosts, AreListedFromAllFeedsTheNewestFirst) {
  Ids made;
  for (int i = 0; i < 5; ++i) {
    made.insert(made.begin(),
                visitor.make((i % 2 == 0 ? first : second) + "/posts", {{"content", "x"}}));
  }
  EXPECT_EQ(list("limit=2"), made);
  EXPECT_EQ(list("unread=true"), Ids{});
}

TEST_P(HubPosts, WithSomethingNewAreListedUntilTheyAreReadAtOnce) {
  Ids unread;
  for (int i = 0; i < 5; ++i) {
    unread.insert(unread.begin(),
                  agent.make((i % 2 == 0 ? first : second) + "/posts", {{"content", "x"}}));
    static_cast<void>(visitor.make(first + "/posts", {{"content", "mine"}}));
  }
  EXPECT_EQ(list("unread=true&limit=2"), unread);

  const std::string kept = unread.front();
  Ids read(unread.begin() + 1, unread.end());
  // Who names one twice, one that is read, or one that is none, has read the others.
  read.insert(read.end(), {unread.back(), "ps_none", "", "x y"});
  EXPECT_EQ(visitor.post("/api/read", {{"ids", read}}).status, 200);
  EXPECT_EQ(list("unread=true"), Ids{kept});
  EXPECT_EQ(agent.post("/api/read", {{"ids", Ids{kept}}}).status, 403);
  EXPECT_EQ(list("unread=true"), Ids{kept});
}

TEST_P(HubPosts, ThatAreNamedComeInOneAnswer) {
  const std::string one = visitor.make(first + "/posts", {{"content", "x"}});
  const std::string two = visitor.make(second + "/posts", {{"content", "x"}});
  EXPECT_EQ(list(fmt::format("ids={},ps_none,{}", two, one)), (Ids{two, one}));
  Ids many(201, one);
  EXPECT_EQ(visitor.get(fmt::format("/api/posts?ids={}", fmt::join(many, ","))).status, 400);
}

TEST_P(HubPosts, OfAFeedThatWasDeletedAreNotListed) {
  const std::string kept = agent.make(first + "/posts", {{"content", "x"}});
  const std::string gone = agent.make(second + "/posts", {{"content", "x"}});
  EXPECT_EQ(visitor.ask("DELETE", second).status, 204);
  EXPECT_EQ(list("limit=1"), Ids{kept});
  EXPECT_EQ(list("unread=true"), Ids{kept});
  EXPECT_EQ(list("ids=" + gone), Ids{});
}

INSTANTIATE_TEST_SUITE_P(On, HubPosts, ::testing::ValuesIn(hub_backends()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
