// Bounds and defaults of the five concepts (law 7), and what must hold between them.

#pragma once

#include <cstddef>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t key_bytes_max = 240;
inline constexpr std::size_t event_body_bytes_max = 256 << 10;
inline constexpr std::size_t state_bytes_max = 512 << 10;
inline constexpr std::size_t actor_bytes_max = 200;
inline constexpr std::size_t change_items_max = 1'000;
inline constexpr std::size_t page_rows_max = 1'000;
inline constexpr std::size_t lock_name_bytes_max = 200;
inline constexpr std::size_t lock_names_max = 100;  // In one decision.
inline constexpr std::size_t waiters_max = 1'000;   // Of one key.

// Full-text search.
inline constexpr std::size_t search_query_bytes_max = 400;
inline constexpr std::size_t search_words_max = 8;
inline constexpr std::size_t search_grams_max = 64;              // Looked up for one query.
inline constexpr std::size_t search_text_bytes_max = 256 << 10;  // Of one text; more is not found.
inline constexpr std::size_t search_rows_max = 2'000;            // Looked at before a page ends.

inline constexpr Span heartbeat_every = 60s;
inline constexpr Span silence_max = 180s;
inline constexpr Span hold_max = 30min;
inline constexpr Span hold_most = 366 * 24h;

// Who waits is heard more often: a stopped waiter holds up those who do not wait.
inline constexpr Span ticket_silence_max = 60s;
inline constexpr Span ticket_hold_max = hold_most;
inline constexpr Span turn_max = 1s;  // To take a free key before others may.

// How far clocks of different machines may be apart: what is said to be later than that is not
// believed.
inline constexpr Span clock_ahead_max = 60s;

// A holder stops trusting its own lease this long before others may take it.
inline constexpr Span trust_margin = 10s;

// PostgreSQL keeps grams of a megabyte for one text, and each has at most three of its characters.
static_assert(3 * search_text_bytes_max < 1 << 20);
static_assert(3 * heartbeat_every <= silence_max, "two beats may be lost");
static_assert(silence_max < hold_max);
static_assert(clock_ahead_max < silence_max, "it may lengthen a silence, not multiply it");
static_assert(heartbeat_every + trust_margin < silence_max);

}  // namespace tyer::limits
