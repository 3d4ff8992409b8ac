#include "run/berth.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "env/linux_env.h"
#include "env/marked.h"
#include "support/temp_dir.h"

namespace tyer::run {
namespace {

struct BerthWorld {
  // A process that has ended: nobody else has this start.
  [[nodiscard]] core::Holder dead() {
    core::Holder holder = env.processes.self("dead");
    holder.pid_start += 1;
    return holder;
  }

  [[nodiscard]] Guards living() { return {env.processes.self("k"), env.processes.self("f")}; }

  // An agent as it runs below a keeper, once it does.
  [[nodiscard]] std::unique_ptr<env::Child> start_agent(const std::string& mark) {
    const std::size_t equals = mark.find('=');
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const env::Fd reading(ends[0]);
    const env::Fd writing(ends[1]);
    auto child =
        env.processes.spawn({.argv = {"/bin/sh", "-c", "echo; exec sleep 60"},
                             .environment = {{mark.substr(0, equals), mark.substr(equals + 1)}},
                             .output = writing.get()});
    EXPECT_TRUE(child) << (child ? "" : child.error().what);
    char c = 0;
    EXPECT_EQ(::read(reading.get(), &c, 1), 1);
    return child ? *std::move(child) : nullptr;
  }

  [[nodiscard]] bool has(const std::string& path) const {
    return std::filesystem::exists(runs + "/" + path);
  }

  env::LinuxEnv linux;
  env::Env& env = linux.env();
  testing::TempDir dir;
  std::string runs = dir / "runs";
};

TEST(Berth, BecomesTheFolderOfItsRun) {
  BerthWorld world;
  const auto berth = Berth::make(world.env, world.runs, "m1", world.living());
  ASSERT_TRUE(berth);
  EXPECT_TRUE(world.has("waiting/m1"));

  ASSERT_TRUE((*berth)->take("r1"));
  (*berth)->transcript->output("said");
  (*berth)->is_recorded();

  EXPECT_TRUE(world.has("r1/transcript.jsonl"));
  EXPECT_TRUE(world.has("r1/output.log"));
  EXPECT_FALSE(world.has("m1"));
  EXPECT_FALSE(world.has("waiting/m1"));
}

TEST(Berth, ThatNoRunHasTakenLeavesNothing) {
  BerthWorld world;
  ASSERT_TRUE(Berth::make(world.env, world.runs, "m1", world.living()));

  EXPECT_FALSE(world.has("m1"));
  EXPECT_FALSE(world.has("waiting/m1"));
}

TEST(Berth, OfARunThatNeverBeganLeavesNothing) {
  BerthWorld world;
  {
    const auto berth = Berth::make(world.env, world.runs, "m1", world.living());
    ASSERT_TRUE(berth);
    ASSERT_TRUE((*berth)->take("r1"));
    (*berth)->give_up();
  }
  EXPECT_FALSE(world.has("r1"));
  EXPECT_FALSE(world.has("m1"));
  EXPECT_FALSE(world.has("waiting/m1"));
}

TEST(Berth, LetsAnAgentBeFoundWhoseKeeperDiedBeforeItWasRecorded) {
  BerthWorld world;
  auto berth = Berth::make(world.env, world.runs, "m1", {world.dead(), world.dead()});
  ASSERT_TRUE(berth);
  ASSERT_TRUE((*berth)->take("01a1e212-0000-7000-8000-000000000001"));
  (*berth)->transcript->output("said");
  const auto agent = world.start_agent(mark_of("01a1e212-0000-7000-8000-000000000001"));
  ASSERT_NE(agent, nullptr);

  end_unrecorded(world.env, world.runs);

  const auto exit = agent->wait(Span(20s));
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->signal, SIGKILL);
  EXPECT_FALSE(world.has("waiting/m1"));
  EXPECT_TRUE(world.has("01a1e212-0000-7000-8000-000000000001")) << "what it said is kept";
}

TEST(Berth, OfARunThatIsExpectedAndIsNotTheNextBecomesThatOfTheNext) {
  BerthWorld world;
  const auto berth = Berth::make(world.env, world.runs, "m1", world.living());
  ASSERT_TRUE(berth);

  ASSERT_TRUE((*berth)->expect("r1"));
  EXPECT_TRUE(world.has("r1"));
  EXPECT_EQ((*berth)->run(), "");
  ASSERT_TRUE((*berth)->expect("r2"));
  ASSERT_TRUE((*berth)->take("r2"));
  (*berth)->transcript->output("said");

  EXPECT_EQ((*berth)->run(), "r2");
  EXPECT_TRUE(world.has("r2/output.log"));
  EXPECT_FALSE(world.has("r1"));
  EXPECT_FALSE(world.has("m1"));
}

TEST(Berth, OfARunThatWasOnlyExpectedLeavesNothing) {
  BerthWorld world;
  {
    const auto berth = Berth::make(world.env, world.runs, "m1", world.living());
    ASSERT_TRUE(berth);
    ASSERT_TRUE((*berth)->expect("r1"));
  }
  EXPECT_FALSE(world.has("r1"));
  EXPECT_FALSE(world.has("m1"));
}

TEST(Berth, OfARunWhoseKeeperDiedBeforeAnythingWasSaidIsRemoved) {
  BerthWorld world;
  auto berth = Berth::make(world.env, world.runs, "m1", {world.dead(), world.dead()});
  ASSERT_TRUE(berth);
  ASSERT_TRUE((*berth)->take("r1"));

  end_unrecorded(world.env, world.runs);

  EXPECT_FALSE(world.has("r1"));
  EXPECT_FALSE(world.has("waiting/m1"));
}

TEST(Berth, OfWhoWaitedAndDiedIsRemoved) {
  BerthWorld world;
  auto berth = Berth::make(world.env, world.runs, "m1", {world.dead(), world.dead()});
  ASSERT_TRUE(berth);

  end_unrecorded(world.env, world.runs);

  EXPECT_FALSE(world.has("m1"));
  EXPECT_FALSE(world.has("waiting/m1"));
}

TEST(Berth, IsLeftAloneWhileOneOfItsGuardsLives) {
  for (const bool keeper_lives : {true, false}) {
    BerthWorld world;
    const Guards guards = keeper_lives ? Guards{world.env.processes.self("k"), world.dead()}
                                       : Guards{world.dead(), world.env.processes.self("f")};
    auto berth = Berth::make(world.env, world.runs, "m1", guards);
    ASSERT_TRUE(berth);
    ASSERT_TRUE((*berth)->take("r1"));
    const auto agent = world.start_agent(mark_of("r1"));
    ASSERT_NE(agent, nullptr);

    end_unrecorded(world.env, world.runs);

    EXPECT_TRUE(world.has("waiting/m1"));
    EXPECT_EQ(env::marked_processes(mark_of("r1")).size(), 1U);
    env::end_marked(mark_of("r1"));
  }
}

}  // namespace
}  // namespace tyer::run
