// Bounds of waiting and keeping (law 7).

#pragma once

#include "core/limits.h"

namespace tyer::limits {

inline constexpr std::size_t idle_watches_max = 8;  // Kept for the next wait.
inline constexpr Span ttl_least = 1s;               // It is renewed three times as often.
inline constexpr Span wait_look_every = 10s;        // If no wake-up comes.
inline constexpr Span wait_retry_every = 500ms;     // While the store is out of reach.
inline constexpr Span wait_behind_every = 2s;       // With somebody before us, who rings.
inline constexpr Span wait_blind_every = 20ms;      // In a store that cannot wake.
inline constexpr Span keep_start_max = 2min;        // For a store that is out of reach.
inline constexpr Span keep_look_every = 1s;         // At most so often does a keeper look.

inline constexpr Span break_wait_max = 8s;                // For the end of who loses its lock.
inline constexpr Span stand_in_max = 2 * break_wait_max;  // That keeps others out until then.

// Of what is asked through a hub.
inline constexpr Span hub_answer_max = 10s;     // For a plain question.
inline constexpr Span hub_silence_max = 40s;    // One who waits there is told something more often.
inline constexpr Span hub_retry_first = 100ms;  // Doubled each time, up to ...
inline constexpr Span hub_retry_most = 2s;
inline constexpr Span hub_release_max = 2s;  // Attempts at giving a lock back.
inline constexpr std::size_t hub_answer_bytes_max = 16 << 20;
inline constexpr std::size_t place_bytes_max = 29;  // The id of one who waits, within a key.

static_assert(break_wait_max < hub_answer_max, "a hub waits for it before it answers");
static_assert(2 * wait_look_every < hub_silence_max);
static_assert(hub_retry_most * 3 < ticket_silence_max, "who comes back still has its place");
// A ticket is "wait/lock/NAME/PLACE".
static_assert(lock_name_bytes_max + place_bytes_max + 11 <= key_bytes_max);

}  // namespace tyer::limits
