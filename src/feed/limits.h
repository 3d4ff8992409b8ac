// Bounds of feeds, agents and sessions (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t agents_max = 1'000;
inline constexpr std::size_t agent_name_chars_max = 100;
inline constexpr std::size_t session_name_chars_max = 20;
inline constexpr std::size_t feeds_max = 1'000;
inline constexpr std::size_t feed_name_chars_max = 100;
inline constexpr std::size_t title_chars_max = 300;
inline constexpr std::size_t content_bytes_max = 100 << 10;
inline constexpr std::size_t mentions_max = 50;  // Looked at in one text.
inline constexpr std::size_t strangers_max = 5;  // Told of one text: names that are nobody's.
inline constexpr std::size_t strangers_looked_at = 10;  // Each costs a look at every agent's name.
inline constexpr std::size_t stranger_bytes_min = 3;    // Shorter ones are near everything.
inline constexpr std::size_t unserved_told_max = 50;    // Sessions a thread knows to be unserved.
inline constexpr std::size_t budget_threads_max = 20;   // Told at a time that a budget is used up.
inline constexpr std::size_t budget_words_max = 50;  // Of budgets, that a thread keeps for a day.
inline constexpr std::size_t followers_max = 200;    // Sessions that follow one post.
inline constexpr std::size_t answers_max = 100;      // Items that one comment can settle.
inline constexpr std::size_t keys_of_agent_max = 20;
inline constexpr std::size_t logins_ended_at_once = 500;  // In one change, by a new password.
inline constexpr std::size_t shift_items_max = 10;        // Of one thread, that one run answers.
inline constexpr std::size_t shift_looks_max = 20;  // At threads, for one that can be answered.
inline constexpr std::size_t last_shifts_looked_at = 4;   // At a time ...
inline constexpr std::size_t past_shifts_max = 64;        // ... and in all.
inline constexpr std::size_t attempts_looked_at = 64;     // Of a run, for one that has not ended.
inline constexpr std::size_t lost_shifts_max = 100;       // Of one session, ended in one change.
inline constexpr std::size_t open_items_max = 20'000;     // Looked at for who has something to do.
inline constexpr std::size_t running_shifts_max = 1'000;  // Looked at for some that are to end.
inline constexpr Span session_wait_max = 7 * 24h;         // For a service that is used too much ...
inline constexpr Span session_wait_grown_max = 15min;     // ... if it does not say how long ...
inline constexpr std::uint64_t item_waits_max = 20;       // ... and how often, with one item.
inline constexpr std::size_t conversation_bytes_max = 200;
inline constexpr std::int64_t budget_max = 1'000'000'000;
inline constexpr std::size_t agent_setting_words_max = 100;

// Files of one agent. People send what they like.
inline constexpr std::int64_t uploads_of_agent_max = 1'000;
inline constexpr std::int64_t upload_bytes_of_agent_max = 2LL << 30;
inline constexpr std::int64_t upload_bytes_of_day_max = 500LL << 20;

// What a hub may set otherwise.
struct FeedRules {
  std::size_t sessions_max = 5;          // Of one agent, its default session among them.
  std::size_t followed_max = 50;         // By one session; the oldest is dropped.
  std::size_t bot_mentions_max = 4;      // Of agents by agents, under one post ...
  Span bot_window = 5min;                // ... within this time.
  std::size_t author_mentions_max = 60;  // Of agents by one agent within it, under all posts.
  std::size_t wakes_max = 3;             // For one item.
  // Whether a comment that names somebody goes to the followers of its thread, too.
  bool followers_hear_mentions = false;
};

}  // namespace tyer::limits
