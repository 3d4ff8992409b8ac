// Locks and agents under torture with real processes, shortly: `./dev torture` does it for
// minutes on each store. What is claimed stands in tests/torture/board.h and raid.h.

#include <regex>

#include <gtest/gtest.h>

#include "support/program.h"

namespace tyer::testing {
namespace {

// The number before `what` in a summary; -1 if there is none.
int count(const std::string& text, const std::string& what) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex("(\\d+) " + what))) return -1;
  return std::stoi(found[1]);
}

class Torture : public ::testing::TestWithParam<std::string> {
 protected:
  Program start(const std::string& seconds, const std::string& stampedes,
                const std::string& raids = "0") const {
    return Program({.words = {"--store", GetParam(), "--seconds", seconds, "--stampedes", stampedes,
                              "--raids", raids, "--seed", "1"},
                    .program = TYER_TORTURE});
  }
};

TEST_P(Torture, NeverShowsTwoLiveHoldersAndLeavesNoKeyStuck) {
  const ProgramResult result = start("4", "0").finish();
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.out.starts_with(GetParam() + " torture: 4 s, seed 1, 16 processes, 20 keys;"))
      << result.out;
  for (const char* const what : {"kills", "stops", "leases granted", "takeovers", "orphaned",
                                 "superseded", "checks passed"}) {
    EXPECT_GT(count(result.out, what), 0) << what << " in " << result.out;
  }
  EXPECT_GE(count(result.out, "clock steps"), TYER_FAKE_CLOCKS);
  EXPECT_EQ(count(result.out, "problems"), 0);
}

TEST_P(Torture, OfAStampedeExactlyOneWins) {
  const ProgramResult result = start("0", "50").finish();
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.out.starts_with(GetParam() + " stampedes: 50 of 16 processes, seed 1;"))
      << result.out;
  for (const char* const what : {"winners", "holders killed", "taken over"}) {
    EXPECT_EQ(count(result.out, what), 50) << what << " in " << result.out;
  }
  EXPECT_EQ(count(result.out, "problems"), 0);
}

TEST_P(Torture, WhoeverIsKilledAroundAnAgentItsRunHasOneOutcomeAndNothingIsLeft) {
  const ProgramResult result = start("0", "0", "16").finish();
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.out.starts_with(GetParam() + " raids: 16, seed 1;")) << result.out;
  for (const char* const what : {"starters", "fronts", "keepers", "agents", "lines shown"}) {
    EXPECT_GT(count(result.out, what), 0) << what << " in " << result.out;
  }
  EXPECT_EQ(count(result.out, "problems"), 0);
}

INSTANTIATE_TEST_SUITE_P(On, Torture, ::testing::Values("sqlite", "files", "postgres"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
