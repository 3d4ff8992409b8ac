// Which file a command name means.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::env {

// A name with a slash stands for itself, any other is looked for in the
// directories of `search` (PATH, separated by colons; an empty one is the
// directory the program will run in). What is relative is relative to
// `directory`, and stays so in the answer. `not_found` if there is no such
// file, `denied` if it may not be executed.
[[nodiscard]] Result<std::string> find_program(const std::string& name, std::string_view search,
                                               const std::string& directory);

}  // namespace tyer::env
