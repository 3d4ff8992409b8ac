// What cannot be taken back is asked about first.

#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/command.h"

namespace tyer::cli {

// Whether to do it. `what` says what it hits, `question` is to be answered with y. With --yes
// nobody is asked; without a terminal, and without --yes, it is `invalid`: a script has to say so.
[[nodiscard]] std::expected<bool, Failure> confirm(World& world, const Arguments& arguments,
                                                   const std::string& what,
                                                   const std::string& question);

// Whether somebody is there who can answer.
[[nodiscard]] bool can_ask();

// Asks `question`, to be answered with y.
[[nodiscard]] bool says_yes(World& world, const std::string& question);

}  // namespace tyer::cli
