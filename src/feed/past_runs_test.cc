// What earlier runs of a session may have left, and who ends it (W2, W10).

#include "feed/past_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;

class PastRuns : public ::testing::Test {
 protected:
  PastRuns() { world.agent("bot"); }

  void finish(const std::string& run, const std::string& verdict) {
    must(world.try_finish(
        {.session = world.session_id("bot/default"), .run = run, .verdict = verdict}));
  }

  // What a worker that shares the hub's store leaves there of its run.
  void trace(const std::string& run, const std::string& type, const std::string& body = "{}") {
    must(world.decide([&](const core::View&, const Ids&, Time) -> Result<core::Change> {
      return core::Change{.events = {{"run/" + run, type, body}}};
    }));
  }

  FeedWorld world;
  const Actor me = world.human();
};

// W2, W10: what is left of a run may still write to the conversation.
TEST_F(PastRuns, AreWaitedForElsewhereUntilNothingIsLeft) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  trace("r1", "run.created");
  trace("r1", "run.started");
  finish("r1", "lost");
  world.host = "another";

  const Begun begun = world.begin("bot/default", "r2");
  EXPECT_FALSE(begun.is_begun);
  EXPECT_EQ(begun.why, "what is left of run r1 is being ended");
  EXPECT_FALSE(world.lease("session/" + world.session_id("bot/default")));

  trace("r1b", "run.created");
  trace("r1", "run.ended", R"({"next":"r1b"})");
  EXPECT_EQ(world.begin("bot/default", "r2").why, "what is left of run r1b is being ended");
  trace("r1b", "run.ended");
  EXPECT_TRUE(world.begin("bot/default", "r2").is_begun);
}

// W10: whoever begins ends that first.
TEST_F(PastRuns, AreToldToWhoeverBeginsOnTheirMachineIfTheyWereLost) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  trace("r1", "run.created");
  trace("r1", "run.started");
  finish("r1", "lost");
  world.host = "another";
  EXPECT_FALSE(world.begin("bot/default", "r2").is_begun);
  world.host = "far";

  const Begun begun = world.begin("bot/default", "r2");

  EXPECT_TRUE(begun.is_begun);
  ASSERT_EQ(begun.left.size(), 1U);
  EXPECT_EQ(begun.left.front().run, "r1");
  EXPECT_EQ(begun.left.front().mark, "mark of r1");
}

TEST_F(PastRuns, AreNotToldAgainOnceAnotherHasEndedThem) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  finish("r1", "lost");
  EXPECT_EQ(world.begin("bot/default", "r2").left.size(), 1U);
  finish("r2", "failed");
  world.post(me, "@bot again");

  EXPECT_EQ(world.begin("bot/default", "r3").left.size(), 0U);
}

TEST_F(PastRuns, AreAllToldThatWereLostInARowOnAMachineWhicheverRanElsewhereSince) {
  world.rules.wakes_max = 99;
  world.post(me, "@bot");
  for (int i = 0; i < 20; ++i) {
    const std::string run = fmt::format("r{:02}", i);
    world.host = i % 2 == 0 ? "far" : "another";
    ASSERT_TRUE(world.begin("bot/default", run).is_begun) << run;
    finish(run, "lost");
  }
  world.host = "far";

  EXPECT_EQ(world.begin("bot/default", "r20").left.size(), 10U);
}

// W15: the machine on which it was to be tried again is gone, and nobody will ever say so.
TEST_F(PastRuns, AreNotWaitedForIfNobodyWillStartTheNextAttempt) {
  world.post(me, "@bot");
  world.begin("bot/default", "r1");
  trace("r1", "run.created");
  trace("r1", "run.started");
  trace("r1b", "run.created",
        R"({"keeper":{"host":"far","boot":"b","pid_namespace":"n","pid":7,"pid_start":70}})");
  trace("r1", "run.ended", R"({"next":"r1b"})");
  finish("r1", "lost");

  EXPECT_TRUE(world.begin("bot/default", "r2").is_begun);
}

TEST_F(PastRuns, OfAnotherSessionKeepTheirIds) {
  world.post(me, "@bot/a @bot/b");
  world.begin("bot/a", "r1");
  const auto check = [&](const std::string& session, const std::string& run) {
    const std::string id = world.session_id(session);
    Result<> checked;
    world.read([&](const core::View& view) -> Result<> {
      checked = check_unused(view, id, run);
      return {};
    });
    return fault_of(checked);
  };

  EXPECT_EQ(check("bot/b", "r1"), "conflict");
  EXPECT_EQ(check("bot/b", "r2"), "none");
  EXPECT_EQ(check("bot/b", "1"), "none");
  EXPECT_EQ(check("bot/a", "r1"), "none") << "that it has begun is said otherwise";
}

}  // namespace
}  // namespace tyer::feed
