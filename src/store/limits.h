// Bounds of the stores (law 7).

#pragma once

#include <cstddef>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t batch_works_max = 256;  // Works that share a commit.
inline constexpr std::size_t store_readers_max = 4;  // Connections for reading.
// More than a hub has threads: none of them waits for another, nor a small read for a large one.
inline constexpr std::size_t sqlite_readers_max = 24;
inline constexpr Span store_wait_max = 30s;  // For a lock or a busy database.
inline constexpr Span store_connect_max = 10s;
inline constexpr int pooler_looks = 3;                    // Whether a pooler keeps sessions apart.
inline constexpr std::size_t recent_bytes_max = 8 << 20;  // Subjects kept in mind.
inline constexpr int search_tail_max = 16;                // Texts that are not indexed yet.
inline constexpr std::size_t lock_file_bytes_max = 64 << 10;
inline constexpr std::size_t record_file_bytes_max = 1 << 20;
inline constexpr std::size_t journal_bytes_max = 8 << 20;  // Before it is folded away.
inline constexpr int snapshot_tries_max = 3;
// Who had a SQLite store open for so long does not notice that its log is folded when it is closed.
inline constexpr Span open_for_long = 1s;

inline constexpr std::size_t upload_piece_bytes = 512 << 10;  // Held in memory at a time.
inline constexpr std::size_t uploads_max = 1'000'000;         // Of one store, to be listed.

inline constexpr int door_tries_max = 100;  // Before a writer goes to sleep.

}  // namespace tyer::limits
