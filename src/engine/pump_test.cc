// Each rule sees each event once and in order, and holds up nobody (law 4).

#include "engine/pump.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/key.h"
#include "engine/limits.h"
#include "support/engine_world.h"

namespace tyer::engine {
namespace {

using testing::change_of;
using testing::EngineWorld;
using testing::fault_of;
using testing::member;
using testing::must;
using testing::run;

using Numbers = std::vector<std::uint64_t>;
using Words = std::vector<std::string>;

// What a rule was shown, and how it answers.
struct Script {
  Numbers shown = {};
  std::set<std::string> refused = {};  // Keys it fails on.
  Fault fault = Fault::invalid;
  std::string error = "no";
};

// Says in echo/NAME/… what it was shown of items.
core::Rule echo_rule(const std::string& name, Script& script,
                     Words wants = {"item.made", "item.noted"}) {
  return {
      name, std::move(wants),
      [name, &script](const core::View&, const core::Event& event, Time) -> Result<core::Change> {
        script.shown.push_back(event.seq);
        if (script.refused.contains(event.key)) return fail(script.fault, script.error);
        const std::string key = "echo/" + name + "/" + std::string(core::rest_of(event.key));
        return change_of(key, "echo.heard", fmt::format(R"({{"of":{}}})", event.seq));
      }};
}

Numbers heard(EngineWorld& world, const std::string& key) {
  Numbers of;
  for (const core::Event& event : world.events(key)) {
    of.push_back(std::stoull(member(event.body, "of")));
  }
  return of;
}

TEST(Pump, ShowsARuleEachEventOnceInTheirOrder) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  for (const char* key : {"item/b", "item/a", "item/c"}) world.write(key, "item.made");

  run(pump, world.time.now);
  run(pump, world.time.now);

  EXPECT_EQ(script.shown, (Numbers{1, 2, 3}));
  EXPECT_EQ(world.cursor("rule/echo"), 3U);
}

TEST(Pump, ShowsARuleOnlyWhatItWants) {
  Script made;
  Script all;
  EngineWorld world({echo_rule("made", made, {"item.made"})});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");
  world.write("item/a", "item.noted");
  world.give(grant_for(world.here, "lock/a"));

  run(pump, world.time.now);

  EXPECT_EQ(made.shown, (Numbers{1}));
}

TEST(Pump, ShowsARuleWithoutWishesLeasesAsWell) {
  Script script;
  EngineWorld world(
      {{"watch",
        {},
        [&](const core::View&, const core::Event& event, Time) -> Result<core::Change> {
          script.shown.push_back(event.seq);
          return core::Change{};
        }}});
  Pump pump(world.here.engine);
  world.give(grant_for(world.here, "lock/a"));
  world.write("item/a", "item.made");

  run(pump, world.time.now);

  EXPECT_EQ(script.shown, (Numbers{1, 2}));
}

TEST(Pump, RecordsTheRuleAsActorAndTheEventAsCause) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");

  run(pump, world.time.now);

  const auto events = world.events("echo");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.front().actor, "rule/echo");
  EXPECT_EQ(events.front().cause, 1U);
}

TEST(Pump, ShowsRulesWhatOtherRulesDid) {
  Script first;
  Script second;
  EngineWorld world({echo_rule("second", second, {"echo.heard"}), echo_rule("first", first)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");

  // `second` hears itself too, so it is bounded by what the test lets it do.
  must(pump.step(world.time.now));
  must(pump.step(world.time.now));

  EXPECT_EQ(first.shown, (Numbers{1}));
  EXPECT_EQ(second.shown, (Numbers{2}));
}

TEST(Pump, CommitsTheEffectAndTheCursorTogether) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");
  world.here.store.refuses_commits = true;

  EXPECT_EQ(fault_of(pump.step(world.time.now)), "limit");

  EXPECT_EQ(world.cursor("rule/echo"), 0U);
  EXPECT_TRUE(world.events("echo").empty());

  world.here.store.refuses_commits = false;
  run(pump, world.time.now);
  EXPECT_EQ(heard(world, "echo"), (Numbers{1}));
}

TEST(Pump, DoesNotRepeatWhatAnotherPumpDidInBetween) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  const auto there = world.seat(world.tower);
  Pump other(there->engine);
  // The other pump comes between this one's look and its transaction.
  Engine engine(world.here.env, *world.store, world.catalog, [&](const store::Work& work) {
    run(other, world.time.now);
    return store::write(*world.store, work);
  });
  Pump pump(engine);
  world.write("item/a", "item.made");
  world.write("item/b", "item.made");

  run(pump, world.time.now);

  EXPECT_EQ(script.shown, (Numbers{1, 2}));
}

