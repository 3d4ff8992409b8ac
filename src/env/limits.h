// Bounds of what we ask of the system (law 7).

#pragma once

#include <cstddef>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t directory_entries_max = 1 << 20;
inline constexpr Span poll_wait_max = 366 * 24h;  // A longer wait is cut to this.
inline constexpr Span reap_wait_max = 10s;        // For a killed child to be gone.
// Between two looks at processes that come and go too quickly to be waited for.
inline constexpr Span tree_pause = 2ms;
inline constexpr std::size_t tree_watch_max = 64;  // Descriptors at a time; the next look has more.
inline constexpr std::size_t environment_bytes_max = 4 << 20;  // Of a process; see marked.h.
inline constexpr Span exec_wait_max = 1s;  // For a process to have its new environment.
inline constexpr std::size_t socket_table_bytes_max = 16 << 20;  // Of the kernel; see local_peer.h.
inline constexpr std::size_t kin_max = 4'096;                    // Processes; see kin.h.
inline constexpr Span file_lock_wait_max = 30s;                  // For another process to let go.
inline constexpr int watch_reads_max = 64;  // Of one wake; what is left wakes again.

}  // namespace tyer::limits
