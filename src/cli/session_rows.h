// The rows of the commands about the sessions of agents, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"
#include "cli/hub_rows.h"

namespace tyer::cli::session_rows {

using hub_rows::agent_operands;
using hub_rows::codes;
using hub_rows::only_url;
using hub_rows::url_option;

inline constexpr std::array sessions_options{
    Option{"--add", "SESSION", "Make a session: 1 to 20 of a-z, A-Z, 0-9, 가-힣, _ and -"},
    Option{"--remove", "SESSION", "Delete one"},
    url_option,
};
inline constexpr std::array<std::string_view, 3> sessions_examples{
    "tyer agent sessions research-bot", "tyer agent sessions research-bot --add deploy",
    "tyer agent sessions research-bot --remove deploy"};
inline constexpr Command list{
    .name = "agent sessions",
    .group = "Hub",
    .summary = "List the sessions of an agent, make one, or delete one",
    .details =
        "A session is one of its conversations. What a deleted one had to answer goes to "
        "the default one.",
    .operands = agent_operands,
    .options = sessions_options,
    .examples = sessions_examples,
    .exit_codes = codes,
    .run = run_agent_sessions};

inline constexpr std::array follow_operands{
    Operand{.name = "SESSION", .help = "AGENT/NAME, AGENT for its default session, or an id, ss_…"},
    Operand{.name = "POST", .help = "The post's id"}};
inline constexpr std::array<std::string_view, 2> follow_examples{
    "tyer agent follow research-bot ps_01kb2v6d9s0q8t5n3m1x7c4z2f",
    "tyer agent follow research-bot/deploy ps_01kb2v6d9s0q8t5n3m1x7c4z2f"};
inline constexpr Command follow{
    .name = "agent follow",
    .group = "Hub",
    .summary = "Let a session follow a thread",
    .details =
        "Comments there that mention nobody are for it from now on. A mention there does the same.",
    .operands = follow_operands,
    .options = only_url,
    .examples = follow_examples,
    .exit_codes = codes,
    .run = run_agent_follow};

inline constexpr std::array<std::string_view, 2> unfollow_examples{
    "tyer agent unfollow research-bot ps_01kb2v6d9s0q8t5n3m1x7c4z2f",
    "tyer agent unfollow research-bot/deploy ps_01kb2v6d9s0q8t5n3m1x7c4z2f"};
inline constexpr Command unfollow{
    .name = "agent unfollow",
    .group = "Hub",
    .summary = "Let a session follow a thread no longer",
    .details =
        "Comments there wake it only if they mention it; then it follows again, as it does when it "
        "writes there. What is open for it stays open.",
    .operands = follow_operands,
    .options = only_url,
    .examples = unfollow_examples,
    .exit_codes = codes,
    .run = run_agent_unfollow};

}  // namespace tyer::cli::session_rows
