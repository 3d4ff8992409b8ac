// What one agent may take of a hub, and that people are not bounded by it.

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

class HubUploadQuota : public ::testing::TestWithParam<std::string> {
 protected:
  std::string add_agent(const char* name) {
    return admin.post("/api/keys", {{"name", name}, {"type", "command"}}).text("key");
  }
  Visitor as(const std::string& key) const { return hub.visitor().as(key); }

  // What was told last of what the agents have stored.
  Json usage() {
    const Json events = admin.get("/api/events?order=newest&topics=usage&limit=1").json();
    return events["data"].empty() ? Json() : events["data"][0];
  }

  HubPlace place{GetParam()};
  RunningHub hub{place};
  Visitor admin = hub.admin();
  const std::string bot = add_agent("bot");
};

INSTANTIATE_TEST_SUITE_P(Backends, HubUploadQuota, ::testing::ValuesIn(hub_backends()),
                         [](const auto& one) { return one.param; });

TEST_P(HubUploadQuota, CountsTheFilesOfAnAgentUntilTheyAreDeleted) {
  const Reply first = as(bot).ask("POST", "/api/uploads?name=a.txt", "12345");
  ASSERT_EQ(first.status, 201) << first.body;
  ASSERT_EQ(as(bot).ask("POST", "/api/uploads?name=b.txt", "123").status, 201);
  EXPECT_EQ(usage()["files"], 2);
  EXPECT_EQ(usage()["bytes"], 8);

  const std::string path = "/api/uploads/" + first.text("id");
  EXPECT_EQ(as(add_agent("other")).ask("DELETE", path).status, 403);
  EXPECT_EQ(as(bot).get(first.text("url")).body, "12345");
  EXPECT_EQ(as(bot).ask("DELETE", path).status, 204);
  EXPECT_EQ(as(bot).get(first.text("url")).status, 404);
  EXPECT_EQ(as(bot).ask("DELETE", path).status, 404);
  EXPECT_EQ(usage()["files"], 1);
  EXPECT_EQ(usage()["bytes"], 3);
  EXPECT_EQ(usage()["day_bytes"], 8) << "they were sent all the same";
  const Json story = admin.get("/api/events?key=upload/" + first.text("id")).json()["data"];
  EXPECT_EQ(story.back()["event"], "upload_deleted");
}

TEST_P(HubUploadQuota, LetsPeopleDeleteWhatAgentsSent) {
  const Reply file = as(bot).ask("POST", "/api/uploads?name=a.txt", "12345");
  EXPECT_EQ(admin.ask("DELETE", "/api/uploads/" + file.text("id")).status, 204);
  EXPECT_EQ(usage()["files"], 0);
  EXPECT_EQ(admin.get(file.text("url")).status, 404);
}

TEST_P(HubUploadQuota, IsNotForPeople) {
  const Reply file = admin.ask("POST", "/api/uploads?name=a.txt", "12345");
  ASSERT_EQ(file.status, 201);
  EXPECT_EQ(as(bot).ask("DELETE", "/api/uploads/" + file.text("id")).status, 403);
  EXPECT_TRUE(usage().is_null());
}

TEST(HubUploadDay, OfAnAgentIsRefusedOnceItHasSentEnoughForADay) {
  const HubPlace place("sqlite");
  const RunningHub hub(place);
  Visitor admin = hub.admin();
  Visitor bot =
      hub.visitor().as(admin.post("/api/keys", {{"name", "bot"}, {"type", "command"}}).text("key"));
  std::string last;
  for (int i = 0; i < 10; ++i) {
    const Reply sent = bot.ask("POST", "/api/uploads?name=a", std::string(50 << 20, 'x'));
    ASSERT_EQ(sent.status, 201) << sent.body;
    last = sent.text("id");
  }
  const Reply refused = bot.ask("POST", "/api/uploads?name=a", "x");
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.body.contains("go on tomorrow")) << refused.body;
  EXPECT_EQ(admin.ask("POST", "/api/uploads?name=a", "x").status, 201);
  // Deleted files are gone from the disk.
  ASSERT_EQ(bot.ask("DELETE", "/api/uploads/" + last).status, 204);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place.dir().path())) {
    if (entry.path().parent_path().filename() == "uploads") ++files;
  }
  EXPECT_EQ(files, 10) << "nine of the agent and one of the admin";
}

TEST(HubRate, IsOfWhateverAnAgentChangesButNotOfPeople) {
  const HubPlace place("sqlite");
  const RunningHub hub(place);
  Visitor admin = hub.admin();
  Visitor bot =
      hub.visitor().as(admin.post("/api/keys", {{"name", "bot"}, {"type", "command"}}).text("key"));
  const Json nothing{{"name", "K"}, {"session", "none"}};
  Reply last;
  int asked = 0;
  for (; asked < 5'000 && last.status != 429; ++asked) {
    last = bot.post("/api/leases/renew", nothing);
  }
  EXPECT_GE(asked, 600);
  EXPECT_EQ(last.status, 429) << last.body;
  EXPECT_NE(last.header("retry-after"), "");
  EXPECT_TRUE(last.body.contains("wait")) << last.body;
  EXPECT_EQ(bot.get("/api/leases").status, 200) << "who only reads is not bounded";
  for (int i = 0; i < 700; ++i) {
    ASSERT_NE(admin.post("/api/leases/renew", nothing).status, 429) << i;
  }
}

}  // namespace
}  // namespace tyer::testing
