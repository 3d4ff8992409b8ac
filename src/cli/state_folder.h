// Where tyer keeps what belongs to the user and to no workspace.

#pragma once

#include <string>

#include "cli/cli.h"

namespace tyer::cli {

// `tyer` in XDG_STATE_HOME, else in ~/.local/state. `invalid` if neither it nor HOME is an absolute
// path. Whether it is there is not looked at.
[[nodiscard]] Result<std::string> state_folder(const World& world);

}  // namespace tyer::cli
