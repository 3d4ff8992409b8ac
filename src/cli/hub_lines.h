// Things of the hub as text for people and JSON for programs. What others wrote is shown harmless:
// no control character reaches a terminal.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "cli/cli.h"
#include "cli/command.h"

namespace tyer::cli {

class Arguments;

// A member of `row` on one line; empty if it has none.
[[nodiscard]] std::string shown_text(const Json& row, const char* name);

// A table, or `nothing` if there are no rows; the rows themselves with --json.
void print_rows(World& world, const Arguments& arguments, const Json& rows,
                const std::vector<std::vector<std::string>>& lines, std::string_view nothing);

// `text`, or the object with --json.
void print_object(World& world, const Arguments& arguments, const Json& object,
                  const std::string& text);

// A post or comment: a line with time, id and author, and its text, indented.
[[nodiscard]] std::string entry_text(const Json& entry, bool color);

// What the hub remarked in a thread, from its event: a line with the time and what it is about, the
// text, indented, and the command that has it tried again if it was skipped.
[[nodiscard]] std::string notice_text(const Json& event, bool color);

// An event on one line, cut at `width` columns if that is not 0.
[[nodiscard]] std::string event_text(const Json& event, bool color, std::size_t width);

// The number that option `name` was given, from `least` to `most`.
[[nodiscard]] Result<std::size_t> read_count(const Arguments& arguments, std::string_view name,
                                             std::size_t fallback, std::size_t least,
                                             std::size_t most);

}  // namespace tyer::cli
