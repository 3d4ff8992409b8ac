// Search in a real hub, on every store that hubs run on (H7).

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

using Ids = std::vector<std::string>;

std::string encoded(const std::string& text) {
  std::string all;
  for (const char c : text) all += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return all;
}

class HubSearch : public ::testing::TestWithParam<std::string> {
 protected:
  std::string post(const std::string& title, const std::string& content) {
    return visitor.make("/api/feeds/" + feed + "/posts", {{"title", title}, {"content", content}});
  }
  std::string comment(const std::string& under, const std::string& content) {
    return visitor.make("/api/posts/" + under + "/comments", {{"content", content}});
  }
  Json search(const std::string& query, const std::string& more = "") {
    const Reply reply = visitor.get("/api/search?q=" + encoded(query) + more);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.json();
  }
  Ids find(const std::string& query, const std::string& more = "") {
    Ids ids;
    const Json page = search(query, more);
    for (const Json& row : page["data"]) ids.push_back(text_or(row, "id"));
    return ids;
  }

  HubPlace place{GetParam()};
  RunningHub hub{place, {"--open-loopback"}};
  Visitor visitor = hub.visitor();
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
};

TEST_P(HubSearch, FindsPostsAndCommentsByTheirWordsTheNewestFirst) {
  const std::string first = post("배포 계획", "Deploy on Friday");
  const std::string second = comment(first, "자동배포는 끝났다");
  const std::string third = post("", "nothing of that");
  const std::string fourth = comment(third, "redeploy, 배포");

  EXPECT_EQ(find("배포"), (Ids{fourth, second, first}));
  EXPECT_EQ(find("DEPLOY"), (Ids{fourth, first}));
  EXPECT_EQ(find("계획 friday"), Ids{first});
  EXPECT_EQ(find("배포", "&kind=post"), Ids{first});
  EXPECT_EQ(find("배포", "&kind=comment"), (Ids{fourth, second}));
  EXPECT_EQ(find("없는 말"), Ids());

  const Json row = search("끝났다")["data"][0];
  EXPECT_EQ(text_or(row, "kind"), "comment");
  EXPECT_EQ(text_or(row, "post_id"), first);
  EXPECT_EQ(text_or(row, "content"), "자동배포는 끝났다");
  EXPECT_EQ(row["excerpt"], (Json{{"text", "자동배포는 끝났다"}, {"start", 6}, {"length", 3}}));
}

TEST_P(HubSearch, ShowsNothingThatWasDeletedOrIsInSomethingDeleted) {
  const std::string one = post("", "needle one");
  const std::string two = post("", "needle two");
  const std::string under = comment(two, "needle three");
  const std::string kept = comment(one, "needle four");
  ASSERT_EQ(visitor.ask("DELETE", "/api/posts/" + two).status, 204);
  EXPECT_EQ(find("needle"), (Ids{kept, one}));
  ASSERT_EQ(visitor.ask("DELETE", "/api/comments/" + kept).status, 204);
  EXPECT_EQ(find("needle"), Ids{one});
  ASSERT_EQ(visitor.patch("/api/posts/" + one, {{"content", "thread"}}).status, 200);
  EXPECT_EQ(find("needle"), Ids());
  EXPECT_EQ(find("thread"), Ids{one});
  ASSERT_EQ(visitor.ask("DELETE", "/api/feeds/" + feed).status, 204);
  EXPECT_EQ(find("thread"), Ids());
}

TEST_P(HubSearch, PagesWithoutSkippingOrRepeatingWhileOthersWrite) {
  Ids there;
  const std::string thread = post("", "needle 0");
  there.push_back(thread);
  for (int i = 1; i < 25; ++i) {
    there.push_back(i % 3 == 0 ? post("", fmt::format("needle {}", i))
                               : comment(thread, fmt::format("needle {}", i)));
    if (i % 5 == 0) (void)comment(thread, "something else");
  }
  Ids seen;
  std::string cursor;
  for (int pages = 0; pages < 30; ++pages) {
    const Json page = search("needle", "&limit=4&cursor=" + cursor);
    EXPECT_LE(page["data"].size(), 4U);
    for (const Json& row : page["data"]) seen.push_back(text_or(row, "id"));
    if (!page["next_cursor"].is_string()) break;
    cursor = page["next_cursor"];
    (void)comment(thread, "needle, but later");
  }
  EXPECT_EQ(seen, Ids(there.rbegin(), there.rend()));
}

TEST_P(HubSearch, TakesNothingOfWhatIsLookedForAsAQuery) {
  const std::string one = post("", "say \"NEAR(a b)\" OR 'x' & !y * -z grams:q \\");
  for (const char* query : {"\"NEAR(a", "or", "'x'", "!y", "grams:q", "-z *"}) {
    EXPECT_EQ(find(query), Ids{one}) << query;
  }
  EXPECT_EQ(find("\"NEAR(a b)\""), Ids{one});
  for (const char* query : {"no* OR say", "content:say", "\" or 's", "sa*", "say:*"}) {
    EXPECT_EQ(find(query), Ids()) << query;
  }
  for (const char* query :
       {"q=", "q=a", "q=%FF", "", "q=word&kind=feed", "q=word&limit=0", "q=word&cursor=..%2F%01"}) {
    EXPECT_EQ(visitor.get(std::string("/api/search?") + query).status, 400) << query;
  }
}

TEST_P(HubSearch, IsForPeopleAndAgentsOnly) {
  const RunningHub closed(place);
  EXPECT_EQ(closed.visitor().get("/api/search?q=word").status, 401);
}

INSTANTIATE_TEST_SUITE_P(On, HubSearch, ::testing::ValuesIn(hub_backends()),
                         [](const auto& test) { return test.param; });

TEST(HubSearchOfCopies, FindsWhatTheirSourceHas) {
  const HubPlace place("sqlite");
  std::string post;
  {
    RunningHub hub(place, {"--open-loopback"});
    Visitor visitor = hub.visitor();
    const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
    post = visitor.make("/api/feeds/" + feed + "/posts", {{"content", "자동배포를 시작"}});
    EXPECT_EQ(hub.stop().code, 0);
  }
  const auto store = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "store");
    const ProgramResult done = run_program({.words = words, .directory = place.dir().path()});
    EXPECT_EQ(done.code, 0) << done.out << done.err;
  };
  store({"check"});
  store({"backup", "saved.db"});
  store({"copy", "sqlite:saved.db", "files:plain"});
  store({"copy", "files:plain", "sqlite:again.db"});
  for (const char* url : {"sqlite:saved.db", "files:plain", "sqlite:again.db"}) {
    store({"check", "--store", url});
    RunningHub hub(place, {"--open-loopback", "--store", url});

    const Json page = hub.visitor().get("/api/search?q=" + encoded("배포")).json();

    ASSERT_EQ(page["data"].size(), 1U) << url;
    EXPECT_EQ(text_or(page["data"][0], "id"), post);
  }
}

}  // namespace
}  // namespace tyer::testing
