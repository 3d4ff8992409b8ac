// What has happened, as people read it: the log from its end, one thing, all runs (H17, H23).

#include <algorithm>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class HubStory : public ::testing::Test {
 protected:
  // The ids of a page's events, and where the next one begins.
  std::vector<std::string> page(const std::string& query) {
    const Reply answer = visitor.get("/api/events?" + query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::vector<std::string> ids;
    const Json body = answer.json();
    for (const Json& event : body["data"]) ids.push_back(text_or(event, "event_id"));
    next = text_or(body, "next_cursor");
    return ids;
  }

  HubPlace place{"sqlite"};
  RunningHub hub{place, {"--open-loopback"}};
  Visitor visitor = hub.visitor();
  std::string next;
};

TEST_F(HubStory, IsReadFromItsEndWithoutGapsOrRepeats) {
  for (int i = 0; i < 12; ++i) {
    visitor.make("/api/feeds", {{"name", "feed " + std::to_string(i)}});
  }
  std::vector<std::string> forwards = page("limit=200");
  ASSERT_GE(forwards.size(), 12U);

  std::vector<std::string> backwards = page("order=newest&limit=5");
  EXPECT_EQ(backwards.size(), 5U);
  while (!next.empty()) {
    for (const std::string& id : page("order=newest&limit=5&cursor=" + next)) {
      backwards.push_back(id);
    }
  }
  std::ranges::reverse(backwards);
  EXPECT_EQ(backwards, forwards);
}

TEST_F(HubStory, OfOneThingIsWhatHappenedToIt) {
  const std::string one = visitor.make("/api/feeds", {{"name", "one"}});
  visitor.make("/api/feeds", {{"name", "two"}});
  ASSERT_EQ(visitor.patch("/api/feeds/" + one, {{"name", "uno"}}).status, 200);

  const Json story = visitor.get("/api/events?key=feed/" + one).json()["data"];
  ASSERT_EQ(story.size(), 2U) << story.dump();
  EXPECT_EQ(text_or(story[0], "event"), "feed_created");
  EXPECT_EQ(text_or(story[1], "event"), "feed_updated");
  EXPECT_EQ(page("key=feed/" + one.substr(0, one.size() - 1)).size(), 0U) << "not by a prefix";
}

TEST_F(HubStory, OfRunsIsListedForAllSessionsTheNewestFirst) {
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  const std::string agent =
      visitor.post("/api/keys", {{"name", "bot"}, {"type", "demo"}}).text("id");
  std::vector<std::string> begun;
  for (int i = 0; i < 25; ++i) {
    const std::string name = fmt::format("s{}", i % 2);
    visitor.make("/api/feeds/" + feed + "/posts", {{"content", "@bot/" + name}});
    const Json sessions = visitor.get("/api/agents/" + agent + "/sessions").json()["data"];
    const auto session = std::ranges::find_if(
        sessions, [&](const Json& one) { return text_or(one, "name") == name; });
    ASSERT_NE(session, sessions.end());
    const std::string runs = "/api/sessions/" + text_or(*session, "id") + "/runs";
    const std::string run = fmt::format("01a1e205-9976-7000-8000-{:012}", i);
    ASSERT_EQ(visitor.post(runs, {{"run", run}}).status, 201);
    const Json running = visitor.get("/api/runs?status=running").json()["data"];
    ASSERT_EQ(running.size(), 1U);
    EXPECT_EQ(text_or(running[0], "id"), run);
    ASSERT_EQ(visitor.post(runs + "/" + run + "/finish", {{"verdict", "done"}}).status, 200);
    begun.insert(begun.begin(), run);
  }
  std::vector<std::string> listed;
  std::string cursor;
  do {
    const Json body = visitor.get("/api/runs?limit=4&cursor=" + cursor).json();
    for (const Json& run : body["data"]) listed.push_back(text_or(run, "id"));
    cursor = text_or(body, "next_cursor");
  } while (!cursor.empty());
  EXPECT_EQ(listed, begun);
  EXPECT_EQ(visitor.get("/api/runs?status=running").json()["data"], Json::array());
  EXPECT_EQ(visitor.get("/api/sessions").json()["data"].size(), 3U) << "with the default one";
  EXPECT_EQ(visitor.get("/api/runs?cursor=%2F").status, 400);
}

TEST_F(HubStory, RefusesWhatMakesNoSense) {
  for (const char* query : {"order=up", "order=newest&key=feed/a", "key=feed", "key=%20",
                            "order=newest&cursor=nonsense", "order=newest&cursor=0"}) {
    EXPECT_EQ(visitor.get(std::string("/api/events?") + query).status, 400) << query;
  }
}

}  // namespace
}  // namespace tyer::testing
