#include "run/plan.h"

#include <fmt/format.h>

#include "run/features.h"

namespace tyer::run {

Result<Plan> make_plan(env::Env& env, const backend::Backend& backend, const Job& job,
                       const backend::Environment& environment) {
  Plan plan{.task = job.task, .spawn = {.directory = job.directory}};
  plan.task.folder = fmt::format("{}/{}/call", job.folder, job.id);
  plan.task.new_conversation = job.id;
  TYER_TRY(const backend::Features features,
           ask_features(env, backend, plan.task, environment, job.folder));
  TYER_TRY(plan.call, backend.prepare(plan.task, features));
  plan.spawn.argv = plan.call.argv;
  plan.spawn.environment = backend::call_environment(environment, plan.call);
  plan.spawn.environment["TYER_KEEPER"] = job.mark.empty() ? job.id : job.mark;
  plan.spawn.environment["TYER_RUN"] = job.id;
  plan.spawn.environment["PWD"] = job.directory;
  return plan;
}

}  // namespace tyer::run
