#include "cli/keeper_start.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/workspace.h"
#include "engine/engine.h"
#include "env/hidden.h"
#include "env/os_error.h"
#include "run/settle.h"

namespace tyer::cli {
namespace {

// Beside a store that is a file; else in the project.
std::string runs_folder(const World& world, const std::string& url) {
  constexpr std::string_view sqlite = "sqlite:";
  if (url.starts_with(sqlite) && url.contains('/')) {
    return url.substr(sqlite.size(), url.rfind('/') - sqlite.size()) + "/runs";
  }
  return find_workspace(world).directory + "/runs";
}

// In a file without a name, at its beginning.
Result<env::Fd> to_file(const std::string& text) {
  env::Fd file(::memfd_create("job", MFD_CLOEXEC));
  if (!file) return std::unexpected(env::os_error(errno, "make", "a file in memory"));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = env::uninterrupted(
        [&] { return ::write(file.get(), text.data() + done, text.size() - done); });
    if (put < 0) return std::unexpected(env::os_error(errno, "write", "a file in memory"));
    done += static_cast<std::size_t>(put);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Whatever starts it may itself be below a run, with which it is to end.
constexpr std::array<std::string_view, 3> marks{"TYER_KEEPER", "TYER_RUN", "TYER_SESSION"};

// Before it has read its job: for its loader, and to say what is wrong.
bool is_needed_to_start(std::string_view name) {
  constexpr std::array<std::string_view, 8> plain{"PATH", "HOME",     "USER", "LOGNAME",
                                                  "LANG", "LANGUAGE", "TZ",   "TMPDIR"};
  return std::ranges::find(plain, name) != plain.end() || name.starts_with("LC_") ||
         name.starts_with("LD_") || name.ends_with("SAN_OPTIONS");
}

}  // namespace

void set_records(const World& at, const Settings& settings, run::Job& job) {
  job.store = absolute_url(store_url(at, settings), at.directory);
  job.space = settings.space;
  job.is_durable = settings.durability == store::Durability::full;
  job.heartbeat = settings.heartbeat;
  job.silence = settings.silence;
  job.folder = runs_folder(at, job.store);
  job.kept = settings.runs_kept;
}

void use_records(Settings& settings, const run::Job& job) {
  settings.space = job.space;
  settings.durability = job.is_durable ? store::Durability::full : store::Durability::normal;
  settings.heartbeat = job.heartbeat;
  settings.silence = job.silence;
}

Result<StartedKeeper> start_keeper(World& world, std::vector<std::string> words, int input,
                                   const std::string& run) {
  StartedKeeper started;
  TYER_TRY(started.errors, to_file(""));
  words.insert(words.begin(), world.program);
  env::Spawn spawn{.argv = std::move(words), .directory = "/"};
  for (const auto& [name, value] : environment_for_keeper(world, run)) {
    const bool is_mark = std::ranges::find(marks, name) != marks.end();
    if (is_mark || is_needed_to_start(name)) spawn.environment[name] = value;
    // It hides its environment.
    if (is_mark) spawn.argv.push_back(fmt::format("{}={}", name, value));
  }
  spawn.input = input;
  spawn.errors = started.errors.get();
  TYER_TRY(started.child, world.env.processes.spawn(spawn));
  started.child->let_go();
  return started;
}

Result<StartedKeeper> start_keeper(World& world, std::vector<std::string> words,
                                   const std::string& input, const std::string& run) {
  TYER_TRY(const env::Fd file, to_file(input));
  return start_keeper(world, std::move(words), file.get(), run);
}

backend::Environment environment_for_keeper(const World& world, const std::string& run) {
  backend::Environment environment = world.environment;
  environment["TYER_KEEPER"] = run;  // See run::keeper_mark_of.
  return environment;
}

void use_environment(World& world, const run::Job& job) {
  world.environment = job.environment;
  env::set_variables(job.environment);
}

Done settle_after(World& world, const run::Job& job, const Settings& settings, int code) {
  TYER_TRY(const auto store, open_store_at(world, settings, job.store, Access::write));
  engine::Engine engine(world.env, *store, world.catalog);
  TYER_TRY_OK(run::settle(engine));
  return code < 128 ? code : 1;
}

}  // namespace tyer::cli
