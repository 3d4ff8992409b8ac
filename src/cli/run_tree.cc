#include "cli/run_tree.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/matters.h"
#include "cli/repository_work.h"
#include "cli/workspace.h"
#include "git/names.h"
#include "run/claim.h"
#include "run/settle.h"

namespace tyer::cli {
namespace {

std::string remove_of(const std::string& name) {
  return "tyer worktree remove " + name;
}

Result<> check_not_missing(const git::Tree& tree) {
  if (!tree.is_missing()) return {};
  return fail(Fault::conflict,
              fmt::format("the directory of the worktree {0} is missing; 'tyer worktree add {0}' "
                          "makes it again, 'tyer worktree remove {0}' ends it",
                          tree.name));
}

std::optional<std::string> base_of(const run::Job& job) {
  return job.base.empty() ? std::nullopt : std::optional(job.base);
}

Result<std::optional<run::Record>> find_worker(engine::Engine& engine, const std::string& path) {
  std::optional<run::Record> worker;
  TYER_TRY_OK(engine.read([&](const core::View& view) -> Result<> {
    TYER_TRY(worker, run::worker_in(view, path));
    return {};
  }));
  return worker;
}

std::string path_of(const git::Repository& repository, const std::string& name) {
  return fmt::format("{}/{}", repository.trees(), name);
}

std::expected<std::map<std::string, std::string>, Failure> look_for_runs(
    World& world, const Arguments& arguments, const std::vector<git::Tree>& trees) {
  std::map<std::string, std::string> runs;
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  auto store = open_store(world, settings, Access::read);
  if (!store && store.error().error.fault == Fault::not_found) return runs;
  if (!store) return std::unexpected(store.error());
  engine::Engine engine(world.env, **store, world.catalog);
  TYER_TRY_OK(run::settle(engine));
  for (const git::Tree& tree : trees) {
    TYER_TRY(const auto worker, find_worker(engine, tree.path));
    if (worker) runs[tree.name] = worker->id;
  }
  return runs;
}

}  // namespace

Result<> choose_tree(World& world, const Arguments& arguments, run::Job& job) {
  const auto name = arguments.value("--worktree");
  const auto base = arguments.value("--base");
  if (!name) return base ? fail(Fault::invalid, "--base is for --worktree") : Result<>();
  return choose_tree(world, *name, base, job);
}

Result<> choose_tree(World& world, const std::string& name, const std::optional<std::string>& base,
                     run::Job& job) {
  TYER_TRY_OK(git::check_tree_name(name));
  if (base) TYER_TRY_OK(git::check_revision(*base));
  const git::Runner runner(world.env, world.environment);
  TYER_TRY(const git::Repository repository, open_repository(world, runner, job.directory));
  TYER_TRY(const git::Tree tree, git::check_addition(runner, repository, name, base));
  TYER_TRY_OK(check_not_missing(tree));
  job.worktree = name;
  job.base = base.value_or("");
  job.repository = repository.root;
  job.directory = tree.path;
  return {};
}

Result<> check_tree_of(World& world, engine::Engine& engine, const run::Job& job) {
  TYER_TRY(const auto worker, find_worker(engine, job.directory));
  TYER_TRY_OK(run::check_free(worker, job.worktree));
  const git::Runner runner(world.env, world.environment);
  TYER_TRY(const git::Repository repository, open_repository(world, runner, job.repository));
  lock::Locks locks(engine);
  TYER_TRY(const auto lock, locks.look(lock_of(repository)));
  const bool is_removed = lock && lock->judgement.verdict == core::Verdict::live &&
                          lock->lease.command == remove_of(job.worktree);
  if (!is_removed) return {};
  return fail(Fault::conflict, fmt::format("the worktree {} is being removed by pid {} on {}; try "
                                           "again when that is done",
                                           job.worktree, lock->lease.holder.pid,
                                           printable(lock->lease.holder.place.host, 100)));
}

Result<> make_tree_of(World& world, const Settings& settings, const run::Job& job,
                      const env::Front& front, int stop_fd) {
  World at_root = world_at(world, job.repository);
  const auto open = [&]() -> std::expected<Locking, Failure> {
    Locking locking{.settings = settings};
    TYER_TRY(locking.store, open_store_at(world, settings, job.store, Access::write));
    locking.set_up(world);
    return locking;
  };
  const RepositoryTask task{
      .doing = "tyer agent run --worktree " + job.worktree, .stop_fd = stop_fd, .open = open};
  const auto work = [&](const git::Runner& runner, const git::Repository& repository,
                        engine::Engine&) -> Done {
    TYER_TRY(const git::Tree found, git::find_tree(runner, repository, job.worktree));
    TYER_TRY_OK(check_not_missing(found));
    TYER_TRY_OK(git::add_tree(runner, repository, job.worktree, base_of(job)));
    return 0;
  };
  const Done done = work_behind_front(at_root, task, front, work);
  if (done) return {};
  const Failure& failure = done.error();
  if (failure.hint.empty()) return std::unexpected(failure.error);
  return fail(failure.error.fault, fmt::format("{}; {}", failure.error.what, failure.hint));
}

Result<> check_no_run(engine::Engine& engine, const git::Repository& repository,
                      const std::string& name) {
  TYER_TRY_OK(run::settle(engine));
  TYER_TRY(const auto worker, find_worker(engine, path_of(repository, name)));
  return run::check_free(worker, name);
}

std::map<std::string, std::string> runs_in(World& world, const Arguments& arguments,
                                           const std::vector<git::Tree>& trees) {
  if (trees.empty()) return {};
  const auto runs = look_for_runs(world, arguments, trees);
  if (runs) return *runs;
  world.output.warn(fmt::format("tyer: who works in them is not known: {}\n",
                                printable(runs.error().error.what, 400)));
  return {};
}

}  // namespace tyer::cli
