// What is not clear or cannot be taken back: names of two things, deleting, trying again.

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"
#include "support/hub_commands.h"
#include "support/screen.h"

namespace tyer::testing {
namespace {

using HubSure = HubCommands;

TEST_F(HubSure, AFeedOfANameThatIsTakenIsRefused) {
  const std::string news = line_of({"feed", "add", "News"});

  const ProgramResult again = tyer("feed add nEWS --json");
  EXPECT_EQ(again.code, 4);
  EXPECT_TRUE(again.err.contains("there is a feed 'News' already (" + news + ")")) << again.err;
  EXPECT_TRUE(again.err.contains("\"conflict\"")) << again.err;
}

TEST_F(HubSure, ANameThatIsNotClearIsAnErrorThatNamesSome) {
  ASSERT_EQ(tyer("feed add 일반").code, 0);
  std::string news;
  for (int i = 0; i < 7; ++i) news = add_feed(store_url(), "News");
  const std::string exact = add_feed(store_url(), "nEWS");

  const ProgramResult several = tyer("feed post news hello");
  EXPECT_EQ(several.code, 2);
  EXPECT_TRUE(several.err.contains("8 feeds are called 'news': fd_")) << several.err;
  EXPECT_TRUE(several.err.contains(" and 3 more\n")) << several.err;
  EXPECT_TRUE(several.err.contains("hint: give the id")) << several.err;
  EXPECT_EQ(tyer("feed post News hello").code, 2);
  EXPECT_EQ(tyer("feed post nEWS hello").code, 0) << "one is written exactly so";
  EXPECT_EQ(tyer("feed post " + news + " hello").code, 0);
  const ProgramResult none = tyer("feed show 없음 --json");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(none.err.contains("there is no feed '없음'; there are News, News")) << none.err;
  EXPECT_EQ(tyer("feed show fd_00000000000000000000000000").code, 1);

  EXPECT_EQ(tyer("feed remove --yes " + exact).code, 0);
  EXPECT_EQ(tyer("feed show " + exact).code, 1);
  EXPECT_EQ(tyer("feed remove 일반 --yes --json").code, 0);
  EXPECT_EQ(json({"feed", "list", "--json"}).size(), 7U);
}

TEST_F(HubSure, DeletingSaysWhatItHitsAndNeedsToBeMeant) {
  ASSERT_EQ(tyer("feed add general").code, 0);
  ASSERT_EQ(tyer("agent add bot").code, 0);
  ASSERT_EQ(tyer({"feed", "post", "general", "@bot/deploy hello"}).code, 0);

  const ProgramResult feed = tyer("feed remove general");
  EXPECT_EQ(feed.code, 2);
  EXPECT_TRUE(feed.err.contains("feed general (fd_")) << feed.err;
  EXPECT_TRUE(feed.err.contains("): 1 post\n")) << feed.err;
  EXPECT_TRUE(feed.err.contains("add --yes if you are sure")) << feed.err;
  const ProgramResult agent = tyer("agent remove bot");
  EXPECT_EQ(agent.code, 2);
  EXPECT_TRUE(agent.err.contains("): 2 sessions, 1 key, 1 item unanswered\n")) << agent.err;
  EXPECT_EQ(json({"feed", "list", "--json"}).size(), 1U);
  EXPECT_EQ(json({"agent", "list", "--json"}).size(), 1U);

  EXPECT_EQ(tyer("agent remove bot --yes").code, 0);
  EXPECT_EQ(tyer("feed remove general --yes").code, 0);
  EXPECT_EQ(tyer("feed list").out, "No feeds.\n");
}

TEST_F(HubSure, DeletingAsksOnATerminal) {
  ASSERT_EQ(tyer("feed add general").code, 0);
  const Screen screen{80, 24};
  const auto remove = [&](const std::string& typed) {
    screen.type(typed);
    return shell("tyer feed remove general < " + screen.path());
  };

  const ProgramResult no = remove("n\n");
  EXPECT_EQ(no.code, 1);
  EXPECT_TRUE(no.err.contains("Delete it with all that is in it? [y/N] ")) << no.err;
  EXPECT_EQ(json({"feed", "list", "--json"}).size(), 1U);
  EXPECT_EQ(remove("y\n").code, 0);
  EXPECT_EQ(json({"feed", "list", "--json"}).size(), 0U);
}

TEST_F(HubSure, TryingAgainWhatIsAnsweredIsRefused) {
  start_hub({"--open-loopback"});
  const std::string key = line_of({"agent", "add", "bot"});
  ASSERT_EQ(tyer("feed add general").code, 0);
  const std::string post = line_of({"feed", "post", "general", "@bot hello"});
  const std::string session = json({"agent", "sessions", "bot", "--json"})[0]["id"];
  const std::string answer =
      Visitor(url()).as(key).make("/api/posts/" + post + "/comments", {{"content", "hi"}});

  const ProgramResult again = tyer("feed retry " + post + " " + session);
  EXPECT_EQ(again.code, 4);
  EXPECT_TRUE(again.err.contains(post + " is answered already, by " + answer)) << again.err;
}

}  // namespace
}  // namespace tyer::testing
