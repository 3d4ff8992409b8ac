// Configuration files (TOML) as a flat list of values with their lines.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.h"

namespace tyer::cli {

// `path` is for messages and for relative paths in the values. Which names and
// values are right is decided by `resolve`; here every value must be a text in
// quotes. Errors are `invalid` and name path and line.
[[nodiscard]] Result<std::vector<Given>> read_config(std::string_view text,
                                                     const std::string& path);

}  // namespace tyer::cli
