// What comes of runs (H16, W5, W10, W11): an answer, a rest, or nothing at all if they were lost.

#include <gtest/gtest.h>

#include "base/json.h"
#include "feed/shifts.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;
using testing::Texts;

class ShiftEndTest : public ::testing::Test {
 protected:
  ShiftEndTest() {
    world.agent("bot");
    session = world.add_session("bot/a");
    key = shift_key(session, "r1");
    post = world.post(me, "@bot/a 이거 해줘");
  }

  std::string status(const std::string& source) { return world.status(item_key(session, source)); }

  Result<> finish(Finish finish) {
    finish.session = session;
    if (finish.run.empty()) finish.run = "r1";
    return world.try_finish(finish);
  }

  // By agents, the oldest first.
  Texts answers() {
    Texts ids;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto comments, list_all(view, {.kind = "comment"}, 1'000));
      for (const core::Subject& comment : comments) {
        TYER_TRY(const Author author, read_author(comment));
        if (author.is_agent) ids.push_back(id_of(comment));
      }
      return {};
    });
    return ids;
  }

  std::string content(const std::string& comment) {
    return world.state("comment/" + comment, "content");
  }

  std::string conversation() { return world.state("session/" + session, "claude_session_id"); }

  void expect_everything_is_let_go() {
    EXPECT_EQ(world.status(key), "ended");
    EXPECT_FALSE(world.lease("session/" + session));
    EXPECT_EQ(world.status("credential/cr_r1"), "revoked");
    EXPECT_EQ(world.state("thread/" + post, "typing"), "");
    EXPECT_FALSE(world.subject("thread/" + post)->due_at);
  }

  FeedWorld world;
  const Actor me = world.human();
  std::string session;  // Of bot/a.
  std::string key;      // Of its first shift.
  std::string post;
};

using DoneShift = ShiftEndTest;
using FailedShift = ShiftEndTest;
using LostShift = ShiftEndTest;
using Orphan = ShiftEndTest;

TEST_F(DoneShift, AnswersAllItsItemsWithOneComment) {
  const std::string more = world.comment(me, post, "이것도");
  world.begin("bot/a", "r1");
  const std::string late = world.comment(me, post, "나중 것");

  must(finish({.verdict = "done", .text = "다 했습니다"}));

  ASSERT_EQ(answers().size(), 1U);
  const std::string answer = answers().front();
  EXPECT_EQ(content(answer), "다 했습니다");
  EXPECT_EQ(world.state("comment/" + answer, "answers"), dump_json(Json{post, more}));
  EXPECT_EQ(world.state("comment/" + answer, "session_id"), session);
  EXPECT_EQ(world.pending("bot/a"), (Texts{late}));
  EXPECT_EQ(world.ready(), (Texts{"bot/a"}));
  EXPECT_EQ(world.state(key, "verdict"), "done");
  EXPECT_EQ(world.thread_notices(post), Texts{});
  expect_everything_is_let_go();
}

TEST_F(DoneShift, SaysNothingAfterWhatItWroteItself) {
  world.begin("bot/a", "r1");
  world.comment(world.run_of("bot/a", "r1"), post, "제가 직접");

  must(finish({.verdict = "done", .text = "썼습니다"}));

  EXPECT_EQ(answers().size(), 1U);
  EXPECT_EQ(world.pending("bot/a"), Texts{});
  EXPECT_EQ(world.thread_notices(post), Texts{});
}

TEST_F(DoneShift, AnswersWhatItLeftItself) {
  const std::string more = world.comment(me, post, "이것도");
  world.begin("bot/a", "r1");
  world.comment(world.run_of("bot/a", "r1"), post, "하나만", {more});

  must(finish({.verdict = "done", .text = "나머지"}));

  ASSERT_EQ(answers().size(), 2U);
  EXPECT_EQ(world.state("comment/" + answers().back(), "answers"), dump_json(Json{post}));
}

TEST_F(DoneShift, EndsOnlyOnce) {
  world.begin("bot/a", "r1");
  must(finish({.verdict = "done", .text = "다 했습니다"}));
  const std::size_t before = world.events().size();

  must(finish({.verdict = "done", .text = "다 했습니다"}));
  must(finish({.verdict = "failed"}));
  must(finish({.verdict = "lost"}));

  EXPECT_EQ(world.events().size(), before);
  EXPECT_EQ(fault_of(finish({.run = "r9", .verdict = "done"})), "not_found");
}

TEST_F(DoneShift, WithoutWordsLeavesItsItemsAtRest) {
  world.rules.wakes_max = 9;
  int number = 0;
  for (const std::string& words : {std::string(), std::string(" \n"), std::string("\0\x1b", 2)}) {
    const std::string run = "r" + std::to_string(++number);
    world.begin("bot/a", run, true);
    must(finish({.run = run, .verdict = "done", .text = words}));
  }

  EXPECT_EQ(answers(), Texts{});
  EXPECT_EQ(world.pending("bot/a"), (Texts{post}));
  EXPECT_EQ(world.ready(), Texts{});
  EXPECT_EQ(world.thread_notices(post).front(),
            "the run ended without an answer; the next message here has it tried again");
}

