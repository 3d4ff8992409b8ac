// What an agent program says that it can do.

#pragma once

#include <string>

#include "backend/backend.h"
#include "env/env.h"

namespace tyer::run {

// What the program prints for the back end's questions, whatever that is. Nothing is asked of one
// without questions. `not_found` if there is no such program.
//
// Each question starts the program, which takes some of them a second. So an answer is kept in
// `folder`, in features.json, and is good for as long as the program's file is the same, and for a
// day: the file may only start another one.
[[nodiscard]] Result<backend::Features> ask_features(env::Env& env, const backend::Backend& backend,
                                                     const backend::Task& task,
                                                     const backend::Environment& environment,
                                                     const std::string& folder);

}  // namespace tyer::run
