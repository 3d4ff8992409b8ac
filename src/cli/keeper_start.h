// Keepers of runs that a command leaves behind, and where their records go.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/settings.h"
#include "env/fd.h"
#include "env/processes.h"
#include "run/job.h"

namespace tyer::cli {

// Where and how `job` is recorded: in the store of `at`, with transcripts beside it.
void set_records(const World& at, const Settings& settings, run::Job& job);

// The settings of the one who wrote `job`.
void use_records(Settings& settings, const run::Job& job);

struct StartedKeeper {
  std::unique_ptr<env::Child> child;
  env::Fd errors;  // What it complains about.
};

// It outlives us: in a session of its own, with nothing of ours but its standard input and the few
// variables that a program needs to start. What else it needs, its job says. `run` is the id of its
// first run.
[[nodiscard]] Result<StartedKeeper> start_keeper(World& world, std::vector<std::string> words,
                                                 int input, const std::string& run);

// The same, with a text that it reads from there.
[[nodiscard]] Result<StartedKeeper> start_keeper(World& world, std::vector<std::string> words,
                                                 const std::string& input, const std::string& run);

// For a job: our environment, as its keeper is to have it.
[[nodiscard]] backend::Environment environment_for_keeper(const World& world,
                                                          const std::string& run);

// The keeper has the environment that its job says. To be called while there is only one thread.
void use_environment(World& world, const run::Job& job);

// What is left to the front when its keeper ended with `code`, or died: the exit code.
[[nodiscard]] Done settle_after(World& world, const run::Job& job, const Settings& settings,
                                int code);

}  // namespace tyer::cli
