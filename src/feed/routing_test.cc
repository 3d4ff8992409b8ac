// Whom a text is meant for: sessions that mentions make (H10, H11), each row of the routing table
// (H12), who follows what (H13), and chains of agents that call agents (H15).

#include "feed/routing.h"

#include <gtest/gtest.h>

#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::Texts;

class RoutingTest : public ::testing::Test {
 protected:
  RoutingTest() {
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

using Routed = RoutingTest;
using SessionLimit = RoutingTest;
using Unheard = RoutingTest;
using Following = RoutingTest;
using Chain = RoutingTest;

TEST_F(Routed, AMentionGoesToTheDefaultSessionOrToTheOneItNames) {
  const std::string post = say("@research-bot 이거 해줘");
  EXPECT_EQ(world.targets(post), (Texts{"research-bot/default mention"}));

  const std::string named = say(post, "@research-bot/리팩토링 이것도 해줘");
  EXPECT_EQ(world.targets(named), (Texts{"research-bot/리팩토링 mention"}));

  const std::string other = say("@research-bot/default @RESEARCH-BOT/리팩토링");
  EXPECT_EQ(world.targets(other),
            (Texts{"research-bot/default mention", "research-bot/리팩토링 mention"}));
}

TEST_F(Routed, AMentionOfAnUnknownSessionMakesItInTheSameChange) {
  const std::uint64_t before = world.events().back().seq;
  const std::string post = say("@research-bot/배포 이거 해줘");

  EXPECT_EQ(world.sessions("research-bot"), (Texts{"default", "배포"}));
  EXPECT_EQ(world.targets(post), (Texts{"research-bot/배포 mention"}));
  EXPECT_EQ(world.pending("research-bot/배포"), (Texts{post}));
  EXPECT_EQ(world.pending("research-bot/default"), Texts{});
  EXPECT_EQ(world.notices, Texts{});
  Texts types;
  for (const core::Event& event : world.events()) {
    if (event.seq > before) types.push_back(event.type);
  }
  EXPECT_EQ(types, (Texts{"session.created", "post.created", "thread.opened", "item.opened"}));
}

TEST_F(Routed, ANameIsTheSameInAnyCaseAndShownAsFirstWritten) {
  const std::string first = say("@research-bot/Deploy");
  const std::string second = say("@research-bot/deploy @research-bot/DEPLOY");

  EXPECT_EQ(world.sessions("research-bot"), (Texts{"default", "Deploy"}));
  EXPECT_EQ(world.targets(second), (Texts{"research-bot/Deploy mention"}));
  EXPECT_EQ(world.pending("research-bot/deploy"), (Texts{first, second}));
}

TEST_F(Routed, ASessionIsReachedFromEveryFeed) {
  say("@research-bot/배포");
  const std::string elsewhere = testing::must(world.try_write({.actor = me,
                                                               .feed = world.feed("다른 피드"),
                                                               .title = "@research-bot/배포",
                                                               .content = "여기도"}));

  EXPECT_EQ(world.targets(elsewhere), (Texts{"research-bot/배포 mention"}));
  EXPECT_EQ(world.sessions("research-bot"), (Texts{"default", "배포"}));
}

TEST_F(Routed, CodeInATitleEndsInTheTitle) {
  const auto write = [&](const std::string& title, const std::string& content) {
    return world.targets(testing::must(world.try_write(
        {.actor = me, .feed = world.main_feed, .title = title, .content = content})));
  };
  const Texts bot{"research-bot/default mention"};

  EXPECT_EQ(write("``` in titles", "@research-bot"), bot);
  EXPECT_EQ(write("a ` b", "@research-bot `x`"), bot);
  EXPECT_EQ(write("`@research-bot`", "x"), Texts{});
  EXPECT_EQ(write("@research-bot", "x"), bot);
}

// The agent's own post: those who follow it, else the default one.
TEST_F(Routed, ACommentOnAnAgentsOwnPost) {
  const std::string bare = world.post(world.bot("research-bot"), "다 했습니다");
  EXPECT_EQ(world.targets(say(bare, "고마워")), (Texts{"research-bot/default own_post"}));

  world.add_session("research-bot/배포");
  const std::string by_run = world.post(world.run_of("research-bot/배포"), "배포했습니다");
  EXPECT_EQ(world.targets(say(by_run, "고마워")), (Texts{"research-bot/배포 follow"}));

  testing::must(world.try_delete_session("research-bot/배포"));
  EXPECT_EQ(world.targets(say(by_run, "아직?")), (Texts{"research-bot/default follow"}));
}

TEST_F(Routed, ACommentOnAFollowedThreadGoesToThoseWhoFollowIt) {
  const std::string post = say("@research-bot/리팩토링 스키마 변경해줘");
  EXPECT_EQ(world.targets(say(post, "인덱스도 추가해줘")), (Texts{"research-bot/리팩토링 follow"}));

  say(post, "@code-helper 도 봐줘");
  EXPECT_EQ(world.targets(say(post, "둘 다")),
            (Texts{"research-bot/리팩토링 follow", "code-helper/default follow"}));
  EXPECT_EQ(world.targets(say("아무도 아님")), Texts{});
}

TEST_F(Routed, EachSessionOnceForTheFirstReason) {
  const std::string post = say("@research-bot/a @research-bot/b");
  const std::string comment = say(post, "@research-bot/b @research-bot/B @research-bot");

  EXPECT_EQ(world.targets(comment),
            (Texts{"research-bot/b mention", "research-bot/default mention"}));
  EXPECT_EQ(world.pending("research-bot/b"), (Texts{post, comment}));
}

TEST_F(Routed, WhoIsNamedIsWokenAndNobodyElse) {
  const std::string post = say("@research-bot/a @code-helper");
  EXPECT_EQ(world.targets(say(post, "@code-helper/b 이것만")), (Texts{"code-helper/b mention"}));
  EXPECT_EQ(world.targets(say(post, "@research-bot/a 너만")), (Texts{"research-bot/a mention"}));
  const std::string own = world.post(world.bot("research-bot"), "다 했습니다");
  EXPECT_EQ(world.targets(say(own, "@code-helper 봐줘")), (Texts{"code-helper/default mention"}));

  EXPECT_EQ(world.targets(say(post, "모두")),
            (Texts{"research-bot/a follow", "code-helper/default follow", "code-helper/b follow"}));
  EXPECT_EQ(world.targets(say(post, "nobody@example.org `@code-helper`")).size(), 3U);
}

TEST_F(Routed, FollowersHearMentionsIfTheHubIsSetSo) {
  world.rules.followers_hear_mentions = true;
  const std::string post = say("@research-bot/a @research-bot/b");

  EXPECT_EQ(
      world.targets(say(post, "@research-bot/b @code-helper")),
      (Texts{"research-bot/b mention", "code-helper/default mention", "research-bot/a follow"}));
  const std::string own = world.post(world.bot("research-bot"), "다 했습니다");
  EXPECT_EQ(world.targets(say(own, "@code-helper 봐줘")),
            (Texts{"code-helper/default mention", "research-bot/default own_post"}));
}

TEST_F(Routed, WhatAnAgentWritesGoesOnlyToThoseItMentions) {
  const std::string post = say("@research-bot @code-helper");

  const std::string silent = world.comment(world.run_of("research-bot/default"), post, "했습니다");
  EXPECT_EQ(world.targets(silent), Texts{});
  const std::string calling =
      world.comment(world.run_of("research-bot/default"), post, "@code-helper 확인해줘");
  EXPECT_EQ(world.targets(calling), (Texts{"code-helper/default mention"}));
}

TEST_F(Routed, NobodyCallsHimself) {
  const std::string post = say("@research-bot/a");

  EXPECT_EQ(world.targets(
                world.comment(world.bot("research-bot"), post, "@research-bot @research-bot/b")),
            Texts{});
  EXPECT_EQ(world.targets(world.comment(world.run_of("research-bot/a"), post,
                                        "@research-bot/A @research-bot")),
            (Texts{"research-bot/default mention"}));
  EXPECT_EQ(world.sessions("research-bot"), (Texts{"default", "a"}));
}

TEST_F(Routed, ADeletedAgentIsNotCalled) {
  const std::string own = world.post(world.bot("research-bot"), "안녕");
  const std::string id = world.agent_id("research-bot");
  testing::must(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_agent(view, id, now);
  }));

