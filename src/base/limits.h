// Bounds that belong to no feature (law 7).

#pragma once

#include <cstddef>

namespace tyer::limits {

inline constexpr std::size_t json_depth_max = 64;
inline constexpr std::size_t json_bytes_max = 1 << 20;

}  // namespace tyer::limits
