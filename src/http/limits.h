// Bounds of HTTP that nobody configures (law 7). Those of one server are in server.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t http_read_bytes = 64 << 10;  // At a time, and of a file sent.
inline constexpr int http_reads_max = 16;                 // In a row, before others have a turn.
inline constexpr int http_accepts_max = 64;               // The same for new connections.
inline constexpr std::size_t http_join_bytes = 64 << 10;  // A body up to this goes with its head.
inline constexpr std::size_t http_usual_head = 512;       // What is made room for at once.
inline constexpr std::size_t http_target_max = 8 << 10;

// A body gets its time plus this long per byte that came: 64 KiB a second is enough for ever.
inline constexpr std::uint64_t http_body_rate = 64 << 10;

// After the last answer we read on, or unread bytes would make the system throw it away.
inline constexpr Span http_linger_time = 2s;
inline constexpr std::size_t http_linger_bytes = 1 << 20;

inline constexpr std::size_t http_turned_away_max = 256;  // Told so at a time; more are closed.
inline constexpr Span http_accept_pause = 100ms;          // When descriptors have run out.
inline constexpr Span http_tick_max = 250ms;              // Deadlines are met to this.
inline constexpr Span http_tick_min = 10ms;

inline constexpr std::size_t http_answer_head_max = 64 << 10;  // Of what a client reads.
inline constexpr int http_interim_max = 8;                     // Answers 1xx before the real one.
inline constexpr std::size_t http_event_max = 1 << 20;         // Of a stream, as a client reads it.

}  // namespace tyer::limits
