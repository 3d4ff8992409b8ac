// What of a workspace counts only if the user agrees (see trust.h).
//
// Agreement is asked for where the thing is used: a hub that a file names does not matter to a
// command that is told its store.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/trust.h"
#include "cli/workspace.h"
#include "git/repository.h"

namespace tyer::cli {

// Somebody else owns the workspace, or can write to it.
[[nodiscard]] std::vector<Matter> owner_matters(const World& world, const Workspace& workspace);

// The setting `name` has its value from the workspace, and it is one that can do harm.
[[nodiscard]] std::vector<Matter> setting_matters(const Workspace& workspace,
                                                  const Settings& settings, std::string_view name);

// The store `url` is on this machine, and it is this very file or directory. Who makes a store
// agrees to it with that.
[[nodiscard]] std::vector<Matter> store_matters(const Workspace& workspace, const std::string& url);

// Git runs these programs because the repository itself says so.
[[nodiscard]] Result<std::vector<Matter>> program_matters(const git::Runner& runner,
                                                          const git::Repository& repository);

// The repository around `directory`, with the user's agreement to the programs that it has git run.
[[nodiscard]] Result<git::Repository> open_repository(World& world, const git::Runner& runner,
                                                      const std::string& directory);

}  // namespace tyer::cli
