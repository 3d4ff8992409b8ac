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

}  // namespace tyer::limits
