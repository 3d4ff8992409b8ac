// Runs that are to end, and what they leave: H14, H16, W12b.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "feed/items.h"
#include "feed/shifts.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::must;
using testing::Texts;

class EndingShift : public ::testing::Test {
 protected:
  EndingShift() { world.agent("bot"); }

  // "r1 asked", "r2 5000": those that are to end, and for how long their session is gone.
  Texts ending(const Texts& agents = {}) {
    Texts all;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto listed, list_ending(view, agents, world.time.now));
      for (const Ending& one : listed) {
        all.push_back(one.holder.run + " " +
                      (one.deleted_for ? std::to_string(*one.deleted_for / 1ms) : "asked"));
      }
      return {};
    });
    return all;
  }

  Result<> finish(const std::string& session, const std::string& run, const std::string& verdict,
                  const std::string& words = "") {
    return world.try_finish({.session = session,
                             .run = run,
                             .verdict = verdict,
                             .why = verdict == "failed" ? "no disk" : "",
                             .text = words});
  }

  FeedWorld world;
  const Actor me = world.human();
};

// H14
TEST_F(EndingShift, IsOneWhoseSessionWasDeletedAndSaysForHowLong) {
  world.post(me, "@bot/a @bot/b");
  world.begin("bot/a", "r1");
  world.begin("bot/b", "r2");
  EXPECT_EQ(ending(), Texts{});

  must(world.try_delete_session("bot/a"));
  world.pass(5s);

  EXPECT_EQ(ending(), (Texts{"r1 5000"}));
  EXPECT_EQ(ending({world.agent_id("bot")}), (Texts{"r1 5000"}));
  EXPECT_EQ(ending({"ag_none"}), Texts{});
}

// W12b
TEST_F(EndingShift, IsOneThatSomebodyAskedToEndUntilItHas) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  const std::string shift = shift_key(world.session_id("bot/default"), "r1");
  must(world.decide([&](const core::View&, const Ids&, Time) -> Result<core::Change> {
    return core::Change{.events = {{shift, "shift.stop_asked", R"({"stop_asked_by":"me"})"}}};
  }));
  EXPECT_EQ(ending(), (Texts{"r1 asked"}));

  must(finish(world.session_id("bot/default"), "r1", "stopped"));

  EXPECT_EQ(ending(), Texts{});
}

// H14
TEST_F(EndingShift, OfADeletedSessionHasAnsweredWithWhatItWroteItself) {
  const std::string post = world.post(me, "@bot/a 이거 해줘");
  const std::string session = world.session_id("bot/a");
  world.begin("bot/a", "r1");
  const Actor run = world.run_of("bot/a", "r1");
  must(world.try_delete_session("bot/a"));

  world.comment(run, post, "제가 직접");

  EXPECT_EQ(world.pending("bot/default"), Texts{});
  must(finish(session, "r1", "done", "썼습니다"));
  EXPECT_EQ(world.state("thread/" + post, "comment_count"), "1");
  EXPECT_EQ(world.ready(), Texts{});
}

TEST_F(EndingShift, OfADeletedSessionMayNameWhatItAnswers) {
  const std::string post = world.post(me, "@bot/a 이거 해줘");
  const std::string more = world.comment(me, post, "이것도");
  world.begin("bot/a", "r1");
  const Actor run = world.run_of("bot/a", "r1");
  must(world.try_delete_session("bot/a"));

  world.comment(run, post, "하나만", {more});

  EXPECT_EQ(world.pending("bot/default"), (Texts{post}));
}

// H16: not only when the next message comes.
TEST_F(EndingShift, GivesUpAtOnceWhatItWasWokenForTheThirdTime) {
  const std::string post = world.post(me, "@bot 이거 해줘");
  const std::string session = world.session_id("bot/default");
  for (const char* run : {"r1", "r2", "r3"}) {
    world.begin("bot/default", run, true);
    must(finish(session, run, "failed"));
  }

  EXPECT_EQ(world.status(item_key(session, post)), "skipped");
  ASSERT_EQ(world.thread_notices(post).size(), 3U);
  EXPECT_EQ(world.thread_notices(post).back(),
            "skipped: woken 3 times without an answer; at last the run failed: no disk; "
            "it can be tried again");
}

// W10: nobody has to look for what it has left.
TEST_F(EndingShift, ThatItsKeeperNeverHeardOfHasLeftNothing) {
  world.post(me, "@bot");
  const std::string session = world.session_id("bot/default");
  world.begin("bot/default", "r1");
  must(world.try_finish({.session = session, .run = "r1", .verdict = "lost", .is_unheard = true}));

  EXPECT_EQ(world.begin("bot/default", "r2").left.size(), 0U);
}

