// tyer agent run: one task for one agent, and the keeper that it leaves it to.

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include <fmt/format.h>

#include "backend/backend.h"
#include "backend/limits.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/keeper_start.h"
#include "cli/limits.h"
#include "cli/locking.h"
#include "cli/repository_work.h"
#include "cli/run_follow.h"
#include "cli/run_tree.h"
#include "cli/stop_signals.h"
#include "cli/workspace.h"
#include "env/front.h"
#include "run/keeper.h"
#include "run/settle.h"

namespace tyer::cli {
namespace {

std::string from_here(const World& world, const std::string& path) {
  return path.starts_with('/') ? path : world.directory + "/" + path;
}

Result<std::string> read_prompt(const World& world, const Arguments& arguments) {
  const auto text = arguments.value("--prompt");
  const auto file = arguments.value("--prompt-file");
  if (text && file) return fail(Fault::invalid, "--prompt and --prompt-file are one too many");
  if (text) return *text;
  if (file) {
    auto prompt = world.env.files.read(from_here(world, *file), limits::prompt_bytes_max);
    if (prompt || prompt.error().fault == Fault::limit) return prompt;
    return fail(Fault::invalid, fmt::format("--prompt-file: {}", prompt.error().what));
  }
  return read_all(STDIN_FILENO, limits::prompt_bytes_max, "the prompt on standard input");
}

Result<std::uint64_t> read_mebibytes(const Arguments& arguments) {
  const auto text = arguments.value("--max-output");
  if (!text) return limits::run_output_bytes;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || end != text->data() + text->size() || number == 0 ||
      number > limits::agent_output_mib_max) {
    return fail(Fault::invalid, fmt::format("--max-output '{}' is not a number of MiB from 1 to {}",
                                            printable(*text, 80), limits::agent_output_mib_max));
  }
  return number << 20;
}

Result<> check_directory(const std::string& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) return {};
  return fail(Fault::invalid, fmt::format("there is no directory {}", printable(path)));
}

Result<run::Job> read_job(World& world, const Arguments& arguments) {
  run::Job job{.id = uuid7(world.env.clock.now(), world.env.random.bits()),
               .backend = *arguments.value("--backend"),
               .directory = from_here(world, arguments.value("--dir").value_or(""))};
  while (job.directory.size() > 1 && job.directory.ends_with('/')) job.directory.pop_back();
  TYER_TRY_OK(check_directory(job.directory));
  TYER_TRY(const auto wall, read_duration(arguments, "--max"));
  TYER_TRY(const auto idle, read_duration(arguments, "--idle"));
  job.bounds.wall = wall.value_or(limits::run_wall);
  job.bounds.idle = idle.value_or(Span::zero());
  TYER_TRY(job.bounds.output, read_mebibytes(arguments));
  backend::Task& task = job.task;
  task.conversation = arguments.value("--resume").value_or("");
  task.model = arguments.value("--model").value_or("");
  const std::string permission = arguments.value("--permission").value_or("read");
  task.permission = permission == "all"    ? backend::Permission::all
                    : permission == "edit" ? backend::Permission::edit
                                           : backend::Permission::read;
  (job.backend == "command" ? task.argv : task.extra) = arguments.values("ARG");
  // Wherever it was installed: the demo agent is this program.
  if (job.backend == "demo") task.program = world.program;
  TYER_TRY_OK(choose_tree(world, arguments, job));
  TYER_TRY(task.prompt, read_prompt(world, arguments));
  return job;
}

// Nobody reads on when this returns, so the run must be there.
Done leave_alone(World& world, engine::Engine& engine, const run::Job& job, StartedKeeper& keeper,
                 bool json) {
  while (true) {
    TYER_TRY(const auto exit, keeper.child->wait(limits::start_look_every));
    const auto record = run::look_at_run(engine, job.id);
    if (record) {
      world.output.print((json ? json_of(*record) : record->id) + "\n");
      return 0;
    }
    // What it complained about is told as if it was followed.
    if (exit || record.error().fault != Fault::not_found) {
      return follow_run(world, engine, job.id,
                        {.keeper = keeper.child.get(), .keeper_errors = keeper.errors.get()});
    }
  }
}

Done keep_behind_front(World& world, const run::Job& job, const Settings& settings,
                       const env::Front& front) {
  TYER_TRY(const auto store, open_store_at(world, settings, job.store, Access::write));
  engine::Engine engine(world.env, *store, world.catalog);
  run::Preparation preparation;
  if (!job.worktree.empty()) {
    preparation = [&](int stop_fd) { return make_tree_of(world, settings, job, front, stop_fd); };
  }
  TYER_TRY(const run::Kept kept, run::keep(engine, front, world.environment, job, preparation));
  if (kept.unrecorded) return std::unexpected(Failure{*kept.unrecorded});
  return 0;
}

}  // namespace

Done run_agent_run(World& world, const Arguments& arguments) {
  if (!arguments.has("--backend")) {
    return std::unexpected(Failure{{Fault::invalid, "--backend is missing"},
                                   "claude, codex, gemini, command or demo"});
  }
  TYER_TRY(run::Job job, read_job(world, arguments));
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  // Who works in a worktree is known to all only if it is known where those are.
  const bool is_elsewhere = arguments.has("--dir") && !job.worktree.empty();
  World at = world_at(world, is_elsewhere ? job.repository : world.directory);
  TYER_TRY(const auto store, open_store(at, settings, Access::write));
  set_records(at, settings, job);
  engine::Engine engine(world.env, *store, world.catalog);
  TYER_TRY_OK(run::settle(engine));
  if (!job.worktree.empty()) TYER_TRY_OK(check_tree_of(world, engine, job));
  // From here on an interruption is for the run.
  const StopSignals signals;
  job.environment = environment_for_keeper(world, job.id);
  TYER_TRY(StartedKeeper keeper, start_keeper(world, {"agent", "keep"}, run::encode(job), job.id));
  const bool json = arguments.has("--json");
  if (arguments.has("--detach")) return leave_alone(world, engine, job, keeper, json);
  return follow_run(world, engine, job.id,
                    {.json = json,
                     .color = wants_color(world, settings),
                     .stops = true,
                     .keeper = keeper.child.get(),
                     .keeper_errors = keeper.errors.get()});
}

Done run_agent_keep(World& world, const Arguments& arguments) {
  TYER_TRY(const std::string text, read_all(STDIN_FILENO, limits::job_bytes_max, "the job"));
  const auto job = run::decode_job(text);
  if (!job) {
    return std::unexpected(
        Failure{{Fault::invalid, job.error().what}, "it is what 'tyer agent run' leaves behind"});
  }
  use_environment(world, *job);
  TYER_TRY(Settings settings, load_settings(world, arguments));
  use_records(settings, *job);
  env::give_up_input();
  TYER_TRY(const int code, env::run_behind_front([&](const env::Front& front) {
             return finish(keep_behind_front(world, *job, settings, front), world, false);
           }));
  if (code == 0) return 0;
  return settle_after(world, *job, settings, code);
}

}  // namespace tyer::cli
