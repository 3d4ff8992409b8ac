// Who is online, and by which hub (H17).

#include "feed/presence.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;

class PresenceTest : public ::testing::Test {
 protected:
  void see(const std::string& hub, const std::string& agent, bool online) {
    const Result<> seen = world.decide([&](const core::View& view, const Ids&, Time now) {
      return decide_presence(view, hub, {{agent, online}}, now);
    });
    EXPECT_TRUE(seen) << seen.error().what;
  }

  // The rule is shown that the lease of `key` has ended.
  void end(const std::string& key, const std::string& type = "lease.lapsed") {
    const Result<> shown = world.decide([&](const core::View& view, const Ids&, Time now) {
      return clear_presence().decide(view, {.key = key, .type = type}, now);
    });
    EXPECT_TRUE(shown) << shown.error().what;
  }

  bool is_online(const std::string& agent) {
    const auto subject = world.subject("agent/" + agent);
    return subject && parse_json_object(subject->state).value_or(Json()).value("online", false);
  }

  // How often the log says that somebody came or went.
  std::size_t told() {
    std::size_t count = 0;
    for (const core::Event& event : world.events()) {
      if (event.type == "agent.online" || event.type == "agent.offline") ++count;
    }
    return count;
  }

  FeedWorld world;
  const std::string bot = world.agent("bot");
  const std::string other = world.agent("other");
};

using Presence = PresenceTest;

TEST_F(Presence, IsToldOnceEachWay) {
  see("hb_1", bot, true);
  see("hb_1", bot, true);
  EXPECT_TRUE(is_online(bot));
  EXPECT_FALSE(is_online(other));
  see("hb_1", bot, false);
  see("hb_1", bot, false);
  EXPECT_FALSE(is_online(bot));
  EXPECT_EQ(told(), 2U);
}

TEST_F(Presence, EndsWithTheLeaseOfItsHub) {
  see("hb_1", bot, true);
  see("hb_2", other, true);

  end("hub/hb_1");

  EXPECT_FALSE(is_online(bot));
  EXPECT_TRUE(is_online(other));
  end("hub/hb_2", "lease.released");
  EXPECT_FALSE(is_online(other));
}

TEST_F(Presence, AtTheHubThatSawItLastIsNotEndedByTheOneBefore) {
  see("hb_1", bot, true);
  see("hb_2", bot, true);

  see("hb_1", bot, false);
  end("hub/hb_1");

  EXPECT_TRUE(is_online(bot));
}

TEST_F(Presence, IsNoConcernOfOtherLeases) {
  see("hb_1", bot, true);

  end("lock/hb_1");
  end("hub/hb_2");

  EXPECT_TRUE(is_online(bot));
}

TEST_F(Presence, OfADeletedAgentIsNotTold) {
  see("hb_1", bot, true);
  ASSERT_TRUE(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_agent(view, bot, now);
  }));

  end("hub/hb_1");
  see("hb_1", bot, true);
  see("hb_1", "ag_unknown", true);

  EXPECT_EQ(told(), 1U);
}

}  // namespace
}  // namespace tyer::feed
