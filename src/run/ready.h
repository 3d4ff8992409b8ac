// An agent's process as far as it can be before it may start: the pipes to it are there and, where
// programs can be held, so is the process, which has not taken its first step.

#pragma once

#include <array>
#include <memory>
#include <utility>

#include "backend/backend.h"
#include "env/env.h"
#include "run/job.h"

namespace tyer::run {

// How an agent is called for a job.
struct Plan {
  backend::Task task;
  backend::Call call;
  env::Spawn spawn;
};

// `not_found` also if the conversation to go on with cannot be one of this agent's.
[[nodiscard]] Result<Plan> make_plan(env::Env& env, const backend::Backend& backend, const Job& job,
                                     const backend::Environment& environment);

struct Pipes {
  [[nodiscard]] static Result<Pipes> make();

  // Our ends: what it reads, and what it says.
  env::Fd input;
  env::Fd output;
  env::Fd errors;
  std::array<env::Fd, 3> its;
};

class Ready {
 public:
  // `has_to_wait`: else there is nothing to get ready for, and the process is not there yet.
  [[nodiscard]] static Result<std::unique_ptr<Ready>> make(env::Env& env, Plan plan, Pipes pipes,
                                                           bool has_to_wait);

  // Once. Nothing of it is left if this object goes before.
  [[nodiscard]] Result<std::unique_ptr<env::Child>> start();

  Plan plan;
  Pipes pipes;

 private:
  Ready(env::Env& env, Plan its_plan, Pipes its_pipes)
      : plan(std::move(its_plan)), pipes(std::move(its_pipes)), env_(env) {}

  env::Env& env_;
  std::unique_ptr<env::Held> held_;
};

}  // namespace tyer::run
