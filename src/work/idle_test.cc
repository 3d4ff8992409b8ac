// An idle fleet costs nothing (W17).

#include <gtest/gtest.h>

#include "support/feed_world.h"
#include "work/limits.h"
#include "work/roster.h"

namespace tyer::work {
namespace {

using testing::FeedWorld;

TEST(IdleFleet, OfFiftyAgentsStartsNothingAndWritesNothingForTenHours) {
  FeedWorld world;
  world.rules.sessions_max = 5;
  for (int i = 0; i < 50; ++i) {
    const std::string agent = "agent" + std::to_string(i);
    world.agent(agent);
    world.add_session(agent + "/deploy");
  }
  // It was not always idle: somebody asked, and it was answered.
  world.post(world.human(), "@agent7/deploy 해줘");
  world.begin("agent7/deploy", "run-1");
  EXPECT_TRUE(world.try_finish({.session = world.session_id("agent7/deploy"),
                                .run = "run-1",
                                .verdict = "done",
                                .text = "했습니다"}));
  world.pass(1min);
  world.strike();
  world.pump();
  const std::size_t events = world.events().size();

  Roster roster(limits::runs_at_once);
  Span now{};
  for (; now < 10h; now += limits::work_look_every) {
    world.pass(limits::work_look_every);
    world.strike();
    world.sweep();
    world.pump();
    ASSERT_TRUE(roster.choose(world.ready(), now).empty());
  }

  EXPECT_EQ(world.events().size(), events);
}

}  // namespace
}  // namespace tyer::work
