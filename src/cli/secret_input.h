// A secret that a person gives: typed, or from standard input.

#pragma once

#include <expected>
#include <string>

#include "cli/command.h"

namespace tyer::cli {

// On a terminal it is asked for twice and not shown, and `invalid` if it was not the same;
// otherwise it is one line of standard input, which ends there. `cancelled` by a signal. `what` is
// for the questions: "New password".
[[nodiscard]] std::expected<std::string, Failure> read_new_secret(World& world,
                                                                  const std::string& what);

}  // namespace tyer::cli
