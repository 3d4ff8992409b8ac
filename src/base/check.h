// Checks for bugs. They stay on in release: leases and the log make a restart
// cheap, and going on with a broken assumption is what loses work.

#pragma once

#include <string_view>

namespace tyer {

inline constexpr int exit_bug = 70;

// Prints what failed and where, then ends the process with `exit_bug`.
[[noreturn]] void check_failed(std::string_view what, const char* file, int line);

}  // namespace tyer

// `what` names the law or the assumption: TYER_CHECK(ok, "law 1: one lease per key").
#define TYER_CHECK(condition, what)                     \
  do {                                                  \
    if (!(condition)) [[unlikely]]                      \
      ::tyer::check_failed((what), __FILE__, __LINE__); \
  } while (false)
