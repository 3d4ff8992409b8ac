#include "env/linux_clock.h"

#include <ctime>

#include "base/check.h"

namespace tyer::env {
namespace {

Span read_clock(clockid_t clock) {
  timespec time{};
  TYER_CHECK(clock_gettime(clock, &time) == 0, "Linux has this clock");
  return Span(std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000);
}

}  // namespace

Time LinuxClock::now() const {
  return Time(read_clock(CLOCK_REALTIME));
}

Span LinuxClock::mono() const {
  return read_clock(CLOCK_MONOTONIC);
}

Span LinuxClock::boot_time() const {
  return read_clock(CLOCK_BOOTTIME);
}

}  // namespace tyer::env
