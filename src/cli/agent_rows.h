// The rows of the commands about agents' runs, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"

namespace tyer::cli {

namespace agent_rows {

inline constexpr ExitCode done{0, "done"};
inline constexpr ExitCode wrong{2, "wrong usage or configuration"};
inline constexpr ExitCode unreachable{3, "the store is out of reach or damaged"};
inline constexpr ExitCode none{1, "there is no store, or no such run"};

inline constexpr std::array run_operands{
    Operand{.name = "ARG",
            .help = "More arguments for the agent; the whole command of the back end 'command'",
            .required = false,
            .many = true,
            .rest = true}};
inline constexpr std::array run_options{
    Option{"--backend", "claude|codex|gemini|command|demo", "The agent"},
    Option{"--prompt", "TEXT", "What to do; read from standard input by default"},
    Option{"--prompt-file", "FILE", "The same, in a file"},
    Option{"--resume", "ID", "Go on with this conversation"},
    Option{"--model", "NAME", "The model; the agent's own choice by default"},
    Option{"--permission", "read|edit|all", "What it may do without being asked (read)"},
    Option{"--dir", "DIR", "Where it works; here by default"},
    Option{"--worktree", "NAME", "Work in this worktree, alone; it is made if it is not there"},
    Option{"--base", "REF", "Make the worktree from here, as 'tyer worktree add' does"},
    Option{"--max", "DURATION", "End it after so long (30m)"},
    Option{"--idle", "DURATION", "End it if it says nothing for so long; never by default"},
    Option{"--max-output", "MIB", "End it if it says more than this (256)"},
    Option{"--detach", "", "Print the run's id and leave it to itself"},
};
inline constexpr std::array<std::string_view, 3> run_examples{
    "tyer agent run --backend demo --prompt 'demo: say hello'",
    "echo 'Fix the tests' | tyer agent run --backend claude --permission edit --worktree fix",
    "tyer agent run --backend command --prompt hello -- cat"};
inline constexpr std::array run_codes{
    ExitCode{0, "the agent is done, perhaps without something that it was denied"},
    ExitCode{1, "it failed, crashed or was lost; there is no git repository or REF"},
    wrong,
    ExitCode{3, "the store or the agent's service is out of reach"},
    ExitCode{4, "the agent has no login, key or credit; the worktree is another run's"},
    ExitCode{5, "a limit of time, output, turns or money"},
    ExitCode{130, "it was stopped"}};

inline constexpr std::array keep_operands{keeper_marks};
inline constexpr std::array<std::string_view, 1> keep_examples{"tyer agent keep < job.json"};
inline constexpr std::array keep_codes{done, ExitCode{1, "the keeper died"}, wrong, unreachable,
                                       ExitCode{4, "another run works in the worktree"}};

inline constexpr std::array list_options{
    Option{"--all", "", "Also those that have ended"},
    Option{"--limit", "N", "The newest so many (100)"},
    Option{"--before", "ID", "Those older than this one"},
};
inline constexpr std::array<std::string_view, 3> list_examples{
    "tyer runs list", "tyer runs list --all --json", "tyer runs list --all --limit 20"};
inline constexpr std::array list_codes{done, ExitCode{1, "there is no store"}, wrong, unreachable};

inline constexpr std::array id_operands{
    Operand{.name = "ID", .help = "The run, the beginning of its id, or 'last'"}};
inline constexpr std::array<std::string_view, 2> show_examples{
    "tyer runs show 0190f3c2-7b1a-7c3d-8e4f-0123456789ab", "tyer runs show last"};
inline constexpr std::array show_codes{done, none, wrong, unreachable};
inline constexpr std::array<std::string_view, 1> follow_examples{
    "tyer runs follow 0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
inline constexpr std::array<std::string_view, 1> stop_examples{
    "tyer runs stop 0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
inline constexpr std::array stop_codes{done, none, wrong, unreachable,
                                       ExitCode{4, "it has ended already"}};

}  // namespace agent_rows

inline constexpr Command agent_run{
    "agent run",
    "Agents",
    "Give an agent something to do, and see what it says",
    "The agent runs below a keeper of its own, which outlives this command and leaves no process "
    "behind. What ends abnormally is tried again, three times in all; who says 'later' is asked "
    "again then. Ctrl+C asks it to stop.",
    agent_rows::run_operands,
    agent_rows::run_options,
    agent_rows::run_examples,
    agent_rows::run_codes,
    run_agent_run};

inline constexpr Command agent_keep{
    "agent keep",
    "Agents",
    "Keep an agent's run until it has ended",
    "What 'agent run' leaves behind. Its job comes on standard input.",
    agent_rows::keep_operands,
    {},
    agent_rows::keep_examples,
    agent_rows::keep_codes,
    run_agent_keep,
    true};

inline constexpr Command runs_list{
    "runs list",
    "Agents",
    "List the runs of agents and how they are doing",
    "Like every command about runs it first ends what was left by keepers that were killed.",
    {},
    agent_rows::list_options,
    agent_rows::list_examples,
    agent_rows::list_codes,
    run_runs_list};

inline constexpr Command runs_show{"runs show",
                                   "Agents",
                                   "Show one run, and the evidence of how it is doing",
                                   "",
                                   agent_rows::id_operands,
                                   {},
                                   agent_rows::show_examples,
                                   agent_rows::show_codes,
                                   run_runs_show};

inline constexpr Command runs_follow{
    "runs follow",
    "Agents",
    "See what a run says, from its start until its end",
    "Ends with the exit code that 'agent run' would have. Interrupting it leaves the run alone.",
    agent_rows::id_operands,
    {},
    agent_rows::follow_examples,
    agent_rows::run_codes,
    run_runs_follow};

inline constexpr Command runs_stop{
    "runs stop",
    "Agents",
    "Ask a run to stop",
    "It is asked, has a moment, and is killed with all that it started. A run that has ended is "
    "not stopped again, and neither is the one after it.",
    agent_rows::id_operands,
    {},
    agent_rows::stop_examples,
    agent_rows::stop_codes,
    run_runs_stop};

}  // namespace tyer::cli
