// How runs of sessions begin (W10, W11, H16): one at a time, with what has waited longest.

#include "feed/shifts.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;
using testing::Texts;

class ShiftTest : public ::testing::Test {
 protected:
  ShiftTest() { world.agent("bot"); }

  static Texts taken(const Begun& begun) {
    Texts sources;
    for (const Item& item : begun.items) sources.push_back(item.source);
    return sources;
  }

  std::string status(const std::string& session, const std::string& source) {
    return world.status(item_key(world.session_id(session), source));
  }

  void finish(const std::string& run, const std::string& verdict, const std::string& text = "") {
    must(world.try_finish({.session = world.session_id("bot/default"),
                           .run = run,
                           .verdict = verdict,
                           .text = text}));
  }

  FeedWorld world;
  const Actor me = world.human();
};

using BeginningShift = ShiftTest;
using ReadySession = ShiftTest;

TEST_F(BeginningShift, HasTheLeaseATokenAndTheItems) {
  const std::string post = world.post(me, "@bot 이거 해줘");

  const Begun begun = world.begin("bot/default", "r1");

  EXPECT_TRUE(begun.is_begun);
  EXPECT_EQ(taken(begun), (Texts{post}));
  const std::string session = world.session_id("bot/default");
  const auto lease = world.lease("session/" + session);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->holder.run, "r1");
  const std::string shift = shift_key(session, "r1");
  EXPECT_EQ(world.status(shift), "running");
  EXPECT_EQ(world.state(shift, "items"), dump_json(Json{post}));
  EXPECT_EQ(world.status("credential/cr_r1"), "active");
  EXPECT_EQ(world.state("credential/cr_r1", "session_id"), session);
  EXPECT_EQ(world.state("credential/cr_r1", "run"), "r1");
  EXPECT_EQ(world.state("thread/" + post, "typing"), world.agent_id("bot"));
}

// W10
TEST_F(BeginningShift, IsRefusedWhileAnotherHasTheSessionAndSaysWho) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  const std::size_t before = world.events().size();

  const Begun second = world.begin("bot/default", "r2");

  EXPECT_FALSE(second.is_begun);
  EXPECT_EQ(second.why, "run r1 has the session: pid 7 on far");
  EXPECT_EQ(world.events().size(), before);
}

TEST_F(BeginningShift, IsOfOneSessionOnly) {
  world.post(me, "@bot/a @bot/b");

  EXPECT_TRUE(world.begin("bot/a", "r1").is_begun);
  EXPECT_TRUE(world.begin("bot/b", "r2").is_begun);
}

TEST_F(BeginningShift, CannotBeginTwiceUnderOneId) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  EXPECT_EQ(fault_of(world.try_begin("bot/default", "r1")), "conflict");
  finish("r1", "failed");

  EXPECT_EQ(fault_of(world.try_begin("bot/default", "r1", true)), "conflict");
  EXPECT_EQ(fault_of(world.try_begin("bot/none", "r2")), "not_found");
}

TEST_F(BeginningShift, TakesTheOldestAndThoseBehindItInItsThread) {
  const std::string first = world.post(me, "@bot 하나");
  const std::string more = world.comment(me, first, "하나 더");
  const std::string second = world.post(me, "@bot 둘");
  const std::string late = world.comment(me, first, "하나 또");

  EXPECT_EQ(taken(world.begin("bot/default", "r1")), (Texts{first, more}));
  finish("r1", "done", "하나 했습니다");
  EXPECT_EQ(taken(world.begin("bot/default", "r2")), (Texts{second}));
  finish("r2", "done", "둘 했습니다");
  EXPECT_EQ(taken(world.begin("bot/default", "r3")), (Texts{late}));
}

TEST_F(BeginningShift, TakesNoMoreThanOneRunCanAnswer) {
  Texts sources{world.post(me, "@bot")};
  for (int i = 0; i < 11; ++i) sources.push_back(world.comment(me, sources.front(), "더"));

  EXPECT_EQ(taken(world.begin("bot/default", "r1")), Texts(sources.begin(), sources.begin() + 10));
  finish("r1", "done", "열 개");
  EXPECT_EQ(taken(world.begin("bot/default", "r2")), Texts(sources.begin() + 10, sources.end()));
}

