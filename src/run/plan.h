// How an agent is called for a job: its program, its arguments, its environment and its files.

#pragma once

#include "backend/backend.h"
#include "env/env.h"
#include "run/job.h"

namespace tyer::run {

struct Plan {
  backend::Task task;
  backend::Call call;
  env::Spawn spawn;
};

// `not_found` also if the conversation to go on with cannot be one of this agent's.
[[nodiscard]] Result<Plan> make_plan(env::Env& env, const backend::Backend& backend, const Job& job,
                                     const backend::Environment& environment);

}  // namespace tyer::run
