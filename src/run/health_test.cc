#include "run/health.h"

#include <gtest/gtest.h>

namespace tyer::run {
namespace {

struct Row {
  const char* what;
  Evidence evidence;
  Health health;
};

constexpr core::Liveness here = core::Liveness::alive;

TEST(Health, IsJudgedByEvidence) {
  const env::Use one{.processes = 1};
  for (const Row& row : {
           Row{"ended", {.has_ended = true, .keeper = here, .use = one}, Health::gone},
           Row{"its keeper died", {.keeper = core::Liveness::gone, .use = one}, Health::gone},
           Row{"waits to be tried again",
               {.waits_for_turn = true, .keeper = here},
               Health::waiting},
           Row{"asked to stop",
               {.stopping = 2s, .stopped_by = "me", .keeper = here, .use = one, .bytes = 1},
               Health::stopping},
           Row{"asked to stop, and its keeper died",
               {.stopping = 2s, .keeper = core::Liveness::gone, .use = one},
               Health::gone},
           Row{"on another machine", {.keeper = core::Liveness::unknown}, Health::alive},
           Row{"no process yet", {.keeper = here}, Health::waiting},
           Row{"all stopped",
               {.keeper = here, .use = {.processes = 2, .stopped = 2}, .bytes = 1},
               Health::hung},
           Row{"one of two stopped",
               {.keeper = here, .use = {.processes = 2, .stopped = 1}, .quiet = 1s, .bytes = 1},
               Health::alive},
           Row{"spoke just now",
               {.keeper = here, .use = one, .quiet = 29s, .bytes = 1},
               Health::alive},
           Row{"never spoke", {.keeper = here, .use = one, .quiet = 1s}, Health::waiting},
           Row{"silent for hours at full load",
               {.keeper = here, .use = one, .cpu = 200ms, .window = 200ms, .quiet = 5h},
               Health::busy},
           Row{"silent for hours, copies files",
               {.keeper = here, .use = one, .io = 4'096, .window = 200ms, .quiet = 5h},
               Health::busy},
           Row{"a tick of a timer is no work",
               {.keeper = here, .use = one, .cpu = 1ms, .window = 200ms, .quiet = 5min},
               Health::silent},
           Row{"waits for a model",
               {.keeper = here, .use = one, .quiet = 1min, .bytes = 1},
               Health::waiting},
           Row{"for long", {.keeper = here, .use = one, .quiet = 2min}, Health::silent},
           Row{"for too long", {.keeper = here, .use = one, .quiet = 10min}, Health::hung},
       }) {
    const Condition condition = judge_health(row.evidence);
    EXPECT_EQ(name(condition.health), name(row.health)) << row.what;
    EXPECT_NE(condition.why, "") << row.what;
  }
}

TEST(Health, IsToldWithItsEvidence) {
  const Condition condition = judge_health(
      {.keeper = here, .use = {.processes = 3}, .cpu = 150ms, .window = 200ms, .quiet = 5min});

  EXPECT_EQ(condition.why,
            "no output for 5 min, but 150 ms of a processor and 0 bytes read and written in 200ms");
}

TEST(Health, OfWhatIsToStopSaysWhatItWaitsFor) {
  const auto why = [](Evidence evidence) {
    evidence.stopping = 2s;
    evidence.stopped_by = "me";
    return judge_health(evidence).why;
  };

  EXPECT_EQ(why({.keeper = here, .use = {.processes = 3}}),
            "asked to stop 2 s ago by me; 3 processes may end in order for 5 s, then what is left "
            "is killed");
  EXPECT_EQ(why({.keeper = here}),
            "asked to stop 2 s ago by me; its agent has ended, and its keeper writes what came of "
            "it");
  EXPECT_TRUE(why({.waits_for_turn = true, .keeper = here}).contains("before it begins"));
  EXPECT_TRUE(why({}).contains("where it cannot be seen"));
}

}  // namespace
}  // namespace tyer::run