// H16
TEST_F(BeginningShift, SkipsWhatWasWokenForOftenEnoughAndTakesTheNext) {
  const std::string first = world.post(me, "@bot 하나");
  const std::string second = world.post(me, "@bot 둘");
  for (const char* run : {"r1", "r2", "r3"}) {
    EXPECT_EQ(taken(world.begin("bot/default", run)), (Texts{first}));
    finish(run, "lost");
  }

  EXPECT_EQ(taken(world.begin("bot/default", "r4")), (Texts{second}));

  EXPECT_EQ(status("bot/default", first), "skipped");
  EXPECT_EQ(world.thread_notices(first).size(), 1U);
}

TEST_F(BeginningShift, GivesUpWhatIsLeftWithoutARun) {
  const std::string post = world.post(me, "@bot");
  for (const char* run : {"r1", "r2", "r3"}) {
    world.begin("bot/default", run);
    finish(run, "lost");
  }

  EXPECT_FALSE(world.begin("bot/default", "r4").is_begun);

  EXPECT_EQ(status("bot/default", post), "skipped");
  EXPECT_FALSE(world.lease("session/" + world.session_id("bot/default")));
  EXPECT_EQ(world.ready(), Texts{});
}

TEST_F(BeginningShift, NeedsSomethingToDo) {
  world.post(me, "아무도 아님");
  const std::size_t before = world.events().size();

  const Begun begun = world.begin("bot/default", "r1", true);

  EXPECT_FALSE(begun.is_begun);
  EXPECT_EQ(begun.why, "");
  EXPECT_EQ(world.events().size(), before);
  EXPECT_FALSE(world.lease("session/" + world.session_id("bot/default")));
}

TEST_F(BeginningShift, FindsNothingBelowADeletedPost) {
  const std::string post = world.post(me, "글");
  const std::string comment = world.comment(me, post, "@bot");
  must(world.try_delete(me, "post", post));

  EXPECT_FALSE(world.begin("bot/default", "r1").is_begun);
  EXPECT_EQ(status("bot/default", comment), "withdrawn");
}

// W4: a run that failed is not repeated until somebody says something.
TEST_F(BeginningShift, TakesWhatRestsWithTheNextMessage) {
  const std::string post = world.post(me, "@bot 하나");
  world.begin("bot/default", "r1");
  finish("r1", "failed");
  EXPECT_FALSE(world.begin("bot/default", "r2").is_begun);
  const std::string more = world.comment(me, post, "다시");

  EXPECT_EQ(taken(world.begin("bot/default", "r3")), (Texts{post, more}));
}

TEST_F(BeginningShift, TakesWhatIsNewBeforeWhatRestsElsewhere) {
  const std::string failed = world.post(me, "@bot 하나");
  world.begin("bot/default", "r1");
  finish("r1", "failed");
  const std::string fresh = world.post(me, "@bot 둘");

  EXPECT_EQ(taken(world.begin("bot/default", "r2")), (Texts{fresh}));

  // And that once, until there is something new again.
  finish("r2", "done", "둘 했습니다");
  EXPECT_EQ(taken(world.begin("bot/default", "r3")), (Texts{failed}));
  finish("r3", "failed");
  EXPECT_EQ(world.ready(), Texts{});
  EXPECT_FALSE(world.begin("bot/default", "r4").is_begun);
}

TEST_F(BeginningShift, TriesTwoThatRestOnceEach) {
  const std::string one = world.post(me, "@bot 하나");
  world.begin("bot/default", "r1");
  finish("r1", "failed");
  const std::string two = world.post(me, "@bot 둘");
  EXPECT_EQ(taken(world.begin("bot/default", "r2")), (Texts{two}));
  finish("r2", "failed");
  EXPECT_EQ(taken(world.begin("bot/default", "r3")), (Texts{one}));
  finish("r3", "failed");

  EXPECT_EQ(world.ready(), Texts{});
}

TEST_F(BeginningShift, LeavesWhatAPersonOrALimitEndedEvenWhenAskedForAll) {
  for (const char* verdict : {"stopped", "timed_out"}) {
    const std::string post = world.post(me, "@bot 하나");
    const std::string run = std::string("r-") + verdict;
    world.begin("bot/default", run);
    finish(run, verdict);

    EXPECT_EQ(world.ready({}, true), Texts{}) << verdict;
    EXPECT_FALSE(world.begin("bot/default", "again-" + run, true).is_begun) << verdict;
    must(world.try_delete(me, "post", post));
  }
}

