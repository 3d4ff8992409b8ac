#include "work/result.h"

#include <gtest/gtest.h>

namespace tyer::work {
namespace {

std::string verdict_after(Fault fault) {
  return make_finish({}, Result<run::Kept>(fail(fault, "why")), false).verdict;
}

// What was to be answered is open again at once, and comes before what was written later.
TEST(RunResult, OfARunThatCouldNotBeginIsNobodysJudgement) {
  EXPECT_EQ(verdict_after(Fault::unavailable), "lost");
  EXPECT_EQ(verdict_after(Fault::timeout), "lost");
  EXPECT_EQ(verdict_after(Fault::cancelled), "lost");
}

TEST(RunResult, OfARunThatIsNotPossibleIsAMistake) {
  EXPECT_EQ(verdict_after(Fault::invalid), "mistake");
  EXPECT_EQ(verdict_after(Fault::not_found), "mistake");
}

TEST(RunResult, SaysWhetherTheServiceSaidHowLongToWait) {
  run::Kept kept{.wait = 30s};
  kept.last.outcome = core::Outcome::failed;
  kept.last.report.verdict = backend::Verdict::later;
  EXPECT_TRUE(make_finish({}, Result<run::Kept>(kept), false).wait_grows);
  kept.last.report.wait = 30s;
  EXPECT_FALSE(make_finish({}, Result<run::Kept>(kept), false).wait_grows);
  kept = {};
  EXPECT_FALSE(make_finish({}, Result<run::Kept>(kept), false).wait_grows);
}

}  // namespace
}  // namespace tyer::work
