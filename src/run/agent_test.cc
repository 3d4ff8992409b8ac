#include "run/agent.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "env/linux_env.h"
#include "env/process_tree.h"
#include "support/forked.h"
#include "support/temp_dir.h"

namespace tyer::run {
namespace {

// A clock that runs only when it is told to.
class SteppedClock final : public env::Clock {
 public:
  void step(Span span) { passed_ += span; }
  [[nodiscard]] Span passed() const { return passed_; }

  [[nodiscard]] Time now() const override { return Time(passed_); }
  [[nodiscard]] Span mono() const override { return passed_; }
  [[nodiscard]] Span boot_time() const override { return passed_; }

 private:
  Span passed_{};
};

// An agent that says nothing until it is told to go on, while minutes pass in steps of a second.
struct SilentAgent {
  SilentAgent() { ::mkfifo(gate.c_str(), 0600); }

  // `patience` later somebody opens the gate.
  Result<Finished> run(const Bounds& bounds, Span patience) {
    const env::Fd steps(::eventfd(1, EFD_CLOEXEC));
    const Watching watching{
        .fds = {steps.get()},
        .cut = [&]() -> std::optional<Cut> {
          if (clock.passed() < patience) {
            clock.step(1s);
          } else if (!is_open) {
            // Fails as long as it does not read there. With the descriptor its wait is over.
            is_open = bool(env::Fd(::open(gate.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)));
          }
          return std::nullopt;
        },
        .output = [&](std::string_view bytes) { said += bytes; },
        .errors = [](std::string_view) {}};
    env::Env env{clock, real.env().files, real.env().processes, real.env().random};
    const Plan plan{.spawn = {.argv = {"sh", "-c", "cat \"$GATE\"; echo done"},
                              .environment = {{"PATH", "/usr/bin:/bin"}, {"GATE", gate}},
                              .directory = "/"}};
    return run_agent(env, plan, bounds, 5s, watching);
  }

  env::LinuxEnv real;
  SteppedClock clock;
  testing::TempDir dir;
  const std::string gate = dir / "gate";
  bool is_open = false;
  std::string said;
};

// W12c
TEST(Agent, IsNotEndedForItsSilence) {
  testing::in_a_copy([] {
    ASSERT_TRUE(env::adopt_orphans());
    SilentAgent agent;
    const auto finished = agent.run({.wall = 30min}, 20min);

    ASSERT_TRUE(finished) << finished.error().what;
    EXPECT_EQ(finished->cut, std::nullopt);
    EXPECT_EQ(finished->exit, env::Exit{});
    EXPECT_EQ(agent.said, "done\n");
    EXPECT_GE(agent.clock.passed(), 20min);
    EXPECT_TRUE(testing::is_childless());
  });
}

// W2
TEST(Agent, IsEndedForItsSilenceIfThatIsItsBound) {
  testing::in_a_copy([] {
    ASSERT_TRUE(env::adopt_orphans());
    SilentAgent agent;
    const auto finished = agent.run({.wall = 30min, .idle = 2min}, 20min);

    ASSERT_TRUE(finished) << finished.error().what;
    EXPECT_EQ(finished->cut, Cut::idle);
    EXPECT_EQ(agent.clock.passed(), 2min);
    EXPECT_TRUE(testing::is_childless());
  });
}

TEST(Agent, IsEndedWhenItsTimeIsOver) {
  testing::in_a_copy([] {
    ASSERT_TRUE(env::adopt_orphans());
    SilentAgent agent;
    const auto finished = agent.run({.wall = 10min}, 20min);

    ASSERT_TRUE(finished) << finished.error().what;
    EXPECT_EQ(finished->cut, Cut::wall);
    EXPECT_EQ(agent.clock.passed(), 10min);
    EXPECT_TRUE(testing::is_childless());
  });
}

}  // namespace
}  // namespace tyer::run
