// What sessions have to answer (H16): open until answered, woken for three times, then skipped.

#include "feed/items.h"

#include <gtest/gtest.h>

#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;
using testing::Texts;

class ItemTest : public ::testing::Test {
 protected:
  ItemTest() { world.agent("bot"); }

  std::string status(const std::string& session, const std::string& source) {
    return world.status(item_key(world.session_id(session), source));
  }

  // Woken for without an answer until it is given up.
  void give_up(const std::string& session) {
    for (int i = 0; i < 4; ++i) world.wake(session, "run-" + std::to_string(i));
  }

  FeedWorld world;
  const Actor me = world.human();
};

using OpenItem = ItemTest;
using Wakes = ItemTest;

TEST_F(OpenItem, IsOpenUntilItsAgentHasAnswered) {
  const std::string post = world.post(me, "@bot 이거 해줘");
  const std::string comment = world.comment(me, post, "빨리");
  EXPECT_EQ(world.pending("bot/default"), (Texts{post, comment}));

  world.agent("two");
  world.comment(world.bot("two"), post, "제가 아니에요");
  world.comment(me, post, "기다려");
  EXPECT_EQ(world.pending("bot/default").size(), 3U);

  const std::string answer = world.comment(world.bot("bot"), post, "다 했습니다");

  EXPECT_EQ(world.pending("bot/default"), Texts{});
  EXPECT_EQ(status("bot/default", post), "answered");
  EXPECT_EQ(world.state(item_key(world.session_id("bot/default"), post), "answered_by"), answer);
}

TEST_F(OpenItem, IsAnsweredOnlyUnderItsPost) {
  const std::string first = world.post(me, "@bot 하나");
  const std::string second = world.post(me, "@bot 둘");

  world.comment(world.bot("bot"), second, "둘 했습니다");

  EXPECT_EQ(world.pending("bot/default"), (Texts{first}));
}

TEST_F(OpenItem, ThatCameDuringTheRunStaysOpen) {
  const std::string post = world.post(me, "@bot 이거 해줘");
  world.wake("bot/default", "run-1");
  const std::string later = world.comment(me, post, "이것도");

  world.comment(world.run_of("bot/default", "run-1"), post, "첫 번째 했습니다");

  EXPECT_EQ(world.pending("bot/default"), (Texts{later}));
  world.wake("bot/default", "run-2");
  world.comment(world.run_of("bot/default", "run-1"), post, "늦은 말");
  EXPECT_EQ(world.pending("bot/default"), (Texts{later}));
  world.comment(world.run_of("bot/default", "run-2"), post, "두 번째도");
  EXPECT_EQ(world.pending("bot/default"), Texts{});
}

TEST_F(OpenItem, OfAnotherSessionStaysOpen) {
  const std::string post = world.post(me, "@bot/a @bot/b");
  world.wake("bot/a");
  world.wake("bot/b");

  world.comment(world.run_of("bot/a"), post, "a가 했습니다");

  EXPECT_EQ(world.pending("bot/a"), Texts{});
  EXPECT_EQ(world.pending("bot/b"), (Texts{post}));
}

TEST_F(OpenItem, IsAnsweredByNameWhereverTheAnswerStands) {
  const std::string first = world.post(me, "@bot 하나");
  const std::string second = world.post(me, "@bot 둘");
  const std::string third = world.comment(me, second, "셋");
  world.wake("bot/default");

  const std::string answer = world.comment(world.run_of("bot/default"), second, "하나와 셋",
                                           {third, first, third, "cm_none", "../x", ""});

  EXPECT_EQ(world.pending("bot/default"), (Texts{second}));
  const auto answers = world.state("comment/" + answer, "answers");
  EXPECT_TRUE(answers.contains(first) && answers.contains(third)) << answers;
}

TEST_F(OpenItem, IsNotAnsweredByNamingThoseOfOthers) {
  world.agent("two");
  const std::string post = world.post(me, "@bot @two");

  world.comment(world.bot("two"), post, "제 것만", {post});

  EXPECT_EQ(world.pending("two/default"), Texts{});
  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));
  EXPECT_EQ(fault_of(world.try_write({.actor = world.bot("bot"),
                                      .post = post,
                                      .content = "x",
                                      .answers = Texts(limits::answers_max + 1, post)})),
            "limit");
}

TEST_F(OpenItem, IsListedOldestFirstHoweverOldTheFeed) {
  Texts sources;
  const std::string post = world.post(me, "@bot");
  sources.push_back(post);
  for (int i = 0; i < 60; ++i) {
    world.pass(i % 3 == 0 ? 24h : Span(1));
    sources.push_back(i % 2 == 0 ? world.comment(me, post, "더") : world.post(me, "@bot 더"));
    world.post(me, "아무도 아님");
  }

  EXPECT_EQ(world.pending("bot/default"), sources);
}