TEST(Pump, SharesTheWorkWithOtherPumps) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  const auto there = world.seat(world.tower);
  Pump one(world.here.engine);
  Pump two(there->engine);

  Numbers written;
  for (int i = 0; i < 10; ++i) {
    written.push_back(world.write(fmt::format("item/{}", i), "item.made").seq);
    run(i % 2 == 0 ? one : two, world.time.now);
  }
  run(one, world.time.now);
  run(two, world.time.now);

  EXPECT_EQ(script.shown, written);
}

TEST(Pump, CatchesUpWithALongLogInSeveralSteps) {
  Script script;
  EngineWorld world({echo_rule("echo", script, {"item.made"})});
  Pump pump(world.here.engine);
  core::Change change;
  for (std::size_t i = 0; i < limits::pump_events_max + 10; ++i) {
    change.events.push_back({.key = fmt::format("item/{:03}", i), .type = "item.made"});
  }
  must(world.apply(change));

  EXPECT_EQ(must(pump.step(world.time.now)), world.time.now);
  EXPECT_EQ(script.shown.size(), limits::pump_events_max);
  run(pump, world.time.now);
  EXPECT_EQ(script.shown.size(), limits::pump_events_max + 10);
}

TEST(Pump, WritesNothingWhenThereIsNothingToDo) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");
  run(pump, world.time.now);
  const std::uint64_t head = world.head().seq;
  const int commits = world.here.store.commits;

  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(must(pump.step(world.time.now)), world.time.now + limits::poll_every);
    world.pass(limits::poll_every);
  }

  EXPECT_EQ(world.here.store.commits, commits);
  EXPECT_EQ(world.head().seq, head);
}

TEST(Pump, IsIdleOnAnEmptyLogAndWithoutRules) {
  Script script;
  EngineWorld empty({echo_rule("echo", script)});
  EngineWorld ruleless;
  ruleless.write("item/a", "item.made");

  EXPECT_GT(must(Pump(empty.here.engine).step(empty.time.now)), empty.time.now);
  EXPECT_GT(must(Pump(ruleless.here.engine).step(ruleless.time.now)), ruleless.time.now);
  EXPECT_EQ(empty.here.store.commits, 0);
}

TEST(Pump, GoesOnWithOtherSubjectsAndOtherRulesWhenARuleFails) {
  Script weak;
  Script strong;
  EngineWorld world({echo_rule("weak", weak), echo_rule("strong", strong)});
  Pump pump(world.here.engine);
  weak.refused = {"item/bad"};
  for (const char* key : {"item/good", "item/bad", "item/fine"}) world.write(key, "item.made");

  run(pump, world.time.now);

  EXPECT_EQ(heard(world, "echo/weak"), (Numbers{1, 3}));
  EXPECT_EQ(heard(world, "echo/strong"), (Numbers{1, 2, 3}));
  const std::string aside = "aside/weak/item/bad";
  EXPECT_EQ(world.status(aside), "retrying");
  EXPECT_EQ(world.state(aside, "error"), "no");
  EXPECT_EQ(world.state(aside, "fault"), "invalid");
  EXPECT_FALSE(world.subject("aside/strong/item/bad"));
}

