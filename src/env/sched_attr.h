// What sched_getattr(2) and sched_setattr(2) talk of, for which the C library has no words.

#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace tyer::env {

struct SchedAttr {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime;  // Of one that shares processors fairly: its turn, in nanoseconds.
  std::uint64_t deadline;
  std::uint64_t period;
  std::uint32_t util_min;
  std::uint32_t util_max;

  static constexpr std::uint64_t reset_on_fork = 1;  // In `flags`.
};

// Of thread `pid`, or the calling one. Whether it could be done.
[[nodiscard]] inline bool get_attr(SchedAttr& its, int pid = 0) {
  return ::syscall(SYS_sched_getattr, pid, &its, sizeof its, 0) == 0;
}

[[nodiscard]] inline bool set_attr(const SchedAttr& its, int pid = 0) {
  return ::syscall(SYS_sched_setattr, pid, &its, 0) == 0;
}

}  // namespace tyer::env
