#include "base/check.h"

#include <gtest/gtest.h>

namespace tyer {
namespace {

void expect_one_lease(int leases) {
  TYER_CHECK(leases == 1, "law 1: one lease per key");
}

TEST(Check, LetsWhatHoldsPass) {
  expect_one_lease(1);

  SUCCEED();
}

// P1: 70 is a bug of ours, and no fault exits with it.
TEST(CheckDeathTest, EndsTheProcessWith70AndNamesTheLawAndThePlace) {
  EXPECT_EXIT(expect_one_lease(2), testing::ExitedWithCode(70),
              "this is a bug: law 1: one lease per key .*check_test.cc:");
}

TEST(Check, EvaluatesItsConditionOnce) {
  int evaluated = 0;

  TYER_CHECK(++evaluated == 1, "once");

  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace tyer
