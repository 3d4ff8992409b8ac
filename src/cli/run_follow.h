// Following runs of agents, and what they are as JSON.

#pragma once

#include <string>

#include "cli/command.h"
#include "cli/settings.h"
#include "engine/engine.h"
#include "env/processes.h"
#include "run/record.h"

namespace tyer::cli {

struct Following {
  bool json = false;
  bool color = false;
  bool stops = false;  // An interruption asks the run to stop; else it ends the following only.
  env::Child* keeper = nullptr;  // Of a run that is just being started.
  int keeper_errors = -1;        // A file with what it complained about.
};

// Shows what run `id` says until it has ended, and the attempts after it. The exit
// code says what came of the last one.
[[nodiscard]] Done follow_run(World& world, engine::Engine& engine, std::string id,
                              const Following& how);

// The exit code of `tyer agent run` for what came of a run.
[[nodiscard]] int exit_code_of(const run::Record& record);

// One JSON object.
[[nodiscard]] std::string json_of(const run::Record& record);

// Who asks, for the record.
[[nodiscard]] std::string asker(const World& world);

}  // namespace tyer::cli
