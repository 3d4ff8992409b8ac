// The log is read once for all rules, and what none of them wants costs nothing.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/limits.h"
#include "engine/pump.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::EngineWorld;
using testing::must;
using testing::run;

using Words = std::vector<std::string>;

// Writes down what it is shown: "name 1".
core::Rule witness(const std::string& name, Words wants, Words& shown) {
  return {
      name, std::move(wants),
      [&shown, name](const core::View&, const core::Event& event, Time) -> Result<core::Change> {
        shown.push_back(fmt::format("{} {}", name, event.seq));
        return core::Change{};
      }};
}

TEST(PumpPages, ShowAnEventToAllRulesThatWantItBeforeTheNext) {
  Words shown;
  EngineWorld world({witness("b", {"item.made"}, shown), witness("all", {}, shown),
                     witness("a", {"item.noted"}, shown)});
  Pump pump(world.here.engine);
  world.write("item/x", "item.made");
  world.write("item/x", "item.noted");

  run(pump, world.time.now);

  EXPECT_EQ(shown, (Words{"b 1", "all 1", "all 2", "a 2"}));
}

TEST(PumpPages, CommitNothingForEventsThatNoRuleWants) {
  Words shown;
  EngineWorld world({witness("made", {"item.made"}, shown)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");
  run(pump, world.time.now);
  for (int i = 0; i < 5; ++i) world.write("item/a", "item.noted");
  const int commits = world.here.store.commits;

  EXPECT_GT(must(pump.step(world.time.now)), world.time.now);

  EXPECT_EQ(world.here.store.commits, commits);
  world.write("item/b", "item.made");
  run(pump, world.time.now);
  EXPECT_EQ(shown, (Words{"made 1", "made 7"}));
}

TEST(PumpPages, MovePastALongStretchThatNoRuleWants) {
  Words shown;
  EngineWorld world({witness("made", {"item.made"}, shown)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");
  constexpr std::size_t notes = 2 * limits::pump_events_max;
  for (std::size_t i = 0; i < notes; ++i) world.write("item/a", "item.noted");
  world.write("item/b", "item.made");

  run(pump, world.time.now);

  EXPECT_EQ(shown, (Words{"made 1", fmt::format("made {}", notes + 2)}));
}

// Each starts where it stands: a new rule is shown what the others have seen long ago.
TEST(PumpPages, ShowANewRuleWhatWasThereBeforeIt) {
  Words shown;
  EngineWorld world({witness("old", {"item.made"}, shown), witness("new", {"item.made"}, shown)});
  world.write("item/a", "item.made");
  world.write("item/b", "item.made");
  must(store::write(*world.store, [](store::Txn& txn) -> Result<> {
    txn.put(core::Cursor{"rule/old", 1});
    return {};
  }));
  Pump pump(world.here.engine);

  run(pump, world.time.now);

  EXPECT_EQ(shown, (Words{"new 1", "old 2", "new 2"}));
}

TEST(PumpPages, AreDrainedByACommandThatLeaves) {
  Words shown;
  const core::Rule first{"first",
                         {"item.made"},
                         [](const core::View&, const core::Event&, Time) -> Result<core::Change> {
                           return change_of("echo/a", "echo.heard");
                         }};
  EngineWorld world({witness("second", {"echo.heard"}, shown), first});
  world.write("item/a", "item.made");

  drain(world.here.engine);

  EXPECT_EQ(shown, (Words{"second 2"})) << "what the first rule did is shown as well";
}

}  // namespace
}  // namespace tyer::engine
