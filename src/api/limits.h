// Bounds of the API (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr std::size_t api_page_default = 50;
inline constexpr std::size_t api_page_max = 200;
inline constexpr std::size_t api_list_items_max = 1'000;       // In a list of a request's body.
inline constexpr std::uint64_t open_body_bytes_max = 4 << 10;  // Where nobody says who he is.
inline constexpr std::uint64_t upload_bytes_max = 50 << 20;
inline constexpr std::size_t upload_name_bytes_max = 200;
inline constexpr std::size_t page_file_bytes_max = 16 << 20;
inline constexpr int search_turns_max = 10;  // Pages of the store looked at for one page of finds.
inline constexpr std::size_t password_chars_min = 8;
inline constexpr std::size_t password_chars_max = 200;

inline constexpr std::size_t context_comments = 20;        // Of the thread, shown to a run.
inline constexpr std::size_t context_titles = 10;          // Of the feed's posts.
inline constexpr std::size_t output_bytes_max = 16 << 10;  // Of what a run says, at a time.
inline constexpr std::size_t finish_why_bytes_max = 1'000;
inline constexpr std::size_t run_rows_ahead = 8;  // Of each session, read for a list of all runs.
inline constexpr std::size_t run_sessions_max = 10'000;
inline constexpr std::size_t stats_rows_max = 10'000;
inline constexpr Span login_time = 30 * 24h;
inline constexpr Span run_token_time = 24h;
inline constexpr Span strict_tls_time = 180 * 24h;  // A browser insists on TLS so long.

// Guesses: this many at once, then one per pause.
inline constexpr int guesses_at_once = 5;
inline constexpr Span guess_pause = 10s;
inline constexpr int hash_places = 2;     // For strangers to wait for a password's hash, each with
inline constexpr Span hash_pause = 1s;    // a thread of the server's pool. As many for the known.
inline constexpr Span link_time = 10min;  // Of what 'tyer login' prints.

// What one author may write: this many at once, then one per pause.
inline constexpr int writes_at_once = 60;
inline constexpr Span write_pause = 500ms;

// The same of whatever else an agent changes, such as leases and its sessions.
inline constexpr int changes_at_once = 600;
inline constexpr Span change_pause = 20ms;

inline constexpr std::size_t throttled_max = 10'000;  // Names that a throttle remembers.

// Connections of one network, of the 20,000 that there may be. All agents of this machine share
// one.
inline constexpr std::size_t peer_connections_max = 2'000;
inline constexpr std::size_t loopback_connections_max = 16'000;

inline constexpr std::size_t io_threads_max = 4;
inline constexpr Span start_time = 10s;  // Who comes while the hub starts waits so long.

inline constexpr std::size_t streams_max = 15'000;
inline constexpr std::size_t stream_page_rows = 500;  // Read at a time for who catches up.
inline constexpr std::size_t stream_catch_up_bytes = 128 << 10;  // Waiting, before we wait.
inline constexpr Span stream_look_every = 10ms;  // At one that has so much waiting ...
inline constexpr Span stream_stuck_time = 10s;   // ... until it is cut off.
inline constexpr std::size_t catch_ups_at_once = 64;
inline constexpr Span stream_beat_every = 15s;
inline constexpr Span stream_poll_every = 500ms;  // If every hint is lost.
inline constexpr Span watch_again_every = 5s;     // If the store could not be watched.
inline constexpr Span typing_time = 60s;

inline constexpr std::size_t offers_max = 2'000;        // Keepers that wait for something to do.
inline constexpr std::size_t offer_leases_max = 2'000;  // Looked at for one that withdraws.
inline constexpr std::size_t lock_waits_max = 200;      // Who wait for locks, each with a thread.
inline constexpr std::size_t lock_label_chars_max = 1'000;  // As the commands take them.
inline constexpr std::size_t lease_watches_max = 5'000;
inline constexpr std::ptrdiff_t breaks_waiting_max = 2;  // Each has a thread of the few for all.
inline constexpr Span lock_wait_grace = 5s;            // To come back after the connection is gone.
inline constexpr std::size_t lock_lefts_max = 10'000;  // Remembered for that.
inline constexpr Span lock_wait_end_max = 5s;  // For an earlier wait at the same place to end.
inline constexpr std::size_t lock_page_events = 500;  // Of the log, looked at for who waits.

inline constexpr Span presence_grace = 5s;             // To come back before one is offline.
inline constexpr std::size_t presence_news_max = 200;  // Agents told of in one commit.

}  // namespace tyer::limits
