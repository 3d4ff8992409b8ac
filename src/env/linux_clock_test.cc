#include "env/linux_clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace tyer::env {
namespace {

TEST(LinuxClock, TellsTheSystemsTime) {
  const std::time_t before = std::time(nullptr);
  const Time now = LinuxClock().now();
  const std::time_t after = std::time(nullptr);

  // std::time may lag by a tick of the kernel.
  EXPECT_GE(to_micros(now) / 1'000'000, before - 1);
  EXPECT_LE(to_micros(now) / 1'000'000, after + 1);
}

TEST(LinuxClock, NeverRunsBackwards) {
  const LinuxClock clock;
  Span last = clock.mono();
  for (int i = 0; i < 1000; ++i) {
    const Span next = clock.mono();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(LinuxClock, CountsSuspensionInBootTimeOnly) {
  const LinuxClock clock;
  const Span mono = clock.mono();

  EXPECT_GE(clock.boot_time(), mono);
}

}  // namespace
}  // namespace tyer::env
