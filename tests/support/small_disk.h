// A test on a disk of its own, small enough to fill: a tmpfs that only a forked
// child sees.

#pragma once

#include <functional>
#include <string>

namespace tyer::testing {

inline constexpr int cannot_mount = 77;

// Runs `body` in a forked child that sees an empty file system of `kilobytes`
// at `path`, and answers what it returned; `cannot_mount` if this user may not.
[[nodiscard]] int on_a_small_disk(const std::string& path, int kilobytes,
                                  const std::function<int()>& body);

// Inside such a body.
[[nodiscard]] bool make_read_only(const std::string& path, bool read_only);

}  // namespace tyer::testing
