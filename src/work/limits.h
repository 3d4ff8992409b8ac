// Bounds of workers (law 7).

#pragma once

#include <cstddef>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t prompt_line_bytes = 300;
inline constexpr std::size_t prompt_context_bytes = 8 << 10;  // Of one text around.
inline constexpr std::size_t prompt_item_bytes = 128 << 10;   // Of one that is to be answered.
inline constexpr std::size_t skill_bytes_max = 512 << 10;
inline constexpr std::size_t order_bytes_max = 1 << 20;  // Most of it is the environment.

inline constexpr std::size_t runs_at_once = 8;  // Of one worker, if nobody says.
inline constexpr std::size_t runs_at_once_max = 1'000;
inline constexpr Span work_look_every = 10s;  // If every event is lost (W14).
inline constexpr int look_rest = 4;         // Times what a look at the work took, before the next.
inline constexpr Span settle_every = 1min;  // Between looks for what dead runs have left.
inline constexpr Span offer_pause = 50ms;   // Before the next keeper offers itself.
inline constexpr Span given_wait = 100ms;   // For who offers itself to say what it was given.
inline constexpr std::size_t given_bytes_max = 4 << 10;
inline constexpr Span restart_pause = 1s;       // After a run that could not begin ...
inline constexpr Span restart_pause_max = 60s;  // ... doubled each time, up to this ...
inline constexpr Span restart_forgiven = 60s;   // ... and forgotten after this.
inline constexpr Span busy_pause = 200ms;       // Before a session is looked at that was busy.
inline constexpr Span spare_end_max = 2s;       // For a keeper that is not needed to end.
inline constexpr Span leave_time = 5min;        // For runs under way (W13, H14) ...
inline constexpr Span end_wait = 15s;      // ... and once they are asked; then they are killed.
inline constexpr Span finish_wait = 5min;  // For a hub that is away when a run ends.
inline constexpr Span answer_time = 30s;   // For an answer of the hub.
inline constexpr Span begin_wait = 20s;    // For one that is away when it begins.
inline constexpr Span reconnect_first = 100ms;
inline constexpr Span reconnect_most = 10s;
inline constexpr Span stream_silence = 40s;  // The hub says something every 15 s.
inline constexpr std::size_t heard_max = 1'000;
inline constexpr std::size_t row_words_bytes = 200;  // Of what a session works on, to be shown.
inline constexpr Span narrate_every = 1s;
inline constexpr std::size_t narrate_bytes = 8 << 10;  // At a time; the newest.
inline constexpr int narrate_times_max = 500;          // In one run; then its transcript tells.

}  // namespace tyer::limits