TEST_F(Wakes, AreThreeAndThenTheItemIsSkippedVisibly) {
  const std::string post = world.post(me, "@bot 이거 해줘");
  for (int i = 1; i <= 3; ++i) {
    const Woken woken = world.wake("bot/default");
    EXPECT_EQ(woken.taken, (Texts{post})) << i;
    EXPECT_EQ(woken.skipped, Texts{});
  }
  const std::string fresh = world.comment(me, post, "새 말");

  const Woken fourth = world.wake("bot/default");

  EXPECT_EQ(fourth.taken, (Texts{fresh}));
  EXPECT_EQ(fourth.skipped, (Texts{post}));
  EXPECT_EQ(status("bot/default", post), "skipped");
  EXPECT_EQ(world.pending("bot/default"), (Texts{fresh}));
  EXPECT_EQ(world.thread_notices(post),
            (Texts{"skipped: woken 3 times without an answer; it can be tried again"}));
}

TEST_F(Wakes, AreASetting) {
  world.rules.wakes_max = 1;
  const std::string post = world.post(me, "@bot");

  EXPECT_EQ(world.wake("bot/default").taken, (Texts{post}));
  EXPECT_EQ(world.wake("bot/default").skipped, (Texts{post}));
}

TEST_F(Wakes, BeginAnewWhenSomebodyTriesAgain) {
  const std::string post = world.post(me, "@bot");
  give_up("bot/default");
  ASSERT_EQ(status("bot/default", post), "skipped");

  must(world.try_retry("bot/default", post));

  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.wake("bot/default").taken, (Texts{post}));
  EXPECT_EQ(world.wake("bot/default").skipped, (Texts{post}));
}

TEST_F(Wakes, AreTriedAgainOnlyForWhatWasSkipped) {
  const std::string post = world.post(me, "@bot");
  const std::size_t before = world.events().size();
  must(world.try_retry("bot/default", post));
  EXPECT_EQ(world.events().size(), before);

  world.comment(world.bot("bot"), post, "했습니다");

  EXPECT_EQ(fault_of(world.try_retry("bot/default", post)), "conflict");
  EXPECT_EQ(fault_of(world.try_retry("bot/default", "ps_none")), "not_found");
  EXPECT_EQ(fault_of(world.try_retry("bot/none", post)), "not_found");
}

TEST_F(OpenItem, ThatWasSkippedCanStillBeAnsweredByName) {
  const std::string post = world.post(me, "@bot");
  give_up("bot/default");

  world.comment(world.bot("bot"), post, "다른 이야기");
  EXPECT_EQ(status("bot/default", post), "skipped");
  world.comment(world.bot("bot"), post, "이제야 했습니다", {post});
  EXPECT_EQ(status("bot/default", post), "answered");
}

TEST_F(Wakes, CountOnceForASourceThatIsNamedTwice) {
  const std::string post = world.post(me, "@bot");
  const std::string session = world.session_id("bot/default");
  const auto wake = [&] {
    return must(world.try_wake({.session = session, .run = "run-1", .sources = {post, post}}));
  };

  EXPECT_EQ(wake().taken, (Texts{post}));
  EXPECT_EQ(world.state(item_key(session, post), "wakes"), "1");
  wake();
  wake();
  EXPECT_EQ(wake().skipped, (Texts{post}));
}

TEST_F(Wakes, AreOnlyForWhatThereIs) {
  const std::string post = world.post(me, "@bot");
  const std::string session = world.session_id("bot/default");
  EXPECT_EQ(fault_of(world.try_wake({.session = session, .sources = {"cm_none"}})), "not_found");
  EXPECT_EQ(fault_of(world.try_wake({.session = "ss_none", .sources = {post}})), "not_found");

  world.comment(world.bot("bot"), post, "했습니다");

  const Woken late = must(world.try_wake({.session = session, .sources = {post}}));
  EXPECT_TRUE(late.taken.empty() && late.skipped.empty());
}

TEST_F(OpenItem, IsWithdrawnWithItsText) {
  const std::string post = world.post(me, "@bot/a @bot/b");
  const std::string comment = world.comment(me, post, "더");
  must(world.try_delete_session("bot/b"));
  EXPECT_EQ(world.pending("bot/default"), (Texts{post, comment}));

  must(world.try_delete(me, "comment", comment));
  EXPECT_EQ(world.pending("bot/a"), (Texts{post}));
  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));
  EXPECT_EQ(status("bot/a", comment), "withdrawn");
  must(world.try_delete(me, "post", post));
  EXPECT_EQ(world.pending("bot/a"), Texts{});
  EXPECT_EQ(world.pending("bot/default"), Texts{});
}

TEST_F(OpenItem, BelowADeletedPostOrFeedWakesNobody) {
  const std::string deleted = world.post(me, "글");
  const std::string below = world.comment(me, deleted, "@bot");
  must(world.try_delete(me, "post", deleted));
  const std::string post = world.post(me, "@bot");
  must(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_feed(view, world.main_feed, {}, now);
  }));

  const Woken woken = world.wake("bot/default");

  EXPECT_TRUE(woken.taken.empty() && woken.skipped.empty());
  EXPECT_EQ(status("bot/default", below), "withdrawn");
  EXPECT_EQ(status("bot/default", post), "withdrawn");
  EXPECT_EQ(world.pending("bot/default"), Texts{});
}

}  // namespace
}  // namespace tyer::feed
