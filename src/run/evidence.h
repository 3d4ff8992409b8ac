// Looking for the evidence that health is judged by.

#pragma once

#include <vector>

#include "engine/engine.h"
#include "run/health.h"

namespace tyer::run {

// How each of them is doing. Looks twice at those that run here, a moment apart.
[[nodiscard]] Result<std::vector<Condition>> examine(engine::Engine& engine,
                                                     const std::vector<Record>& records);

}  // namespace tyer::run
