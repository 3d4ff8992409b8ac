#include "run/ready.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "env/os_error.h"
#include "run/features.h"

namespace tyer::run {
namespace {

// Only our end does not wait: the other one is what a program expects.
Result<> make_pipe(env::Fd& reading, env::Fd& writing, const env::Fd& ours) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::unexpected(env::os_error(errno, "make", "a pipe"));
  }
  reading = env::Fd(ends[0]);
  writing = env::Fd(ends[1]);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return {};
}

}  // namespace

Result<Plan> make_plan(env::Env& env, const backend::Backend& backend, const Job& job,
                       const backend::Environment& environment) {
  Plan plan{.task = job.task, .spawn = {.directory = job.directory}};
  plan.task.folder = fmt::format("{}/{}/call", job.folder, job.id);
  plan.task.new_conversation = job.id;
  TYER_TRY(const backend::Features features, ask_features(env, backend, plan.task, environment));
  TYER_TRY(plan.call, backend.prepare(plan.task, features));
  plan.spawn.argv = plan.call.argv;
  plan.spawn.environment = backend::call_environment(environment, plan.call);
  plan.spawn.environment["TYER_KEEPER"] = job.mark.empty() ? job.id : job.mark;
  plan.spawn.environment["TYER_RUN"] = job.id;
  plan.spawn.environment["PWD"] = job.directory;
  return plan;
}

Result<Pipes> Pipes::make() {
  Pipes made;
  TYER_TRY_OK(make_pipe(made.its[0], made.input, made.input));
  TYER_TRY_OK(make_pipe(made.output, made.its[1], made.output));
  TYER_TRY_OK(make_pipe(made.errors, made.its[2], made.errors));
  return made;
}

Result<std::unique_ptr<Ready>> Ready::make(env::Env& env, Plan plan, Pipes pipes,
                                           bool has_to_wait) {
  plan.spawn.input = pipes.its[0].get();
  plan.spawn.output = pipes.its[1].get();
  plan.spawn.errors = pipes.its[2].get();
  std::unique_ptr<Ready> ready(new Ready(env, std::move(plan), std::move(pipes)));
  if (!has_to_wait) return ready;
  TYER_TRY(ready->held_, env.processes.hold(ready->plan.spawn));
  return ready;
}

Result<std::unique_ptr<env::Child>> Ready::start() {
  Result<std::unique_ptr<env::Child>> child = nullptr;
  if (held_) child = held_->start();
  held_.reset();
  // Also instead of one that cannot be let go.
  if (!child || !*child) child = env_.processes.spawn(plan.spawn);
  // Or we would never see the end of what it says.
  pipes.its = {};
  return child;
}

}  // namespace tyer::run
