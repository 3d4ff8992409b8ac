// The rows of the commands that set tyer up and explain it, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"

namespace tyer::cli::setup_rows {

inline constexpr std::array plain_codes{ExitCode{0, "done"},
                                        ExitCode{2, "wrong usage or configuration"}};

inline constexpr std::array<std::string_view, 2> init_examples{"tyer init", "tyer init --json"};
inline constexpr std::array init_codes{
    ExitCode{0, "it is there, made now or before"}, ExitCode{2, "wrong usage or configuration"},
    ExitCode{3, "it cannot be made there"}, ExitCode{5, "a full disk"}};
inline constexpr Command init{
    .name = "init",
    .group = "Setup",
    .summary = "Make the workspace of this repository",
    .details =
        "Makes .tyer with a store and an empty configuration in the main checkout of the "
        "repository, which all its worktrees and directories share; outside git, here. The first "
        "command that writes would make one as well, but only if there is none above. One that is "
        "there already is left as it is.",
    .operands = {},
    .options = {},
    .examples = init_examples,
    .exit_codes = init_codes,
    .run = run_init};

inline constexpr std::array trust_operands{
    Operand{.name = "DIR", .help = "The directory; here, if none is named", .required = false}};
inline constexpr std::array trust_options{
    Option{"--show", "", "Only show what is to be agreed to"},
    Option{"--list", "", "List all that you have agreed to, of any directory"},
    Option{"--forget", "", "Agree no longer to what this directory says"}};
inline constexpr std::array<std::string_view, 3> trust_examples{
    "tyer trust --show", "tyer trust ~/project", "tyer trust --list --json"};
inline constexpr std::array trust_codes{
    ExitCode{0, "done"}, ExitCode{1, "there is no such directory"},
    ExitCode{2, "wrong usage or configuration"}, ExitCode{3, "the list cannot be written"}};
inline constexpr Command trust{
    .name = "trust",
    .group = "Setup",
    .summary = "Agree to what a directory says that may come from somebody else",
    .details =
        "A clone, an archive or a shared folder may bring a store with agents, an address of a hub "
        "or programs for git. They count once you have agreed to them: on a terminal you are asked "
        "when it matters, scripts call this first. Who has agreed to a value is asked again when "
        "it has changed.",
    .operands = trust_operands,
    .options = trust_options,
    .examples = trust_examples,
    .exit_codes = trust_codes,
    .run = run_trust};

inline constexpr std::array<std::string_view, 2> config_examples{
    "tyer config show", "tyer config show --durability normal --json"};
inline constexpr Command config_show{
    .name = "config show",
    .group = "Setup",
    .summary = "Show every setting and where its value comes from",
    .details = "The first row says which workspace is used, and why.",
    .operands = {},
    .options = {},
    .examples = config_examples,
    .exit_codes = plain_codes,
    .run = run_config_show};

inline constexpr std::array completion_operands{
    Operand{.name = "bash|zsh|fish", .help = "The shell"}};
inline constexpr std::array<std::string_view, 3> completion_examples{
    "tyer completion bash > tyer.bash && . ./tyer.bash", "tyer completion zsh > _tyer",
    "tyer completion fish > tyer.fish"};
inline constexpr Command completion{
    .name = "completion",
    .group = "Setup",
    .summary = "Print a script that completes tyer's commands in a shell",
    .details = {},
    .operands = completion_operands,
    .options = {},
    .examples = completion_examples,
    .exit_codes = plain_codes,
    .run = run_completion};

inline constexpr std::array<std::string_view, 2> version_examples{"tyer version",
                                                                  "tyer version --json"};
inline constexpr Command version{.name = "version",
                                 .group = "Setup",
                                 .summary = "Print the version",
                                 .details = {},
                                 .operands = {},
                                 .options = {},
                                 .examples = version_examples,
                                 .exit_codes = plain_codes,
                                 .run = run_version};

inline constexpr std::array help_operands{
    Operand{.name = "COMMAND", .help = "The command to explain", .required = false, .many = true}};
inline constexpr std::array<std::string_view, 2> help_examples{"tyer help",
                                                               "tyer help store backup"};
inline constexpr Command help{.name = "help",
                              .group = "Setup",
                              .summary = "List the commands, or explain one",
                              .details = {},
                              .operands = help_operands,
                              .options = {},
                              .examples = help_examples,
                              .exit_codes = plain_codes,
                              .run = run_help};

}  // namespace tyer::cli::setup_rows
