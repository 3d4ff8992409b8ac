// The API of a real hub, on every store that hubs run on (H3 to H6, H10, H14, H20).

#include <algorithm>
#include <barrier>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class HubApi : public ::testing::TestWithParam<std::string> {
 protected:
  HubPlace place{GetParam()};
  RunningHub hub{place, {"--open-loopback"}};
  Visitor visitor = hub.visitor();
};

using Ids = std::vector<std::string>;

Ids ids_of(const Json& page) {
  Ids ids;
  for (const Json& row : page["data"]) ids.push_back(text_or(row, "id"));
  return ids;
}

TEST_P(HubApi, TellsTimesToTheMicrosecondAndIdsThatSort) {
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  Ids posts;
  std::string last;
  for (int i = 0; i < 20; ++i) {
    const Reply made = visitor.post("/api/feeds/" + feed + "/posts", {{"content", "x"}});
    posts.push_back(made.text("id"));
    const std::string at = made.text("created_at");
    ASSERT_EQ(at.size(), std::string_view("2026-01-02T03:04:05.123456Z").size()) << at;
    EXPECT_GE(at, last);
    last = at;
  }
  EXPECT_TRUE(std::ranges::is_sorted(posts));
}

// One who pages through `path` while others write.
struct Walk {
  std::string path;
  std::string cursor;
  Ids seen;
  bool done = false;

  void step(Visitor& visitor, int limit) {
    if (done) return;
    const Json page = visitor
                          .get(fmt::format("{}{}limit={}&cursor={}", path,
                                           path.contains('?') ? '&' : '?', limit, cursor))
                          .json();
    std::ranges::copy(ids_of(page), std::back_inserter(seen));
    done = !page["next_cursor"].is_string();
    if (!done) cursor = page["next_cursor"];
  }
};

TEST_P(HubApi, PagesThatAreReadWhileOthersWriteNeverSkipOrRepeat) {
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  const auto holds = [&] {
    const std::string post = visitor.make("/api/feeds/" + feed + "/posts", {{"content", "x"}});
    const std::string path = "/api/posts/" + post + "/comments";
    const auto before = *rc::gen::inRange(0, 12);
    Ids there;
    for (int i = 0; i < before; ++i) there.push_back(visitor.make(path, {{"content", "before"}}));
    Walk up{path};
    Walk down{path + "?order=desc"};
    Ids later;
    while (!up.done || !down.done) {
      up.step(visitor, *rc::gen::inRange(1, 5));
      down.step(visitor, *rc::gen::inRange(1, 5));
      if (later.size() < 30 && *rc::gen::inRange(0, 2) == 0) {
        later.push_back(visitor.make(path, {{"content", "meanwhile"}}));
      }
    }
    RC_ASSERT(std::ranges::is_sorted(up.seen));
    RC_ASSERT(std::ranges::adjacent_find(up.seen) == up.seen.end());
    // Upwards, what is written meanwhile may come too, as far as it was there in time.
    Ids all = there;
    std::ranges::copy(later, std::back_inserter(all));
    RC_ASSERT(up.seen.size() >= there.size());
    RC_ASSERT(std::equal(up.seen.begin(), up.seen.end(), all.begin()));
    // Downwards, nothing that came later.
    std::ranges::reverse(down.seen);
    const auto late = static_cast<std::ptrdiff_t>(down.seen.size() - there.size());
    RC_ASSERT(late >= 0);
    RC_ASSERT(std::equal(there.begin(), there.end(), down.seen.begin()));
    RC_ASSERT(late <= 1);
  };
  EXPECT_TRUE(rc::check("pages", holds));
}

TEST_P(HubApi, KeepsWhatTwoWritersAddToWhatASessionFollows) {
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  const Reply agent = visitor.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  const std::string session = agent.text("default_session");
  Ids posts;
  for (int i = 0; i < 40; ++i) {
    posts.push_back(visitor.make("/api/feeds/" + feed + "/posts", {{"content", "x"}}));
  }

  std::barrier together(2);
  const auto add = [&](std::size_t first) {
    Visitor writer = hub.visitor();
    together.arrive_and_wait();
    for (std::size_t i = first; i < posts.size(); i += 2) {
      const Reply added =
          writer.patch("/api/sessions/" + session, {{"add", Json::array({posts[i]})}});
      EXPECT_EQ(added.status, 200) << added.body;
    }
  };
  std::thread other([&] { add(1); });
  add(0);
  other.join();

  const Json followed = visitor.get("/api/sessions/" + session).json()["followed_posts"];
  EXPECT_EQ(std::set<std::string>(followed.begin(), followed.end()),
            std::set<std::string>(posts.begin(), posts.end()));
}

TEST_P(HubApi, RefusesAChangeOfWhatHasChangedMeanwhile) {
  const Reply made = visitor.post("/api/feeds", {{"name", "main"}});
  const std::string path = "/api/feeds/" + made.text("id");
  Visitor careful = visitor.again().with("If-Match", made.header("etag"));

  EXPECT_EQ(visitor.patch(path, {{"name", "other"}}).status, 200);
  EXPECT_EQ(careful.patch(path, {{"name", "mine"}}).status, 409);
  EXPECT_EQ(visitor.get(path).text("name"), "other");
}

TEST_P(HubApi, KeepsEverythingOverARestart) {
  const std::string feed = visitor.make("/api/feeds", {{"name", "릴리스"}});
  const std::string post = visitor.make("/api/feeds/" + feed + "/posts", {{"content", "@bot"}});
  const Reply agent = visitor.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  visitor.make("/api/posts/" + post + "/comments", {{"content", "@bot/배포 please"}});
  const Ids paths{"/api/feeds", "/api/feeds/" + feed + "/posts", "/api/posts/" + post + "/comments",
                  "/api/agents", "/api/agents/" + agent.text("id") + "/sessions"};
  Ids before;
  for (const std::string& path : paths) before.push_back(visitor.get(path).body);
  const int port = hub.port();

  EXPECT_EQ(hub.stop().code, 0);
  const RunningHub again(place, {"--open-loopback"}, "127.0.0.1:" + std::to_string(port));

  EXPECT_EQ(again.port(), port);
  Visitor later = again.visitor();
  for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(later.get(paths[i]).body, before[i]);
  EXPECT_EQ(again.visitor().as(agent.text("key")).get("/api/auth/me").text("name"), "bot");
}

INSTANTIATE_TEST_SUITE_P(On, HubApi, ::testing::ValuesIn(hub_backends()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
