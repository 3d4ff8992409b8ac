// Thousands of worlds by seed. A failure names the seed; `./dev sim --seed N
// --trace` shows it again.

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/linux_random.h"
#include "sim/files_world.h"
#include "sim/session_world.h"
#include "sim/workloads.h"

namespace tyer::testing {
namespace {

using files_sim::FilesFlaw;
using files_sim::run_files_world;
using sim::Flaw;

constexpr std::uint64_t seeds_wanted = 2'000;
constexpr std::uint64_t batches = 20;
constexpr std::uint64_t fresh_seeds = 500;
constexpr std::uint64_t seeds_to_draw_from = 1'000'000'000'000;
constexpr std::uint64_t seeds_until_noticed = 500;

class Seeds : public ::testing::TestWithParam<std::uint64_t> {};

// P17: every law after every step, liveness after the faults stop.
TEST_P(Seeds, KeepEveryLaw) {
  for (std::uint64_t i = 0; i < seeds_wanted / batches; ++i) {
    const std::uint64_t seed = GetParam() * seeds_wanted / batches + i;
    const sim::Broken broken = run_world({.seed = seed});
    ASSERT_FALSE(broken) << *broken << "\n  again: ./dev sim --seed " << seed << " --trace";
  }
}

TEST_P(Seeds, KeepTheFilesStoreWhole) {
  for (std::uint64_t i = 0; i < seeds_wanted / batches; ++i) {
    const std::uint64_t seed = GetParam() * seeds_wanted / batches + i;
    const auto broken = run_files_world(seed, FilesFlaw::none);
    ASSERT_FALSE(broken) << *broken << "\n  again: ./dev sim --scenario files --seed " << seed;
  }
}

TEST_P(Seeds, AnswerWhatIsWrittenForAgents) {
  for (std::uint64_t i = 0; i < seeds_wanted / batches; ++i) {
    const std::uint64_t seed = GetParam() * seeds_wanted / batches + i;
    const sim::Broken broken = run_session_world({.seed = seed});
    ASSERT_FALSE(broken) << *broken << "\n  again: ./dev sim --scenario sessions --seed " << seed
                         << " --trace";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Seeds, ::testing::Range(std::uint64_t{0}, batches));

// An answer is lost and asked for again so late that others may take the lock: there who takes it
// as it is believes too much.
TEST(World, WithALeaseFoundAgainTooLateKeepsEveryLaw) {
  for (const std::uint64_t seed : {77U, 190U, 684U}) {
    const sim::Broken broken = run_world({.seed = seed});
    EXPECT_FALSE(broken) << *broken << "\n  again: ./dev sim --seed " << seed << " --trace";
    EXPECT_TRUE(run_world({.seed = seed, .flaw = Flaw::found_again_unjudged})) << seed;
  }
}

// The store's clock was set back, and timers asked a thousand times a second until it caught up.
TEST(World, WhoseTimeStandsStillComesToRest) {
  const sim::Broken broken = run_world({.seed = 129'977});
  EXPECT_FALSE(broken) << *broken;
}

// The seeds above are the same in every run, so the code fits them. These are new in each run;
// TYER_SIM_SEED=N makes a run use those from N on.
TEST(FreshSeeds, KeepEveryLaw) {
  const char* const given = std::getenv("TYER_SIM_SEED");
  const std::uint64_t first =
      given != nullptr ? std::stoull(given) : env::LinuxRandom().below(seeds_to_draw_from);
  fmt::print("{} fresh worlds, TYER_SIM_SEED={}\n", fresh_seeds, first);
  for (std::uint64_t seed = first; seed < first + fresh_seeds; ++seed) {
    const sim::Broken broken = run_world({.seed = seed});
    ASSERT_FALSE(broken) << *broken << "\n  again: ./dev sim --seed " << seed << " --trace";
    const sim::Broken unanswered = run_session_world({.seed = seed});
    ASSERT_FALSE(unanswered) << *unanswered << "\n  again: ./dev sim --scenario sessions --seed "
                             << seed << " --trace";
    const auto torn = run_files_world(seed, FilesFlaw::none);
    ASSERT_FALSE(torn) << *torn << "\n  again: ./dev sim --scenario files --seed " << seed;
  }
}

TEST(World, RepeatsItselfFromItsSeed) {
  const auto trace_of = [](std::uint64_t seed) {
    std::string all;
    EXPECT_FALSE(
        run_world({.seed = seed, .trace = [&](const std::string& line) { all += line + "\n"; }}));
    return all;
  };
  EXPECT_EQ(trace_of(7), trace_of(7));
  EXPECT_NE(trace_of(7), trace_of(8));
}

struct Protection {
  std::string name;
  Flaw flaw;
};

// Takes one protection out and says which seed notices first.
std::optional<std::uint64_t> first_noticed(Flaw flaw) {
  for (std::uint64_t seed = 0; seed < seeds_until_noticed; ++seed) {
    const bool broken =
        flaw == Flaw::no_one_writer       ? run_files_world(seed, FilesFlaw::no_lock).has_value()
        : flaw == Flaw::no_journal_replay ? run_files_world(seed, FilesFlaw::no_replay).has_value()
                                          : run_world({.seed = seed, .flaw = flaw}).has_value();
    if (broken) return seed;
  }
  return std::nullopt;
}

class TakenOut : public ::testing::TestWithParam<Protection> {};

TEST_P(TakenOut, IsNoticedWithinFiveHundredSeeds) {
  const auto seed = first_noticed(GetParam().flaw);
  ASSERT_TRUE(seed) << GetParam().name << " can be taken out and no law is broken";
  RecordProperty("first_seed", std::to_string(*seed));
}

INSTANTIATE_TEST_SUITE_P(
    Protection, TakenOut,
    ::testing::Values(Protection{"TokenCheck", Flaw::no_token_check},
                      Protection{"OneWriterLock", Flaw::no_one_writer},
                      Protection{"CursorWithEffect", Flaw::cursor_apart_from_effect},
                      Protection{"JournalReplay", Flaw::no_journal_replay},
                      Protection{"StartTimeCheck", Flaw::no_start_time},
                      Protection{"MonotonicHeartbeat", Flaw::no_monotonic_heartbeat},
                      Protection{"JudgementOfWhatIsFoundAgain", Flaw::found_again_unjudged}),
    [](const auto& test) { return test.param.name; });

struct SessionProtection {
  std::string name;
  SessionFlaw flaw;
};

class TakenOutOfSessions : public ::testing::TestWithParam<SessionProtection> {};

TEST_P(TakenOutOfSessions, IsNoticedWithinFiveHundredSeeds) {
  std::uint64_t seed = 0;
  while (seed < seeds_until_noticed && !run_session_world({.seed = seed}, GetParam().flaw)) ++seed;
  ASSERT_LT(seed, seeds_until_noticed)
      << GetParam().name << " can be taken out and no law is broken";
  RecordProperty("first_seed", std::to_string(seed));
}

INSTANTIATE_TEST_SUITE_P(
    Protection, TakenOutOfSessions,
    ::testing::Values(SessionProtection{"LostRunsEnd", SessionFlaw::lost_runs_stay},
                      SessionProtection{"TheRunBeforeEnds", SessionFlaw::begins_beside_others},
                      SessionProtection{"WakesAreCounted", SessionFlaw::no_end_of_wakes}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tyer::testing
