// Folders of runs that nobody needs any more.

#pragma once

#include <cstddef>
#include <string>

#include "engine/engine.h"

namespace tyer::run {

// Removes the oldest folders of runs in `folder` beyond the newest `kept`, some at a
// time. Only those of runs that are recorded here as ended: others may be another store's.
[[nodiscard]] Result<> prune(engine::Engine& engine, env::Files& files, const std::string& folder,
                             std::size_t kept);

}  // namespace tyer::run
