// Who hears what is written in a thread, and how a session follows one or stops to (H12, H13).

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub_commands.h"

namespace tyer::testing {
namespace {

class HubFollow : public HubCommands {
 protected:
  HubFollow() {
    for (const char* name : {"one", "two"}) {
      EXPECT_EQ(tyer({"agent", "add", name, "--type", "demo"}).code, 0);
    }
    EXPECT_EQ(tyer("feed add general").code, 0);
    post = line_of({"feed", "post", "general", "@one @two hello"});
  }

  // How many sessions a comment there wakes.
  std::size_t woken_by(const std::string& text) const {
    return json({"feed", "comment", post, text, "--json"})["targets"].size();
  }

  std::string post;
};

TEST_F(HubFollow, ACommentThatNamesSomebodyWakesNobodyElse) {
  start_hub({"--open-loopback"});

  EXPECT_EQ(woken_by("@one only you"), 1U);
  EXPECT_EQ(woken_by("@two/other only you"), 1U);
  EXPECT_EQ(woken_by("all of you"), 3U);
}

TEST_F(HubFollow, FollowersHearMentionsIfTheHubIsSetSo) {
  environment["TYER_ROUTING_FOLLOWERS_HEAR_MENTIONS"] = "true";
  start_hub({"--open-loopback"});

  EXPECT_EQ(woken_by("@one and who else follows"), 2U);
}

TEST_F(HubFollow, ASessionStopsToFollowAndFollowsAgain) {
  const ProgramResult stopped = tyer("agent unfollow one " + post);
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_EQ(stopped.out, "one does not follow " + post + " any more\n");
  EXPECT_EQ(woken_by("who is left?"), 1U);
  EXPECT_EQ(tyer("agent unfollow one " + post).code, 1) << "it does not follow it";

  const ProgramResult followed = tyer("agent follow ONE/default " + post);
  EXPECT_EQ(followed.code, 0) << followed.err;
  EXPECT_EQ(woken_by("who is there?"), 2U);
  ASSERT_EQ(tyer("agent sessions one --add deploy").code, 0);
  const Json session = json({"agent", "follow", "one/deploy", post, "--json"});
  EXPECT_EQ(session["followed_posts"], Json::array({post}));
  EXPECT_EQ(woken_by("and now?"), 3U);
  EXPECT_EQ(tyer({"agent", "unfollow", session["id"], post}).code, 0);
  EXPECT_EQ(woken_by("and now?"), 2U);
}

TEST_F(HubFollow, RefusesWhatThereIsNot) {
  EXPECT_EQ(tyer("agent follow nobody " + post).code, 1);
  EXPECT_EQ(tyer("agent follow one/none " + post).code, 1);
  EXPECT_EQ(tyer("agent follow one ps_00000000000000000000000000").code, 1);
  EXPECT_EQ(tyer("agent follow one general").code, 1);
  EXPECT_EQ(tyer("agent unfollow one").code, 2);
}

}  // namespace
}  // namespace tyer::testing
