// Work on a git repository, by one process at a time.
//
// Git's own locks make a second caller fail; the lease of `lock/repo/ID` makes it
// wait. The work runs behind a front (env/front.h), so that no git goes on when tyer
// is killed, and ends when the lease is lost.

#pragma once

#include <functional>

#include "cli/arguments.h"
#include "cli/command.h"
#include "git/repository.h"

namespace tyer::cli {

using RepositoryWork =
    std::function<Done(const git::Runner& runner, const git::Repository& repository)>;

// For commands that change something.
[[nodiscard]] Done work_on_repository(World& world, const Arguments& arguments,
                                      const RepositoryWork& work);

// For commands that only look: no lease, no store.
[[nodiscard]] Done look_at_repository(World& world, const RepositoryWork& work);

}  // namespace tyer::cli
