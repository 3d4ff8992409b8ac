// The rows of the commands about the hub and its agents, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"

namespace tyer::cli::hub_rows {

inline constexpr Option url_option{
    "--url", "URL", "The hub, like http://127.0.0.1:7420; the store itself by default"};
inline constexpr ExitCode done{0, "done"};
inline constexpr ExitCode none{1, "there is no such thing, or no store"};
inline constexpr ExitCode wrong{2, "wrong usage, input or configuration"};
inline constexpr ExitCode unreachable{3, "the hub or the store is out of reach"};
inline constexpr ExitCode refused{4, "not allowed, or not as things are"};
inline constexpr ExitCode at_limit{5, "a limit of time, size or number"};
inline constexpr std::array codes{done, none, wrong, unreachable, refused, at_limit};
inline constexpr std::array only_url{url_option};
inline constexpr std::array sure_options{Option{"--yes", "", "Do not ask"}, url_option};
inline constexpr ExitCode unsure{1, "there is no such thing, or no store; the answer was no"};
inline constexpr std::array sure_codes{done, unsure, wrong, unreachable, refused, at_limit};

inline constexpr std::array serve_options{
    Option{"--listen", "ADDRESS:PORT", "Where it listens (127.0.0.1:7420)"},
    Option{"--host", "NAME:PORT", "More names it is called by, with commas, as behind a proxy"},
    Option{"--open-loopback", "", "No login: whoever is on this machine is the admin"},
    Option{"--tls-cert", "FILE", "Certificates in PEM, the hub's own first"},
    Option{"--tls-key", "FILE", "Their key"},
    Option{"--web-dir", "DIR", "The page from this folder, for those who work on it"},
};
inline constexpr std::array<std::string_view, 2> serve_examples{
    "tyer serve", "tyer serve --listen 127.0.0.1:0 --open-loopback"};
inline constexpr std::array serve_codes{
    ExitCode{0, "it was told to stop"}, ExitCode{2, "wrong usage or configuration"},
    ExitCode{3, "the store is out of reach, or the address is taken"}};

inline constexpr Command serve{
    .name = "serve",
    .group = "Hub",
    .summary = "Run the hub: the API, the event stream and the page",
    .details =
        "People and agents meet here. It keeps everything in the store; it may be ended and "
        "started again at any time, and several may run on one PostgreSQL.",
    .operands = {},
    .options = serve_options,
    .examples = serve_examples,
    .exit_codes = serve_codes,
    .run = run_serve,
    .hides = true};

inline constexpr std::array agent_operands{
    Operand{.name = "NAME", .help = "The agent's name, or its id"}};

inline constexpr Operand command_operand{.name = "CMD",
                                         .help =
                                             "Of type command: the program and its words; of "
                                             "claude, codex and gemini: more arguments",
                                         .required = false,
                                         .many = true,
                                         .rest = true};
inline constexpr std::array set_operands{
    Operand{.name = "NAME", .help = "The agent's name, or its id"}, command_operand};
inline constexpr std::array new_agent_operands{
    Operand{.name = "NAME",
            .help = "What it is called: at most 100 characters, without '/' and '@'"},
    command_operand};
inline constexpr Option type_option{"--type", "claude|codex|gemini|command|demo",
                                    "Its program (claude)"};
inline constexpr Option dir_option{"--dir", "DIR", "Where its runs work; where the worker is"};
inline constexpr Option model_option{"--model", "NAME",
                                     "The model; the program's own choice by default"};
inline constexpr Option permission_option{"--permission", "read|edit|all",
                                          "What it may do without being asked (read)"};
inline constexpr Option worktree_option{"--worktree", "yes|no",
                                        "A git worktree for each session (no)"};
inline constexpr Option pass_option{"--pass-env", "NAMES",
                                    "Variables of the worker that its runs see, with commas"};
inline constexpr Option minutes_option{"--max-minutes", "N", "How long a run may take (30)"};
inline constexpr Option runs_option{"--runs-per-day", "N", "Its budget of runs; 0: none"};
inline constexpr Option cents_option{"--cents-per-day", "N", "Its budget of US cents; 0: none"};
inline constexpr Option session_runs_option{"--session-runs-per-day", "N",
                                            "The same for each session"};
inline constexpr Option session_cents_option{"--session-cents-per-day", "N",
                                             "The same for each session"};
inline constexpr Option anyway_option{"--force", "",
                                      "Also if its directory or program is not on this machine"};
inline constexpr std::array add_options{
    type_option,          dir_option,     model_option, permission_option, worktree_option,
    pass_option,          minutes_option, runs_option,  cents_option,      session_runs_option,
    session_cents_option, anyway_option,  url_option,
};
inline constexpr std::array set_options{
    Option{"--rename", "NAME", "What it is called from now on"},
    type_option,
    dir_option,
    model_option,
    permission_option,
    worktree_option,
    pass_option,
    minutes_option,
    runs_option,
    cents_option,
    session_runs_option,
    session_cents_option,
    anyway_option,
    url_option,
};
inline constexpr std::array<std::string_view, 2> add_examples{
    "tyer agent add research-bot --type claude --dir . --permission edit",
    "tyer agent add echo --type demo --json"};
inline constexpr Command agent_add{
    .name = "agent add",
    .group = "Hub",
    .summary = "Make an agent and its key",
    .details =
        "Prints the key, which is shown this once. It belongs in the agent's environment "
        "as TYER_API_KEY, the hub's address as TYER_URL.",
    .operands = new_agent_operands,
    .options = add_options,
    .examples = add_examples,
    .exit_codes = codes,
    .run = run_agent_add};

inline constexpr std::array<std::string_view, 2> set_examples{
    "tyer agent set research-bot --runs-per-day 50 --cents-per-day 500",
    "tyer agent set research-bot --permission edit --worktree yes"};
inline constexpr Command agent_set{
    .name = "agent set",
    .group = "Hub",
    .summary = "Change how an agent works and what it may use",
    .details =
        "What is changed counts from the next run on. Budgets are those of a day (UTC): when one "
        "is "
        "used up, what is written to the agent waits, and the thread says so.",
    .operands = set_operands,
    .options = set_options,
    .examples = set_examples,
    .exit_codes = codes,
    .run = run_agent_set};

inline constexpr std::array<std::string_view, 2> agents_examples{"tyer agent list",
                                                                 "tyer agent list --json"};
inline constexpr Command agent_list{.name = "agent list",
                                    .group = "Hub",
                                    .summary = "List the agents",
                                    .details = "",
                                    .operands = {},
                                    .options = only_url,
                                    .examples = agents_examples,
                                    .exit_codes = codes,
                                    .run = run_agent_list};

inline constexpr std::array key_options{
    Option{"--list", "", "The keys it has, without their secrets"},
    Option{"--revoke", "ID", "End this key; its streams end within a second"},
    url_option,
};
inline constexpr std::array<std::string_view, 3> key_examples{
    "tyer agent key research-bot", "tyer agent key research-bot --list",
    "tyer agent key research-bot --revoke cr_01kb2v6d9s0q8t5n3m1x7c4z2f"};
inline constexpr Command agent_key{
    .name = "agent key",
    .group = "Hub",
    .summary = "Make one more key for an agent, list its keys, or revoke one",
    .details = "To replace a key: make one, give it to the agent, revoke the old one.",
    .operands = agent_operands,
    .options = key_options,
    .examples = key_examples,
    .exit_codes = codes,
    .run = run_agent_key};

inline constexpr std::array<std::string_view, 2> remove_examples{
    "tyer agent remove research-bot", "tyer agent remove research-bot --yes"};
inline constexpr Command agent_remove{
    .name = "agent remove",
    .group = "Hub",
    .summary = "Delete an agent with its sessions and keys",
    .details =
        "What it wrote stays. Says what is deleted and asks; without a terminal it needs "
        "--yes.",
    .operands = agent_operands,
    .options = sure_options,
    .examples = remove_examples,
    .exit_codes = sure_codes,
    .run = run_agent_remove};

}  // namespace tyer::cli::hub_rows
