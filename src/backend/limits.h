// Bounds of what agents may say and of how often they are asked (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

// Of a task. claude takes 10 MB on standard input.
inline constexpr std::size_t prompt_bytes_max = 4 << 20;
inline constexpr std::size_t system_bytes_max = 1 << 20;
inline constexpr std::size_t agent_word_bytes_max = 200;  // A model, a tool, a conversation's id.
inline constexpr std::size_t agent_words_max = 200;
inline constexpr std::size_t agent_help_bytes_max = 256 << 10;

// Of output. A line over its bound is left out but for its start.
inline constexpr std::size_t agent_line_bytes_max = 8 << 20;
inline constexpr std::size_t agent_line_values_max = 100'000;  // Each costs 100 bytes or so.
inline constexpr std::size_t agent_errors_bytes_max = 64 << 10;
inline constexpr std::size_t note_bytes_max = 16 << 10;
inline constexpr std::size_t answer_bytes_max = 256 << 10;
inline constexpr std::size_t why_bytes_max = 400;
inline constexpr std::size_t denied_tools_max = 50;
inline constexpr std::size_t open_tools_max = 200;  // Used, and their result not seen yet.
inline constexpr std::int64_t agent_count_max = 1'000'000'000'000;  // Tokens; more is a lie.
inline constexpr double agent_cost_usd_max = 1e6;

// Of trying again.
inline constexpr int attempts_max = 3;  // Runs in all that may end abnormally.
inline constexpr int waits_max = 20;    // In a row, for a service that says "later".
inline constexpr Span wait_said_max = 7 * 24h;
inline constexpr Span wait_unsaid = 30s;  // Doubled each time.
inline constexpr Span wait_unsaid_max = 15min;

static_assert(note_bytes_max < answer_bytes_max);
static_assert(answer_bytes_max < agent_line_bytes_max);
static_assert(wait_unsaid < wait_unsaid_max && wait_unsaid_max < wait_said_max);

}  // namespace tyer::limits
