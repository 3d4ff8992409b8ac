#include "work/outfit.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "http/client.h"
#include "work/limits.h"
#include "work/prompt.h"

namespace tyer::work {
namespace {

backend::Permission permission_of(const std::string& mode) {
  if (mode == "all" || mode == "bypassPermissions") return backend::Permission::all;
  if (mode == "edit" || mode == "acceptEdits") return backend::Permission::edit;
  return backend::Permission::read;
}

}  // namespace

Outfit::Outfit(const Serving& serving, const Order& order)
    : serving_(serving), env_(serving.engine.env()), hub_(order.hub), job_(order.job) {}

void Outfit::get_ready() {
  if (auto skill = fetch_skill()) skill_ = *std::move(skill);
  if (auto pipes = run::Pipes::make()) pipes_ = *std::move(pipes);
  // What was done a moment ago is done quicker: code and memory are near.
  auto example = read_assignment(example_assignment());
  if (!example) return;
  example->skill = skill_.id;
  (void)make_call(*example);
}

std::string Outfit::instructions() const {
  return skill_.text.empty() ? "" : make_instructions(skill_.text);
}

Result<run::Job> Outfit::make_job(const Assignment& given) {
  run::Job job = job_;
  job.mark = std::exchange(job.id, given.run);
  job.backend = given.backend;
  if (!given.directory.empty()) job.directory = given.directory;
  if (given.minutes_max > 0) job.bounds.wall = given.minutes_max * 1min;
  backend::Task& task = job.task;
  task.conversation = given.conversation;
  task.model = given.model;
  task.permission = permission_of(given.permission);
  (job.backend == "command" ? task.argv : task.extra) = given.command;
  if (job.backend == "demo") task.program = serving_.program;
  // It may have changed since (W6).
  if (skill_.id.empty() || skill_.id != given.skill) {
    TYER_TRY(skill_, fetch_skill());
  }
  task.system = make_instructions(skill_.text);
  task.prompt = given.items.empty() ? "to be told" : prompt_for(given);
  return job;
}

backend::Environment Outfit::environment_for(const Assignment& given) const {
  backend::Environment environment = clean_environment(serving_.environment, given);
  for (const char* prefix : {"TYER_", "AGENTFEED_"}) {
    environment[fmt::format("{}URL", prefix)] = hub_;
    environment[fmt::format("{}API_KEY", prefix)] = given.token;
    environment[fmt::format("{}SESSION", prefix)] = given.session_id;
  }
  return environment;
}

std::string Outfit::prompt_for(const Assignment& given) const {
  // Nobody can have known it when they wrote what is quoted.
  const auto chance = env_.random.bits();
  const std::string word =
      "text-" + to_hex(std::string_view(reinterpret_cast<const char*>(chance.data()), 6));
  return make_prompt(given, word);
}

std::optional<Outfit::Calling> Outfit::make_call(const Assignment& given) {
  const backend::Backend* backend = backend::find_backend(given.backend);
  // What takes questions or work before it can be started is not started before it is to be.
  if (backend == nullptr || backend->asks() || given.worktree) return std::nullopt;
  if (skill_.id.empty() || skill_.id != given.skill) return std::nullopt;
  auto job = make_job(given);
  if (!job) return std::nullopt;
  auto plan = run::make_plan(env_, *backend, *job, environment_for(given));
  if (!plan) return std::nullopt;
  return Calling{*std::move(job), *std::move(plan)};
}

std::optional<Expected> Outfit::expect(Assignment given) {
  auto calling = make_call(given);
  auto pipes = pipes_ ? Result<run::Pipes>(*std::exchange(pipes_, {})) : run::Pipes::make();
  if (!calling || !pipes) return std::nullopt;
  auto ready = run::Ready::make(env_, std::move(calling->plan), *std::move(pipes), true);
  if (!ready) return std::nullopt;
  return Expected{std::move(given), std::move(calling->job), *std::move(ready)};
}

Result<Outfit::Skill> Outfit::fetch_skill() const {
  TYER_TRY(auto client,
           http::Client::make(serving_.hub.url, {.time = limits::answer_time,
                                                 .answer_max = limits::skill_bytes_max}));
  const http::Request request{.method = "GET", .target = "/skill.md"};
  TYER_TRY(http::Response response, client.send(request));
  if (response.status != 200) {
    return fail(Fault::unavailable, fmt::format("{} answers /skill.md with status {}",
                                                serving_.hub.url, response.status));
  }
  return Skill{std::string(response.header("etag")), std::move(response.body)};
}

}  // namespace tyer::work
