// Bounds of the command line (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t config_bytes_max = 64 << 10;
inline constexpr std::size_t remark_bytes_max = 16 << 10;
inline constexpr std::size_t log_page_rows = 200;         // Read and printed at a time.
inline constexpr std::uint64_t log_rows_max = 1'000'000;  // For --limit.
inline constexpr std::uint64_t follow_rows = 10;          // Shown before following.
inline constexpr Span follow_every = 250ms;               // A lost hint costs this much.
inline constexpr std::size_t label_bytes_max = 1'000;     // Of --command, --owner, --why.
inline constexpr Span watch_every = 1s;                   // Ages in a live table move on.
inline constexpr Span run_hold_default = 24h;             // Of `tyer run` without --max.
inline constexpr Span run_grace = 5s;                     // Between SIGTERM and SIGKILL.
inline constexpr Span progress_every = 100ms;
inline constexpr Span repository_wait = 10min;  // For others who work on its worktrees.
inline constexpr Span repository_hold = 2h;
inline constexpr std::size_t message_bytes_max = 64 << 10;  // Of --commit.

inline constexpr Span serve_look_every = 1s;              // For a signal.
inline constexpr Span serve_grace = 5s;                   // For requests under way.
inline constexpr std::size_t secret_bytes_max = 4 << 10;  // Of a password on standard input.
inline constexpr int login_turns_max = 1'000;             // To end all logins.
inline constexpr Span stats_span = 7 * 24h;               // Of `tyer stats` without --since.

// Of the commands that talk to a hub.
inline constexpr std::size_t sessions_most = 100;           // For hub.sessions_max.
inline constexpr std::size_t bot_mentions_most = 100;       // For hub.bot_mentions_max.
inline constexpr std::size_t author_mentions_most = 1'000;  // For hub.author_mentions_max.
inline constexpr std::size_t named_max = 5;                 // Named, if a name is not clear.
inline constexpr std::size_t hub_page_rows = 200;           // Asked for at a time.
inline constexpr std::size_t hub_list_rows = 10'000;        // Of a list that is read as a whole.
inline constexpr std::size_t show_rows = 50;                // Of `tyer feed show` without --limit.
inline constexpr std::size_t show_rows_max = 1'000;         // For --limit.
inline constexpr std::size_t tail_entries = 10;             // Of `tyer feed tail` without --last.
inline constexpr std::size_t tail_entries_max = 1'000;      // For --last.
inline constexpr std::size_t tail_pages_max = 50;           // Looked through for them.
inline constexpr std::size_t tail_posts_max = 10'000;       // Whose feed is known from then on.
inline constexpr Span stream_silence_max = 40s;             // Its hub says something every 15 s.
inline constexpr Span reconnect_pause = 250ms;              // Doubled each time, up to ...
inline constexpr Span reconnect_pause_max = 10s;
inline constexpr std::size_t refusal_bytes_max = 64 << 10;  // Of an answer instead of a stream.

inline constexpr std::uint64_t runs_rows = 100;         // Of `tyer runs list` without --limit.
inline constexpr std::uint64_t runs_rows_max = 10'000;  // For --limit.
inline constexpr Span start_look_every = 5ms;           // For a run whose keeper was just started.
inline constexpr std::uint64_t agent_output_mib_max = 1 << 20;  // For --max-output.

// Of what the user has agreed to.
inline constexpr std::size_t agreements_max = 10'000;
inline constexpr std::size_t agreements_bytes_max = 32 << 20;
inline constexpr std::size_t meaning_bytes_max = 1'000;  // Shown of one, and of a path.

// Of the demo agent.
inline constexpr std::size_t demo_prompt_bytes_max = 4 << 20;
inline constexpr std::size_t demo_steps_max = 1'000;
inline constexpr std::uint64_t demo_bytes_max = std::uint64_t{4} << 30;
inline constexpr std::size_t demo_piece_bytes = 256 << 10;  // Of a flood, at a time.
inline constexpr Span demo_span_max = 10min;
inline constexpr Span demo_hang_max = 1h;
inline constexpr std::size_t demo_path_bytes_max = 1'000;
inline constexpr std::size_t demo_id_bytes_max = 80;  // Three times as long as a file's name.
inline constexpr std::size_t demo_file_bytes_max = 4 << 10;
inline constexpr std::size_t demo_conversations_max = 1'000;

}  // namespace tyer::limits
