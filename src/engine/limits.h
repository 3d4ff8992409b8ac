// Bounds of the moving parts (law 7), and what must hold between them.

#pragma once

#include <cstddef>

#include "core/limits.h"

namespace tyer::limits {

inline constexpr Span poll_every = 500ms;  // When no hint comes.
inline constexpr Span sweep_every = 5s;
inline constexpr std::size_t sweep_rows_max = 500;
inline constexpr Span silence_confirm = 12s;  // Between seeing a silence and believing it.

inline constexpr Span renew_late_max = 1s;  // For the answer to who is out of its time already.

inline constexpr std::size_t pump_events_max = 128;  // A rule sees in one transaction.
inline constexpr int drain_steps_max = 100;  // Of a command that lets rules deal with its events.
inline constexpr int rule_tries_max = 5;
inline constexpr Span rule_retry_first = 100ms;  // Doubled with each try.
inline constexpr Span rule_retry_most = 60s;

inline constexpr std::size_t due_rows_max = 64;  // Timers handled in one transaction.

inline constexpr std::size_t writer_queue_max = 10'000;
inline constexpr Span gather_max = 200us;  // For writers just answered to come back.
inline constexpr std::size_t tail_rows_max = 500;
inline constexpr std::size_t error_bytes_max = 2'000;  // Of a text kept with what was set aside.

inline constexpr Span backoff_first = 50ms;  // Of a loop whose step failed.
inline constexpr Span backoff_most = 5s;

static_assert(sweep_every * 2 < silence_confirm, "a silence is seen more than once");
static_assert(backoff_most * 2 < silence_confirm, "a holder that can beat again has done so");
static_assert(heartbeat_every < silence_max - trust_margin);

}  // namespace tyer::limits
