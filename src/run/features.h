// Asking an agent program what it can, before it is called.

#pragma once

#include "backend/backend.h"
#include "env/env.h"

namespace tyer::run {

// What it prints for the back end's questions, whatever that is. Nothing is asked of
// one without questions. `not_found` if there is no such program.
[[nodiscard]] Result<backend::Features> ask_features(env::Env& env, const backend::Backend& backend,
                                                     const backend::Task& task,
                                                     const backend::Environment& environment);

}  // namespace tyer::run
