// The worktree of a run (--worktree), and the runs in worktrees.
//
// What can be refused is refused before the run begins. Its keeper makes the worktree
// after the run was created: see run/claim.h for why in this order.

#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "engine/engine.h"
#include "env/front.h"
#include "git/worktrees.h"
#include "run/job.h"

namespace tyer::cli {

// Lets `job` work in the worktree that the arguments name, of the repository around its
// directory. Refuses names, bases and places that cannot be right.
[[nodiscard]] Result<> choose_tree(World& world, const Arguments& arguments, run::Job& job);
// The same for the worktree `name`, made from `base` if it is not there.
[[nodiscard]] Result<> choose_tree(World& world, const std::string& name,
                                   const std::optional<std::string>& base, run::Job& job);

// `conflict` if a run works in the job's worktree, or somebody is removing that.
[[nodiscard]] Result<> check_tree_of(World& world, engine::Engine& engine, const run::Job& job);

// In the keeper: makes the worktree of `job`, unless it is there.
[[nodiscard]] Result<> make_tree_of(World& world, const Settings& settings, const run::Job& job,
                                    const env::Front& front, int stop_fd);

// `conflict` if a run works in the worktree `name`.
[[nodiscard]] Result<> check_no_run(engine::Engine& engine, const git::Repository& repository,
                                    const std::string& name);

// The ids of the runs in these worktrees by the worktrees' names. None if there is no store
// yet; one that cannot be read is warned of.
[[nodiscard]] std::map<std::string, std::string> runs_in(World& world, const Arguments& arguments,
                                                         const std::vector<git::Tree>& trees);

}  // namespace tyer::cli
