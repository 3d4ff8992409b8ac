// The command line: arguments in, exit code out.
//
// `run` is the whole program but for the building of its world, which main
// does once. Exit codes are those of docs/exit_codes.md.

#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "cli/output.h"
#include "core/kind.h"
#include "env/env.h"

namespace tyer::cli {

// What a command may touch. Nothing else is read: no other environment
// variable, no other global.
struct World {
  env::Env& env;
  const core::Catalog& catalog;
  Output& output;
  std::map<std::string, std::string, std::less<>> environment;
  std::string directory;  // Where it was called, absolute.
  std::string program;    // This program's file, absolute.
};

// `words` are the arguments without the program's name.
[[nodiscard]] int run(std::span<const std::string> words, World& world);

}  // namespace tyer::cli
