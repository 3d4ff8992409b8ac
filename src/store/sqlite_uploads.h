// Uploads inside a SQLite file, in pieces: how a backup carries them.

#pragma once

#include <string>

#include "base/error.h"

namespace tyer::store {

// Whether there is any in the file `path`, which is a store.
[[nodiscard]] Result<bool> carries_uploads(const std::string& path);

}  // namespace tyer::store
