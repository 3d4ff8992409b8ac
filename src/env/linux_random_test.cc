#include "env/linux_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace tyer::env {
namespace {

TEST(LinuxRandom, FillsMoreThanTheKernelGivesAtOnce) {
  LinuxRandom random;
  std::vector<std::uint8_t> bytes(1 << 20, 0);
  random.fill(bytes);

  // The chance that the last 32 bytes are zero is nil.
  EXPECT_TRUE(std::any_of(bytes.end() - 32, bytes.end(), [](auto byte) { return byte != 0; }));
}

TEST(LinuxRandom, FillsNothingIfAskedForNothing) {
  LinuxRandom random;
  random.fill({});
}

TEST(LinuxRandom, DoesNotRepeatItself) {
  LinuxRandom random;
  std::set<RandomBits> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.bits());

  EXPECT_EQ(seen.size(), 1000U);
}

TEST(LinuxRandom, StaysBelowItsBoundAndReachesAllOfIt) {
  LinuxRandom random;
  std::array<int, 3> count{};
  for (int i = 0; i < 1000; ++i) ++count.at(random.below(3));

  for (const int times : count) EXPECT_GT(times, 100);
}

}  // namespace
}  // namespace tyer::env