TEST_F(BeginningShift, TakesWhatRestsWhenAskedForAll) {
  const std::string post = world.post(me, "@bot 하나");
  world.begin("bot/default", "r1");
  finish("r1", "failed");

  EXPECT_EQ(taken(world.begin("bot/default", "r2", true)), (Texts{post}));
}

// The rule comes later than the one who takes over, and must not end what that one began.
TEST_F(BeginningShift, EndsTheOneThatItTakesOverFrom) {
  const std::string post = world.post(me, "@bot");
  const std::string session = world.session_id("bot/default");
  world.begin("bot/default", "r1");
  world.break_lease(session);

  EXPECT_EQ(taken(world.begin("bot/default", "r2")), (Texts{post}));

  EXPECT_EQ(world.status(shift_key(session, "r1")), "ended");
  EXPECT_EQ(world.state(shift_key(session, "r1"), "verdict"), "lost");
  EXPECT_EQ(world.status("credential/cr_r1"), "revoked");
  world.pump();
  EXPECT_EQ(world.status(shift_key(session, "r2")), "running");
  EXPECT_EQ(world.state("thread/" + post, "typing"), world.agent_id("bot"));
  const std::string tally = "tally/2026-01-02/" + world.agent_id("bot") + "/" + session;
  EXPECT_EQ(world.state(tally, "runs"), "2");
  EXPECT_EQ(world.state(tally, "failed"), "1");
}

// Who was silent while the hub was away may have an answer: the sweeper asks twice.
TEST_F(BeginningShift, DoesNotTakeASilenceForAnEnd) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  world.pass(limits::silence_max + 1s);

  EXPECT_FALSE(world.begin("bot/default", "r2").is_begun);
  finish("r1", "done", "늦었지만");
  EXPECT_EQ(world.pending("bot/default"), Texts{});
}

// W15
TEST_F(ReadySession, IsListedByHowLongItWaits) {
  world.agent("two");
  world.add_session("bot/a");
  const std::string first = world.post(me, "@two/x 먼저");
  world.post(me, "@bot/a 다음");
  world.post(me, "@bot 마지막");
  world.comment(me, first, "@two/x 또");

  EXPECT_EQ(world.ready(), (Texts{"two/x", "bot/a", "bot/default"}));
  EXPECT_EQ(world.ready({world.agent_id("bot")}), (Texts{"bot/a", "bot/default"}));
  EXPECT_EQ(world.ready({"ag_none"}), Texts{});
}

TEST_F(ReadySession, IsNotOneThatIsAtWork) {
  world.post(me, "@bot/a @bot/b");
  world.begin("bot/a", "r1");

  EXPECT_EQ(world.ready(), (Texts{"bot/b"}));
}

TEST_F(ReadySession, IsNotOneWhoseItemsRest) {
  const std::string post = world.post(me, "@bot");
  world.begin("bot/default", "r1");
  finish("r1", "failed");

  EXPECT_EQ(world.ready(), Texts{});
  EXPECT_EQ(world.ready({}, true), (Texts{"bot/default"}));
  world.comment(me, post, "다시");
  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
}

// It asks for its items, with curl for instance, and answers them itself.
TEST_F(ReadySession, IsNotOfAnAgentWithoutACommand) {
  const auto set_command = [&](const std::string& words) {
    must(world.decide([&](const core::View& view, const Ids&, Time) -> Result<core::Change> {
      TYER_TRY(const auto agents, list_agents(view));
      return core::Change{.events = {{key_of("agent", agents.front().id), "agent.updated",
                                      R"({"type":"command","command":)" + words + "}"}}};
    }));
  };
  set_command("[]");
  const std::string post = world.post(me, "@bot 거기 있니?");

  EXPECT_EQ(world.ready({}, true), Texts{});
  EXPECT_FALSE(world.begin("bot/default", "r1").is_begun);
  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));
  set_command(R"(["cat"])");
  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
}

TEST_F(ReadySession, IsOneThatIsThere) {
  world.post(me, "@bot/a @bot");
  must(world.try_delete_session("bot/a"));

  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
  const std::string agent = world.agent_id("bot");
  must(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_agent(view, agent, now);
  }));
  EXPECT_EQ(world.ready(), Texts{});
}

}  // namespace
}  // namespace tyer::feed
