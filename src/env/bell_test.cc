#include "env/bell.h"

#include <gtest/gtest.h>

#include "env/linux_random.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

// One that nobody else on this machine has.
std::string new_name() {
  LinuxRandom random;
  return "test-" + sortable_id("", Time{}, random.bits());
}

TEST(Bell, IsHeardOnceAfterAnyNumberOfRings) {
  const std::string name = new_name();
  const auto bell = Bell::hang(name);
  ASSERT_TRUE(bell);
  EXPECT_FALSE(*wait_readable(bell->fd(), 0us));

  for (int i = 0; i < 1'000; ++i) ring(name);
  EXPECT_TRUE(*wait_readable(bell->fd(), 10s));

  bell->silence();
  EXPECT_FALSE(*wait_readable(bell->fd(), 0us));
}

TEST(Bell, IsNotHeardUnderAnotherName) {
  const std::string name = new_name();
  const auto bell = Bell::hang(name);
  ASSERT_TRUE(bell);

  ring(name + "x");
  ring("");

  EXPECT_FALSE(*wait_readable(bell->fd(), 0us));
}

TEST(Bell, HasANameThatOnlyOneCanHave) {
  const std::string name = new_name();
  EXPECT_FALSE(is_hung(name));
  {
    const auto bell = Bell::hang(name);
    ASSERT_TRUE(bell);
    EXPECT_TRUE(is_hung(name));
    EXPECT_FALSE(Bell::hang(name));
  }
  EXPECT_FALSE(is_hung(name));
  EXPECT_TRUE(Bell::hang(name));
}

}  // namespace
}  // namespace tyer::env
