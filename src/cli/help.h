// What `tyer help` and `--help` say, made from the table of commands.

#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace tyer::cli {

// All commands by group, those that start with the word `only` if it is not empty.
[[nodiscard]] std::string list_text(std::string_view only);
[[nodiscard]] std::string list_json(std::string_view only);

// Purpose, usage, arguments, options, examples, exit codes.
[[nodiscard]] std::string help_text(const Command& command);
[[nodiscard]] std::string help_json(const Command& command);

// Whether `word` is the first of several commands' two words, as "store" is.
[[nodiscard]] bool is_family(std::string_view word);

// The refusal of a command that does not exist, with the nearest that does.
[[nodiscard]] Failure unknown_command(std::string_view typed);

}  // namespace tyer::cli
