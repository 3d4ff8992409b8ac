// Bounds of the command line (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t config_bytes_max = 64 << 10;
inline constexpr std::size_t log_page_rows = 200;         // Read and printed at a time.
inline constexpr std::uint64_t log_rows_max = 1'000'000;  // For --limit.
inline constexpr std::uint64_t follow_rows = 10;          // Shown before following.
inline constexpr Span follow_every = 250ms;               // A lost hint costs this much.
inline constexpr std::size_t label_bytes_max = 1'000;     // Of --command, --owner, --why.
inline constexpr Span watch_every = 1s;                   // Ages in a live table move on.
inline constexpr Span run_hold_default = 24h;             // Of `tyer run` without --max.
inline constexpr Span run_grace = 5s;                     // Between SIGTERM and SIGKILL.
inline constexpr Span progress_every = 100ms;

}  // namespace tyer::limits
