// A file without a name, for what is too large to hold in memory and is gone with whoever has it
// open.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "env/fd.h"

namespace tyer::env {

// Empty, for reading and writing, on the file system of `folder`.
[[nodiscard]] Result<Fd> open_unnamed(const std::string& folder);

// Writes all of `bytes` where the file stands.
[[nodiscard]] Result<> write_all(int fd, std::string_view bytes);

}  // namespace tyer::env
