// The rows of the commands about workers, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"
#include "cli/hub_rows.h"

namespace tyer::cli::work_rows {

inline constexpr Option max_runs_option{"--max-runs", "N", "How many runs at a time (8)"};

inline constexpr std::array worker_options{
    Option{"--session", "NAME", "Which session (TYER_SESSION, or the default one)"},
    Option{"--all-sessions", "", "All sessions of the agent, also those that are made later"},
    Option{"--all-agents", "", "All agents whose keys are in TYER_API_KEYS"},
    max_runs_option,
    hub_rows::url_option,
};
inline constexpr std::array<std::string_view, 2> worker_examples{
    "TYER_API_KEY=ty_… tyer worker --url http://127.0.0.1:7420 --all-sessions",
    "tyer worker --max-runs 4"};
inline constexpr std::array worker_codes{
    ExitCode{0, "it was told to leave"}, ExitCode{1, "there is no such session"},
    ExitCode{2, "wrong usage or configuration"},
    ExitCode{3, "the hub or the store is out of reach"}, ExitCode{4, "the key is not good"}};
inline constexpr Command worker{
    .name = "worker",
    .group = "Hub",
    .summary = "Run agents for what is written to them",
    .details =
        "Serves the session of an agent whose key is in TYER_API_KEY, one run at a time, wherever "
        "else it is served. Without a hub's address, a key or a session it works on the store, for "
        "all agents there. "
        "What it has started goes on if it dies. The first Ctrl+C lets runs under way finish for "
        "five minutes, the second ends them.",
    .operands = {},
    .options = worker_options,
    .examples = worker_examples,
    .exit_codes = worker_codes,
    .run = run_worker,
    .hides = true};

inline constexpr std::array keep_operands{keeper_marks};
inline constexpr std::array<std::string_view, 1> keep_examples{"tyer worker-keep < order.json"};
inline constexpr std::array keep_codes{ExitCode{0, "the run has ended, whatever came of it"},
                                       ExitCode{2, "wrong usage, or not an order"},
                                       ExitCode{3, "the hub or the store is out of reach"},
                                       ExitCode{80, "there was nothing to do"},
                                       ExitCode{81, "somebody else does it"},
                                       ExitCode{82, "the budget of the day is used up"}};
inline constexpr Command worker_keep{
    .name = "worker-keep",
    .group = "Hub",
    .summary = "Do one run for a session",
    .details = "What 'tyer worker' starts for each run. It reads its order from standard input.",
    .operands = keep_operands,
    .options = {},
    .examples = keep_examples,
    .exit_codes = keep_codes,
    .run = run_worker_keep,
    .hides = true};

inline constexpr std::array up_options{hub_rows::serve_options[0],
                                       hub_rows::serve_options[1],
                                       hub_rows::serve_options[2],
                                       hub_rows::serve_options[3],
                                       hub_rows::serve_options[4],
                                       hub_rows::serve_options[5],
                                       max_runs_option};
inline constexpr std::array<std::string_view, 2> up_examples{"tyer up", "tyer up --open-loopback"};
inline constexpr Command up{.name = "up",
                            .group = "Hub",
                            .summary = "Run the hub and its agents: all you need on one machine",
                            .details =
                                "On a store that never had any it makes a feed and a demo agent "
                                "that needs no key. It serves all agents "
                                "of the store; more workers, here or elsewhere, share the work.",
                            .operands = {},
                            .options = up_options,
                            .examples = up_examples,
                            .exit_codes = hub_rows::serve_codes,
                            .run = run_up,
                            .hides = true};

inline constexpr std::array stats_options{
    Option{"--since", "DAY", "The first day, like 2026-11-15 (a week ago)"},
    Option{"--by", "agent|session|day", "What is added up (agent)"},
    hub_rows::url_option,
};
inline constexpr std::array<std::string_view, 2> stats_examples{"tyer stats",
                                                                "tyer stats --by day --json"};
inline constexpr Command stats{
    .name = "stats",
    .group = "Hub",
    .summary = "Show what agents have used: runs, tokens and money",
    .details = "Days are those of UTC. Money is what the agents' programs say; not all do.",
    .operands = {},
    .options = stats_options,
    .examples = stats_examples,
    .exit_codes = hub_rows::codes,
    .run = run_stats};

}  // namespace tyer::cli::work_rows
