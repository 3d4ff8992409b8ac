// A thread where somebody waits for an answer in vain is unread, and says why (H5).

#include <gtest/gtest.h>

#include "feed/shifts.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::must;

class Trouble : public ::testing::Test {
 protected:
  Trouble() {
    world.agent("bot");
    session = world.add_session("bot/a");
    post = world.post(me, "@bot/a 이거 해줘");
  }

  FeedWorld world;
  const Actor me = world.human();
  std::string session;  // Of bot/a.
  std::string post;
};

TEST_F(Trouble, LeavesItsThreadUnreadUntilItIsReadOrAnswered) {
  world.rules.wakes_max = 9;
  const std::string thread = "thread/" + post;
  const auto read = [&] {
    must(world.decide([&](const core::View&, const Ids&, Time) -> Result<core::Change> {
      return core::Change{.events = {{thread, "thread.read", R"({"trouble":null})"}}};
    }));
  };
  int number = 0;
  for (const char* verdict : {"failed", "stopped", "credentials", "limit", "timed_out", "done"}) {
    const std::string run = "r" + std::to_string(++number);
    world.begin("bot/a", run, true);
    EXPECT_EQ(world.status(thread), "read") << verdict;
    must(world.try_finish({.session = session, .run = run, .verdict = verdict, .why = "so it is"}));

    EXPECT_EQ(world.status(thread), "unread") << verdict;
    EXPECT_TRUE(world.state(thread, "trouble").contains("the run ")) << verdict;
    EXPECT_EQ(world.state(shift_key(session, run), "answered"), "false") << verdict;
    if (std::string(verdict) == "done") break;
    read();
    world.comment(me, post, "다시");
  }
  EXPECT_EQ(world.state(thread, "trouble"),
            "the run ended without an answer; the next message here has it tried again");
  world.comment(me, post, "다시");
  EXPECT_EQ(world.state(thread, "trouble"), "") << "who writes there has seen it";
  world.begin("bot/a", "r9", true);
  must(world.try_finish(
      {.session = session, .run = "r9", .verdict = "done", .text = "다 했습니다"}));
  EXPECT_EQ(world.state(shift_key(session, "r9"), "answered"), "true");
  EXPECT_EQ(world.status(thread), "unread");
}

TEST_F(Trouble, StaysWhenAnotherAgentWritesInTheThread) {
  world.rules.wakes_max = 9;
  world.agent("other");
  const std::string thread = "thread/" + post;
  world.begin("bot/a", "r1", true);
  must(world.try_finish(
      {.session = session, .run = "r1", .verdict = "failed", .why = "no such program"}));

  world.comment(world.bot("other"), post, "I have nothing to do with it");
  EXPECT_TRUE(world.state(thread, "trouble").contains("no such program"));
  EXPECT_EQ(world.status(thread), "unread");

  world.comment(world.bot("bot"), post, "here I am");
  EXPECT_EQ(world.state(thread, "trouble"), "");
}

TEST_F(Trouble, ForWantOfABudgetLeavesItsThreadUnread) {
  const std::string agent = world.agent_id("bot");
  must(world.decide([&](const core::View& view, const Ids&, Time) {
    return decide_edit_agent(view, agent, {.runs_per_day = 1}, std::nullopt);
  }));
  world.begin("bot/a", "r1");
  must(world.try_finish({.session = session, .run = "r1", .verdict = "done", .text = "하나"}));
  const std::string other = world.post(me, "@bot/a 둘");
  EXPECT_EQ(world.status("thread/" + other), "read");

  EXPECT_FALSE(must(world.try_begin("bot/a", "r2")).is_begun);

  EXPECT_EQ(world.status("thread/" + other), "unread");
  EXPECT_TRUE(world.state("thread/" + other, "trouble").contains("budget reached"));
}

}  // namespace
}  // namespace tyer::feed
