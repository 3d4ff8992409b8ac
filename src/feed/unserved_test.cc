// Who writes to somebody whom nobody serves is told so (H12).

#include <gtest/gtest.h>

#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::Texts;

class Unserved : public ::testing::Test {
 protected:
  Unserved() {
    world.agent("research-bot");
    world.agent("code-helper");
  }

  // A post and then a comment under it by a person.
  std::string say(const std::string& content) { return world.post(me, content); }
  std::string say(const std::string& post, const std::string& content) {
    return world.comment(me, post, content);
  }

  FeedWorld world;
  const Actor me = world.human();
};

TEST_F(Unserved, IsAnAgentThatNobodyServesOnceInAThread) {
  world.is_served = false;
  const std::string post = say("@research-bot");
  EXPECT_EQ(world.notices,
            (Texts{"nobody serves @research-bot now; it answers when a worker does"}));
  EXPECT_EQ(world.thread_notices(post), world.notices);
  EXPECT_EQ(world.pending("research-bot/default"), (Texts{post})) << "it waits for it";

  say(post, "still there?");
  EXPECT_EQ(world.notices, Texts{});
  say(post, "@code-helper");
  EXPECT_EQ(world.notices.size(), 1U) << "another agent is news";
  say("@research-bot elsewhere");
  EXPECT_EQ(world.notices.size(), 1U) << "so is another thread";

  world.is_served = true;
  say(post, "@research-bot now?");
  EXPECT_EQ(world.notices, Texts{});
  world.is_served = false;
  say(post, "@research-bot and now?");
  EXPECT_EQ(world.notices.size(), 1U) << "it was served meanwhile";
}

TEST_F(Unserved, IsASessionThatNobodyServesWhileAnotherIs) {
  world.unserved.insert(world.add_session("research-bot/b"));
  const std::string post = say("@research-bot @research-bot/b");
  EXPECT_EQ(world.notices,
            (Texts{"nobody serves @research-bot/b now; it answers when a worker does"}));

  say(post, "@research-bot/b?");
  EXPECT_EQ(world.notices, Texts{});
  say(post, "@research-bot?");
  say(post, "@research-bot/b?");
  EXPECT_EQ(world.notices, Texts{}) << "that the other is served is no news of it";
}

}  // namespace
}  // namespace tyer::feed
