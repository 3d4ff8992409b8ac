// Bounds of what is asked of git and kept by it (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr Span git_quick_max = 2min;       // A question or a move of a ref.
inline constexpr Span git_slow_max = 20min;       // What reads or writes whole trees, and clone.
inline constexpr Span git_lock_after_note = 30s;  // See repository.cc.
inline constexpr Span git_end_max = 5s;           // After it was told to.
inline constexpr Span git_busy_every = 200ms;     // Somebody is told that it goes on.
inline constexpr std::size_t git_output_max = 64 << 20;
inline constexpr std::size_t git_errors_max = 64 << 10;
inline constexpr std::size_t git_pointer_bytes_max = 8 << 10;  // Of a file that holds a path.
inline constexpr std::size_t git_config_bytes_max = 1 << 20;   // Of a repository's own.
inline constexpr int git_turn_reads_max = 64;                  // More than a pipe holds.

inline constexpr std::size_t tree_name_bytes_max = 100;  // Of each part.
inline constexpr std::size_t revision_bytes_max = 1'000;
inline constexpr std::size_t merge_tries_max = 5;  // While others move the target.

inline constexpr std::size_t walk_items_max = 1'000'000;
inline constexpr std::size_t walk_depth_max = 400;
inline constexpr std::uint64_t rescue_ignored_bytes_max = std::uint64_t{256} << 20;
inline constexpr std::size_t rescue_file_bytes_max = 64 << 20;  // Of git's own about a tree.
inline constexpr std::size_t rescue_parents_max = 64;           // Of one commit.
inline constexpr std::size_t rescue_looks_max = 5;              // At a tree that keeps changing.

}  // namespace tyer::limits