TEST(Pump, SetsAsideWhatARuleDecidedButMayNotDo) {
  EngineWorld world(
      {{"overreach",
        {"item.made"},
        [](const core::View&, const core::Event& event, Time) -> Result<core::Change> {
          core::Change change = change_of("echo/a", "echo.heard");
          change.events.push_back({.key = event.key, .type = "item.made"});
          return change;
        }}});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");

  run(pump, world.time.now);

  EXPECT_FALSE(world.subject("echo/a")) << "a change is made whole or not at all";
  EXPECT_EQ(world.state("aside/overreach/item/a", "fault"), "conflict");
}

TEST(Pump, MakesTheLaterEventsOfASetAsideSubjectWait) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  script.refused = {"item/a"};
  world.write("item/a", "item.made");
  run(pump, world.time.now);
  script.shown.clear();

  world.write("item/a", "item.noted");
  world.write("item/a/below", "item.made");
  run(pump, world.time.now);

  ASSERT_EQ(script.shown.size(), 1U) << "a key below is another subject";
  EXPECT_EQ(heard(world, "echo/echo/a/below"), script.shown);
}

TEST(Pump, DoesNotBlameARuleForTheStoresTrouble) {
  for (const Fault fault : {Fault::unavailable, Fault::timeout}) {
    Script script;
    EngineWorld world({echo_rule("echo", script)});
    Pump pump(world.here.engine);
    script.refused = {"item/b"};
    script.fault = fault;
    world.write("item/a", "item.made");
    world.write("item/b", "item.made");

    EXPECT_EQ(fault_of(pump.step(world.time.now)), info(fault).name);

    EXPECT_EQ(world.cursor("rule/echo"), 0U);
    EXPECT_EQ(world.head().seq, 2U) << "nothing is set aside and nothing is half done";
    script.refused.clear();
    run(pump, world.time.now);
    EXPECT_EQ(heard(world, "echo"), (Numbers{1, 2}));
  }
}

TEST(Pump, FailsWithTheStoreAndGoesOnWithIt) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");
  world.here.store.cut = true;

  EXPECT_EQ(fault_of(pump.step(world.time.now)), "unavailable");
  EXPECT_TRUE(script.shown.empty());

  world.here.store.cut = false;
  run(pump, world.time.now);
  EXPECT_EQ(script.shown, (Numbers{1}));
}

TEST(Pump, SetsAsideSubjectsWithKeysOfAnyLength) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  const std::string first = "item/" + std::string(limits::key_bytes_max - 6, 'x') + "1";
  const std::string second = "item/" + std::string(limits::key_bytes_max - 6, 'x') + "2";
  script.refused = {first, second};
  world.write(first, "item.made");
  world.write(second, "item.made");

  run(pump, world.time.now);

  for (const std::string& key : {first, second}) {
    EXPECT_EQ(world.state(aside_key("echo", key), "subject"), key);
  }
}

TEST(Pump, SetsAsideWithAnErrorOfAnyLength) {
  Script script;
  EngineWorld world({echo_rule("echo", script)});
  Pump pump(world.here.engine);
  script.refused = {"item/a"};
  script.error = std::string(limits::event_body_bytes_max, 'e');
  world.write("item/a", "item.made");
  world.write("item/b", "item.made");

  run(pump, world.time.now);

  EXPECT_EQ(heard(world, "echo/echo/b"), (Numbers{2}));
  EXPECT_EQ(world.status(aside_key("echo", "item/a")), "retrying");
}

TEST(Pump, DoesNotFeedOnTheFailuresOfARuleThatWantsEverything) {
  const auto refuse = [](const core::View&, const core::Event&, Time) -> Result<core::Change> {
    return fail(Fault::invalid, "never");
  };
  EngineWorld world({{"grumble", {}, refuse}, {"moan", {}, refuse}});
  Pump pump(world.here.engine);
  world.write("item/a", "item.made");

  run(pump, world.time.now);

  EXPECT_EQ(world.types(), (Words{"item.made", "aside.failed", "aside.failed"}));
}

}  // namespace
}  // namespace tyer::engine