TEST_F(DoneShift, ThatWasHinderedAnswersAndSaysWhy) {
  world.begin("bot/a", "r1");

  must(finish({.verdict = "hindered", .why = "Bash was denied", .text = "거의 다"}));

  EXPECT_EQ(answers().size(), 1U);
  EXPECT_EQ(world.pending("bot/a"), Texts{});
  EXPECT_EQ(world.thread_notices(post), (Texts{"done, but Bash was denied"}));
}

TEST_F(DoneShift, CutsWordsThatAreTooManyBetweenTwoCharacters) {
  std::string words = "\x1b[1m";
  while (words.size() <= 2 * limits::content_bytes_max) words += "가";
  world.begin("bot/a", "r1");

  must(finish({.verdict = "done", .text = words}));

  const std::string said = content(answers().front());
  EXPECT_LE(said.size(), limits::content_bytes_max);
  EXPECT_TRUE(said.starts_with("[1m가")) << said.substr(0, 9);
  EXPECT_TRUE(said.ends_with("가\n\n(cut: the rest is in the transcript)"));
}

// W5
TEST_F(DoneShift, KeepsItsConversation) {
  world.begin("bot/a", "r1");
  must(finish({.verdict = "done", .text = "1", .conversation = "c-1"}));
  EXPECT_EQ(conversation(), "c-1");

  world.comment(me, post, "또");
  world.begin("bot/a", "r2");
  must(finish({.run = "r2", .verdict = "done", .text = "2"}));
  EXPECT_EQ(conversation(), "c-1");

  world.comment(me, post, "또");
  world.begin("bot/a", "r3");
  must(finish({.run = "r3", .verdict = "failed", .conversation = "c-3"}));
  EXPECT_EQ(conversation(), "c-1");

  world.begin("bot/a", "r4", true);
  must(finish({.run = "r4", .verdict = "stale", .conversation = ""}));
  EXPECT_EQ(conversation(), "");
}

TEST_F(FailedShift, LeavesItsItemsAtRestWithANotice) {
  const std::string more = world.comment(me, post, "이것도");
  world.begin("bot/a", "r1");

  must(finish({.verdict = "credentials", .why = "no login", .text = "반쯤"}));

  EXPECT_EQ(answers(), Texts{});
  EXPECT_EQ(world.pending("bot/a"), (Texts{post, more}));
  EXPECT_EQ(world.ready(), Texts{});
  EXPECT_EQ(world.thread_notices(post),
            (Texts{"the run failed (credentials): no login; the next message here has it tried "
                   "again"}));
  EXPECT_EQ(world.state(item_key(session, post), "wakes"), "1");
  expect_everything_is_let_go();
}

TEST_F(FailedShift, SaysWhenItWasStopped) {
  world.begin("bot/a", "r1");

  must(finish({.verdict = "stopped"}));

  EXPECT_EQ(world.thread_notices(post),
            (Texts{"the run was stopped; the next message here has it tried again"}));
  EXPECT_EQ(world.ready(), Texts{});
}

TEST_F(FailedShift, ThatAnsweredBeforeLeavesNothing) {
  world.begin("bot/a", "r1");
  world.comment(world.run_of("bot/a", "r1"), post, "여기까지");

  must(finish({.verdict = "timed_out"}));

  EXPECT_EQ(world.pending("bot/a"), Texts{});
  EXPECT_EQ(world.thread_notices(post), Texts{});
}

// W11
TEST_F(LostShift, LeavesItsItemsReadyAtOnce) {
  world.begin("bot/a", "r1");
  world.break_lease(session);
  world.pump();

  EXPECT_EQ(world.state(key, "verdict"), "lost");
  EXPECT_EQ(world.pending("bot/a"), (Texts{post}));
  EXPECT_EQ(world.state(item_key(session, post), "wakes"), "1");
  EXPECT_EQ(world.ready(), (Texts{"bot/a"}));
  EXPECT_EQ(world.thread_notices(post), Texts{});
  expect_everything_is_let_go();
}

TEST_F(LostShift, IsOneThatIsSilentAndEndsOnce) {
  world.begin("bot/a", "r1");
  world.pass(limits::silence_max + 1s);
  world.sweep();
  EXPECT_EQ(world.state(key, "verdict"), "lost");
  const std::size_t before = world.events().size();

  must(finish({.verdict = "lost"}));
  world.sweep();

  EXPECT_EQ(world.events().size(), before);
}