// W4: a service that is used too much is waited for without a run.
class PutOff : public EndingShift {
 protected:
  void put_off(const std::string& run) {
    must(world.try_finish({.session = session,
                           .run = run,
                           .verdict = "later",
                           .why = "too many requests",
                           .wait = 2h}));
  }

  const std::string post = world.post(me, "@bot");
  const std::string session = world.session_id("bot/default");
  const std::string item = item_key(session, post);
};

TEST_F(PutOff, BeginsWhenItsServiceMayBeCalledAgain) {
  world.begin("bot/default", "r1");
  put_off("r1");
  EXPECT_EQ(world.state(item, "wakes"), "0");
  world.pass(1h);
  world.strike();
  world.post(me, "@bot more");
  EXPECT_FALSE(world.begin("bot/default", "r2").is_begun);
  EXPECT_TRUE(world.begin("bot/default", "r2").not_before);

  world.pass(1h);
  world.strike();

  EXPECT_EQ(world.state("session/" + session, "not_before"), "");
  const Begun begun = world.begin("bot/default", "r2");
  ASSERT_TRUE(begun.is_begun);
  EXPECT_EQ(begun.items.front().source, post);
}

// A service that is overloaded does not say for how long.
TEST_F(PutOff, WaitsTwiceAsLongEachTimeIfItsServiceDoesNotSayHowLong) {
  Span wait = 30s;
  for (int i = 0; i < 8; ++i, wait = std::min<Span>(2 * wait, 15min)) {
    const std::string run = fmt::format("r{}", i);
    ASSERT_TRUE(world.begin("bot/default", run).is_begun) << i;
    must(world.try_finish({.session = session,
                           .run = run,
                           .verdict = "later",
                           .why = "overloaded",
                           .wait = 30s,
                           .wait_grows = true}));
    EXPECT_EQ(world.state("session/" + session, "not_before"), format_time(world.time.now + wait));
    world.pass(wait);
    world.strike();
  }
  EXPECT_EQ(world.thread_notices(post).size(), 1U) << "it is said once";
}

// Whoever asks for it knows that the service is there again.
TEST_F(PutOff, IsOverWhenSomebodyHasItTriedAgain) {
  world.begin("bot/default", "r1");
  put_off("r1");
  const std::string more = world.post(me, "@bot more");
  EXPECT_EQ(world.ready(), Texts{});

  must(world.try_retry("bot/default", more));

  EXPECT_EQ(world.state("session/" + session, "not_before"), "");
  EXPECT_FALSE(world.subject("session/" + session)->due_at);
  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
  const std::size_t before = world.events().size();
  must(world.try_retry("bot/default", more));
  EXPECT_EQ(world.events().size(), before) << "there is nothing to be changed";

  EXPECT_EQ(world.state(item, "waits"), "1");
  must(world.try_retry("bot/default", post));
  EXPECT_EQ(world.state(item, "waits"), "0");
}

TEST_F(PutOff, IsOverWithItsSession) {
  world.post(me, "@bot/other");
  world.begin("bot/other", "r0");
  const std::string other = world.session_id("bot/other");
  must(world.try_finish({.session = other, .run = "r0", .verdict = "later", .wait = 2h}));
  must(world.try_delete_session("bot/other"));
  world.pass(3h);
  world.strike();
  EXPECT_EQ(world.status("session/" + other), "deleted");
}

TEST_F(PutOff, IsNotForEver) {
  std::uint64_t runs = 0;
  for (; world.begin("bot/default", fmt::format("r{}", runs)).is_begun; ++runs) {
    ASSERT_LE(runs, limits::item_waits_max);
    put_off(fmt::format("r{}", runs));
    world.pass(2h);
    world.strike();
  }
  EXPECT_EQ(runs, limits::item_waits_max + 1);
  EXPECT_EQ(world.state(item, "rests"), "true");
}

TEST_F(PutOff, TooOftenIsNoConcernOfWhatCameLater) {
  for (std::uint64_t i = 0; i <= limits::item_waits_max; ++i) {
    const std::string run = fmt::format("r{}", i);
    ASSERT_TRUE(world.begin("bot/default", run).is_begun) << i;
    put_off(run);
    world.pass(2h);
    world.strike();
  }
  const std::string more = world.comment(me, post, "그리고?");
  ASSERT_EQ(world.begin("bot/default", "more").items.size(), 2U);

  put_off("more");

  EXPECT_EQ(world.state(item, "rests"), "true");
  EXPECT_EQ(world.state(item_key(session, more), "rests"), "false");
  EXPECT_NE(world.state("session/" + session, "not_before"), "");
  world.pass(2h);
  world.strike();
  EXPECT_EQ(world.ready(), (Texts{"bot/default"}));
}

}  // namespace
}  // namespace tyer::feed
