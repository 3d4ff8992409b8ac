#include "core/run.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tyer::core {
namespace {

Result<Subject> after(const Subject& before, std::string type, std::string body = "{}") {
  Event event;
  event.key = "run/1";
  event.type = std::move(type);
  event.body = std::move(body);
  return apply_event(run_kind(), before, event);
}

TEST(Run, GoesFromCreatedOverRunningToEnded) {
  Subject run = *after({}, "run.created", R"({"parent":"session/bot/default"})");
  EXPECT_EQ(run.status, "created");
  run = *after(run, "run.started", R"({"pid":4711})");
  EXPECT_EQ(run.status, "running");
  run = *after(run, "run.noted", R"({"resume":"abc"})");
  EXPECT_EQ(run.status, "running");
  run = *after(run, "run.ended", R"({"outcome":"succeeded"})");
  EXPECT_EQ(run.status, "ended");

  EXPECT_EQ(run.parent, "session/bot/default");
  EXPECT_EQ(run.rev, 4U);
  EXPECT_EQ(run.state, R"({"outcome":"succeeded","pid":4711,"resume":"abc"})");
}

TEST(Run, ThatNeverStartedEndsAsWell) {
  const Subject run = *after({}, "run.created");

  EXPECT_EQ(after(run, "run.ended", R"({"outcome":"lost"})")->status, "ended");
}

TEST(Run, NeitherStartsNorIsCreatedTwice) {
  const Subject created = *after({}, "run.created");
  const Subject running = *after(created, "run.started");

  EXPECT_EQ(after(created, "run.created").error().fault, Fault::conflict);
  EXPECT_EQ(after(running, "run.created").error().fault, Fault::conflict);
  EXPECT_EQ(after(running, "run.started").error().fault, Fault::conflict);
  EXPECT_EQ(after({}, "run.started").error().fault, Fault::conflict);
  EXPECT_EQ(after({}, "run.ended").error().fault, Fault::conflict);
}

// "A run ends in exactly one event": whatever is tried in whatever order, one end is written and
// nothing after it.
TEST(Run, EndsExactlyOnce) {
  const std::vector<std::string> types{"run.created", "run.started", "run.noted", "run.stop_asked",
                                       "run.ended"};
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 dice(seed);
    Subject run;
    int ends = 0;
    for (int i = 0; i < 40; ++i) {
      const std::string& type = types[dice() % types.size()];
      const bool was_over = run.status == "ended";
      const auto next = after(run, type);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + type);
      EXPECT_FALSE(was_over && next);
      if (!next) continue;
      ends += type == "run.ended" ? 1 : 0;
      run = *next;
    }
    EXPECT_LE(ends, 1);
    EXPECT_EQ(ends == 1, run.status == "ended");
  }
}

TEST(Run, HidesItsEnvironment) {
  EXPECT_EQ(shown_body(run_kind(), R"({"argv":["claude"],"environment":{"KEY":"x"}})"),
            R"({"argv":["claude"]})");
}

TEST(Outcome, HasAName) {
  EXPECT_EQ(name(Outcome::succeeded), "succeeded");
  EXPECT_EQ(name(Outcome::failed), "failed");
  EXPECT_EQ(name(Outcome::signalled), "signalled");
  EXPECT_EQ(name(Outcome::timed_out), "timed_out");
  EXPECT_EQ(name(Outcome::stopped), "stopped");
  EXPECT_EQ(name(Outcome::lost), "lost");
}

}  // namespace
}  // namespace tyer::core
