#include "work/job_maker.h"

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

JobMaker::JobMaker(const Serving& serving, const Order& order)
    : serving_(serving), env_(serving.engine.env()), hub_(order.hub), job_(order.job) {}

void JobMaker::prepare() {
  // If it cannot be had, it is asked for again when it is needed.
  if (auto skill = fetch_skill()) skill_ = *std::move(skill);
}

Result<run::Job> JobMaker::make_job(const Assignment& given) {
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
  task.prompt = prompt_for(given);
  job.session = given.agent + "/" + given.session;
  job.about = item_words(given);
  return job;
}

backend::Environment JobMaker::environment_for(const Assignment& given) const {
  backend::Environment environment = clean_environment(serving_.environment, given);
  for (const char* prefix : {"TYER_", "AGENTFEED_"}) {
    environment[fmt::format("{}URL", prefix)] = hub_;
    environment[fmt::format("{}API_KEY", prefix)] = given.token;
    environment[fmt::format("{}SESSION", prefix)] = given.session_id;
  }
  return environment;
}

std::string JobMaker::prompt_for(const Assignment& given) const {
  // Nobody can have known it when they wrote what is quoted.
  const auto chance = env_.random.bits();
  const std::string word =
      "text-" + to_hex(std::string_view(reinterpret_cast<const char*>(chance.data()), 6));
  return make_prompt(given, word);
}

Result<JobMaker::Skill> JobMaker::fetch_skill() const {
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