  EXPECT_EQ(world.targets(say("@research-bot @code-helper")),
            (Texts{"code-helper/default mention"}));
  EXPECT_EQ(world.targets(say(own, "거기 있어?")), Texts{});
}

TEST_F(SessionLimit, IsFiveWithTheDefaultSession) {
  const std::string post =
      say("@research-bot/하나 @research-bot/둘 @research-bot/셋 @research-bot/넷 "
          "@research-bot/여섯번째 이거");

  EXPECT_EQ(world.sessions("research-bot"), (Texts{"default", "하나", "둘", "셋", "넷"}));
  EXPECT_EQ(world.targets(post).back(), "research-bot/default mention");
  EXPECT_EQ(world.notices, (Texts{"@research-bot/여섯번째: session limit reached, handled by the "
                                  "default session"}));
}

TEST_F(SessionLimit, FallsBackWithTheTargetSessionAndANotice) {
  for (const char* name : {"a", "b", "c", "d"})
    world.add_session(std::string("research-bot/") + name);

  const std::string post = say("@research-bot/새작업 이거 해줘");

  const std::string fallback = world.session_id("research-bot/default");
  EXPECT_EQ(world.state("post/" + post, "target_session"), fallback);
  EXPECT_EQ(world.targets(post), (Texts{"research-bot/default mention"}));
  EXPECT_EQ(world.pending("research-bot/default"), (Texts{post}));
  EXPECT_EQ(world.session_id("research-bot/새작업"), "");
  ASSERT_EQ(world.notices.size(), 1U);
  EXPECT_TRUE(
      world.notices.front().contains("session limit reached, handled by the default session"));
  EXPECT_EQ(world.thread_notices(post), world.notices);

  // One that is there is still reached, and one that goes makes room.
  EXPECT_EQ(world.targets(say("@research-bot/a")), (Texts{"research-bot/a mention"}));
  testing::must(world.try_delete_session("research-bot/a"));
  const std::string comment = say(post, "@research-bot/새작업 다시");
  EXPECT_EQ(world.targets(comment).front(), "research-bot/새작업 mention");
  EXPECT_EQ(world.state("comment/" + comment, "target_session"), "");
  EXPECT_EQ(world.notices, Texts{});
}

