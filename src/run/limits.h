// Bounds of runs (law 7).

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace tyer::limits {

inline constexpr Span run_wall = 30min;                                      // If nobody says.
inline constexpr std::uint64_t run_output_bytes = std::uint64_t{256} << 20;  // The same.
inline constexpr Span agent_grace = 5s;      // Between asking and killing.
inline constexpr Span leftover_grace = 1s;   // For what an agent left behind when it ended.
inline constexpr Span run_look_every = 1s;   // For a stop whose ring was lost.
inline constexpr Span short_wait_max = 10s;  // For a service, in a run that has a place of others.
inline constexpr Span run_write_wait = 60s;  // For a store that is away when a run ends.
// For one that is prepared where nobody of us sees who does it; a large worktree takes a while.
inline constexpr Span start_wait_max = 1h;
inline constexpr Span feature_wait = 20s;       // For a program to say what it can.
inline constexpr Span features_good_for = 24h;  // What it said; its file may start another one.
inline constexpr std::size_t features_kept_max = 8;  // Programs of which that is known.
inline constexpr std::size_t features_file_bytes_max = 32 << 20;
inline constexpr int drain_reads_max = 64;  // Of what is left in a pipe when all are gone.
inline constexpr int turn_reads_max = 16;   // Of one pipe before the others have their turn.
inline constexpr std::size_t read_bytes = 64 << 10;
inline constexpr int keeper_block_bytes = 256 << 10;  // Of memory; larger ones are not hoarded.

inline constexpr std::size_t job_bytes_max = 64 << 20;  // JSON can be six times its text.
inline constexpr std::size_t prompt_excerpt_bytes = 200;
inline constexpr std::size_t directory_bytes_max = 4'000;  // As it is recorded.
inline constexpr std::size_t run_why_bytes = 1'000;

// On disk, of each run. Of raw output the newest is kept: between one half and all of it.
inline constexpr std::uint64_t transcript_bytes_max = 32 << 20;
inline constexpr std::uint64_t raw_output_bytes_max = 8 << 20;
inline constexpr std::uint64_t raw_errors_bytes_max = 1 << 20;
inline constexpr std::size_t run_folders_kept = 500;     // The newest, if nobody says.
inline constexpr std::size_t run_folders_max = 100'000;  // For who says.
inline constexpr std::size_t prune_looks_max = 100;      // At a time.
inline constexpr std::size_t transcript_page_bytes = 256 << 10;

inline constexpr std::size_t kin_bytes_max = 1 << 20;  // Of processes that are recorded.
inline constexpr std::size_t settle_rows_max = 200;    // At a time.
inline constexpr std::size_t candidates_max = 5;       // Named if the beginning of an id is many's.

// What makes a silence worth a word.
inline constexpr Span fresh_output = 30s;
inline constexpr Span quiet_after = 2min;
inline constexpr Span hung_after = 10min;
inline constexpr Span health_window = 200ms;  // In which the use of a processor is measured.

static_assert(leftover_grace < agent_grace);
static_assert(fresh_output < quiet_after && quiet_after < hung_after);

}  // namespace tyer::limits
