#include "base/nearest.h"

#include <string>

#include <gtest/gtest.h>

namespace tyer {
namespace {

const std::vector<std::string_view> known{"log", "store check", "version", "completion"};

TEST(Suggestion, IsTheNearestName) {
  EXPECT_EQ(nearest("lgo", known), "log");
  EXPECT_EQ(nearest("verson", known), "version");
  EXPECT_EQ(nearest("store chek", known), "store check");
}

TEST(Suggestion, IsTheOneThatWasBegun) {
  EXPECT_EQ(nearest("compl", known), "completion");
}

TEST(Suggestion, IsMissingWhenNothingIsNear) {
  EXPECT_EQ(nearest("banana", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(10'000, 'x'), known), "");
}

}  // namespace
}  // namespace tyer