TEST_F(SessionLimit, IsASettingAndOneForEachAgent) {
  world.rules.sessions_max = 2;
  const std::string post = say("@research-bot/a @code-helper/a @code-helper/b @research-bot/b");

  EXPECT_EQ(world.sessions("research-bot"), (Texts{"default", "a"}));
  EXPECT_EQ(world.sessions("code-helper"), (Texts{"default", "a"}));
  EXPECT_EQ(world.notices.size(), 2U);
  EXPECT_EQ(world.state("post/" + post, "target_session"), world.session_id("code-helper/default"));
}

TEST_F(SessionLimit, IsNotTheReasonWhenTheNameCannotBeOne) {
  const std::string post = say("@research-bot/日本 부탁");

  EXPECT_EQ(world.notices, (Texts{"@research-bot/日本: not a possible session name, handled by the "
                                  "default session"}));
  EXPECT_EQ(world.targets(post), (Texts{"research-bot/default mention"}));

  say("@research-bot/" + std::string(90'000, 'a'));
  ASSERT_EQ(world.notices.size(), 1U);
  EXPECT_LT(world.notices.front().size(), 200U);
}

TEST_F(Unheard, IsAMentionOfNobodyThatIsNearAnAgentsName) {
  const std::string post = say("please @research-bto, look");
  EXPECT_EQ(world.notices, (Texts{"there is no agent @research-bto; did you mean @research-bot?"}));
  EXPECT_EQ(world.thread_notices(post), world.notices);

  say(post, "@code-helper and @code-helpr/배포 and @code-helpr에게");
  EXPECT_EQ(world.notices, (Texts{"there is no agent @code-helpr; did you mean @code-helper?"}));
}

TEST_F(Unheard, IsWhoeverATextBeginsWith) {
  const std::string post = say("@reviewer please look");
  EXPECT_EQ(world.notices, (Texts{"there is no agent @reviewer"}));
  EXPECT_EQ(world.targets(say(post, "@research-bot")), (Texts{"research-bot/default mention"}));
  EXPECT_EQ(world.targets(say(post, "@reviewer again?")), (Texts{"research-bot/default follow"}));
}

TEST_F(Unheard, IsNotWhatOnlyLooksLikeAMention) {
  for (const char* text :
       {"see @types/node", "@types/node is old", "@media (max-width: 10px) {}", "use @Override",
        "{@link research-bto}", "`@research-bto`", "me@research-bto.example", "@bot@example.org",
        "@admin thank you", "x @2", "@", "npm i left-pad@latest", "https://a.example/@someone"}) {
    say(text);
    EXPECT_EQ(world.notices, Texts{}) << text;
  }
}

TEST_F(Following, BeginsWithAMentionAndWithWhatARunWrites) {
  const std::string mentioned = say("@research-bot/a");
  const std::string other = say("모두에게");
  const std::string commented = say("@code-helper");
  world.comment(world.run_of("research-bot/a"), commented, "저도요");
  const std::string posted = world.post(world.run_of("research-bot/a"), "새 글");

  EXPECT_EQ(world.followed("research-bot/a"), (Texts{mentioned, commented, posted}));
  EXPECT_EQ(world.followed("research-bot/default"), Texts{});
  EXPECT_EQ(world.targets(say(commented, "둘 다")),
            (Texts{"code-helper/default follow", "research-bot/a follow"}));
  EXPECT_EQ(world.targets(say(other, "아무도")), Texts{});
}

TEST_F(Following, KeepsTheNewestFifty) {
  Texts posts;
  for (int i = 0; i < 53; ++i) posts.push_back(say("@research-bot/a"));

  EXPECT_EQ(world.followed("research-bot/a"), Texts(posts.begin() + 3, posts.end()));
  EXPECT_EQ(world.targets(say(posts[2], "아직?")), Texts{});
  EXPECT_EQ(world.targets(say(posts[3], "아직?")), (Texts{"research-bot/a follow"}));
}

TEST_F(Following, OfAPostHasABoundThatTheOldestMakeRoomFor) {
  world.rules.sessions_max = limits::followers_max + 10;
  const std::string post = say("x");
  std::string text;
  for (std::size_t i = 0; i <= limits::followers_max; ++i) {
    text += "@research-bot/s" + std::to_string(i) + " ";
    if (i % limits::mentions_max == 0 || i == limits::followers_max) {
      say(post, text);
      text.clear();
    }
  }

  const Texts targets = world.targets(say(post, "모두"));
  EXPECT_EQ(targets.size(), limits::followers_max);
  EXPECT_EQ(targets.front(), "research-bot/s1 follow");

  testing::must(world.try_edit_session("research-bot/default", {.follow = {post}}));
  EXPECT_EQ(world.targets(say(post, "모두")).back(), "research-bot/default follow");
}

TEST_F(Chain, OfAgentsThatCallAgentsStopsAndSaysSo) {
  const std::string post = say("@research-bot 시작");
  for (int i = 0; i < 4; ++i) {
    const bool is_even = i % 2 == 0;
    const Actor actor = world.run_of(is_even ? "research-bot/default" : "code-helper/default");
    const std::string other = is_even ? "@code-helper" : "@research-bot";
    EXPECT_EQ(world.targets(world.comment(actor, post, other)).size(), 1U) << i;
    EXPECT_EQ(world.notices, Texts{});
  }

  const std::string fifth =
      world.comment(world.run_of("research-bot/default"), post, "@code-helper/new 한 번 더");

  EXPECT_EQ(world.targets(fifth), Texts{});
  EXPECT_EQ(world.sessions("code-helper"), (Texts{"default"}));
  EXPECT_EQ(world.notices, (Texts{"agents have mentioned agents 4 times here within 5 min: the "
                                  "chain stops, nobody was woken"}));
  EXPECT_EQ(world.thread_notices(post), world.notices);
}

TEST_F(Chain, GoesOnUnderAnotherPostForPeopleAndWhenTheTimeHasPassed) {
  const std::string post = say("@research-bot 시작");
  const Actor bot = world.run_of("research-bot/default");
  for (int i = 0; i < 4; ++i) {
    world.comment(bot, post, "@code-helper");
    world.pass(1min);
  }
  EXPECT_EQ(world.targets(world.comment(bot, post, "@code-helper")), Texts{});

  EXPECT_EQ(world.targets(world.post(bot, "@code-helper")).size(), 1U);
  EXPECT_EQ(world.targets(say(post, "@code-helper 계속")).front(), "code-helper/default mention");
  world.pass(1min - Span(1));
  EXPECT_EQ(world.targets(world.comment(bot, post, "@code-helper")), Texts{});
  world.pass(Span(1));
  EXPECT_EQ(world.targets(world.comment(bot, post, "@code-helper")).size(), 1U);
  EXPECT_EQ(world.targets(world.comment(bot, post, "@code-helper")), Texts{});
}

TEST_F(Chain, IsAlsoBoundedWithinOneText) {
  world.rules.bot_mentions_max = 2;
  const std::string post = world.post(world.bot("research-bot"),
                                      "@code-helper/a @research-bot @code-helper/b @code-helper/c");

  EXPECT_EQ(world.targets(post), (Texts{"code-helper/a mention", "code-helper/b mention"}));
  EXPECT_EQ(world.notices.size(), 1U);
}

TEST_F(Chain, IsNotMadeLongerByAnAgentThatNamesItself) {
  const std::string post = say("@research-bot");
  const Actor bot = world.run_of("research-bot/default");
  for (int i = 0; i < 6; ++i) world.comment(bot, post, "저는 @research-bot 입니다");
  EXPECT_EQ(world.notices, Texts{});

  for (int i = 0; i < 4; ++i) world.comment(bot, post, "@code-helper");
  world.comment(bot, post, "저는 @research-bot 입니다");
  EXPECT_EQ(world.notices, Texts{});
}

TEST_F(Chain, OfOneAgentIsBoundedUnderAllPostsTogether) {
  world.rules.author_mentions_max = 6;
  const Actor bot = world.bot("research-bot");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(world.targets(world.post(bot, "@code-helper")).size(), 1U) << i;
  }
  const std::string post = world.post(bot, "@code-helper");
  EXPECT_EQ(world.targets(post), Texts{});
  EXPECT_EQ(world.notices, (Texts{"research-bot has mentioned agents 6 times within 5 min, under "
                                  "all posts: nobody more was woken; wait, or let people ask"}));
  EXPECT_EQ(world.thread_notices(post), world.notices);

  EXPECT_EQ(world.targets(say("@code-helper 계속")).size(), 1U) << "people are not counted";
  EXPECT_EQ(world.targets(world.post(world.bot("code-helper"), "@research-bot")).size(), 1U)
      << "nor are others";
  world.pass(5min);
  EXPECT_EQ(world.targets(world.post(bot, "@code-helper")).size(), 1U);
}

}  // namespace
}  // namespace tyer::feed