TEST_F(LostShift, IsOneWhoseLeaseSomebodyLetGo) {
  world.begin("bot/a", "r1");
  const auto lease = world.lease("session/" + session);
  ASSERT_TRUE(lease);
  must(world.decide([&](const core::View&, const Ids&, Time) -> Result<core::Change> {
    return core::Change{.endings = {testing::ending_of(*lease)}};
  }));
  world.pump();

  EXPECT_EQ(world.state(key, "verdict"), "lost");
}

TEST_F(LostShift, HasNothingToSayAnyMore) {
  world.begin("bot/a", "r1");
  world.break_lease(session);
  std::size_t before = world.events().size();
  EXPECT_EQ(fault_of(finish({.verdict = "done", .text = "늦은 말"})), "fenced");
  EXPECT_EQ(world.events().size(), before);
  world.pump();
  world.begin("bot/a", "r2");
  before = world.events().size();

  EXPECT_EQ(fault_of(finish({.verdict = "done", .text = "늦은 말", .conversation = "c"})),
            "fenced");

  EXPECT_EQ(world.events().size(), before);
  must(finish({.run = "r2", .verdict = "done", .text = "제때"}));
  EXPECT_EQ(answers().size(), 1U);
}

TEST_F(LostShift, CanSaySoItself) {
  world.begin("bot/a", "r1");

  must(finish({.verdict = "lost", .why = "the machine goes down", .cost = 20'000}));

  EXPECT_EQ(world.ready(), (Texts{"bot/a"}));
  EXPECT_EQ(world.state(key, "why"), "the machine goes down");
  expect_everything_is_let_go();
}

// H14
TEST_F(Orphan, OfADeletedSessionStillAnswersWhatWasMoved) {
  world.begin("bot/a", "r1");
  must(world.try_delete_session("bot/a"));
  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));

  must(finish({.verdict = "done", .text = "다 했습니다", .conversation = "c-1"}));

  EXPECT_EQ(answers().size(), 1U);
  EXPECT_EQ(world.pending("bot/default"), Texts{});
  EXPECT_EQ(world.thread_notices(post), Texts{});
  expect_everything_is_let_go();
}

TEST_F(Orphan, OfADeletedSessionLeavesToOthersWhatIsTheirs) {
  const std::string both = world.post(me, "@bot/a @bot/b");
  world.begin("bot/a", "r0");
  must(finish({.run = "r0", .verdict = "done", .text = "첫째"}));
  world.begin("bot/a", "r1");
  must(world.try_delete_session("bot/a"));

  must(finish({.verdict = "done", .text = "a의 답"}));

  EXPECT_EQ(world.pending("bot/default"), Texts{});
  EXPECT_EQ(world.pending("bot/b"), (Texts{both}));
}

TEST_F(Orphan, OfADeletedSessionKeepsItsItemsUntilItIsLost) {
  world.begin("bot/a", "r1");
  must(world.try_delete_session("bot/a"));
  EXPECT_EQ(world.ready(), Texts{});

  must(finish({.verdict = "lost"}));
  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
  world.begin("bot/default", "r2");

  EXPECT_EQ(fault_of(finish({.verdict = "done", .text = "다 했습니다"})), "fenced");
  EXPECT_EQ(answers(), Texts{});
  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));
}

TEST_F(Orphan, OfADeletedSessionThatFailedLeavesItToTheHeir) {
  world.begin("bot/a", "r1");
  must(world.try_delete_session("bot/a"));

  must(finish({.verdict = "failed"}));

  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
  EXPECT_EQ(world.thread_notices(post), Texts{});
}

TEST_F(Orphan, OfADeletedPostEndsWithoutAWord) {
  const std::string comment = world.comment(me, post, "이것도");
  world.begin("bot/a", "r1");
  must(world.try_delete(me, "post", post));

  must(finish({.verdict = "done", .text = "다 했습니다"}));

  EXPECT_EQ(answers(), Texts{});
  EXPECT_EQ(world.thread_notices(post), Texts{});
  expect_everything_is_let_go();
  EXPECT_FALSE(world.begin("bot/a", "r2").is_begun);
  EXPECT_EQ(status(comment), "withdrawn");
}

TEST_F(Orphan, OfADeletedFeedEndsWithoutAWord) {
  world.begin("bot/a", "r1");
  must(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_feed(view, world.main_feed, {}, now);
  }));

  must(finish({.verdict = "failed"}));

  EXPECT_EQ(world.thread_notices(post), Texts{});
  EXPECT_FALSE(world.begin("bot/a", "r2").is_begun);
  EXPECT_EQ(status(post), "withdrawn");
}

TEST_F(Orphan, OfADeletedAgentEndsWithoutAWord) {
  world.begin("bot/a", "r1");
  const std::string agent = world.agent_id("bot");
  must(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_agent(view, agent, now);
  }));

  must(finish({.verdict = "done", .text = "다 했습니다", .conversation = "c"}));

  EXPECT_EQ(answers(), Texts{});
  EXPECT_EQ(world.thread_notices(post), Texts{});
  expect_everything_is_let_go();
}

}  // namespace
}  // namespace tyer::feed
