// Work on a git repository, by one process at a time.
//
// Git's own locks make a second caller fail; the lease of `lock/repo/ID` makes it
// wait. The work runs behind a front (env/front.h), so that no git goes on when tyer
// is killed, and ends when the lease is lost.

#pragma once

#include <functional>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/locking.h"
#include "env/front.h"
#include "git/repository.h"

namespace tyer::cli {

// `engine` is that of the store with the lease.
using RepositoryWork = std::function<Done(
    const git::Runner& runner, const git::Repository& repository, engine::Engine& engine)>;
using RepositoryLook =
    std::function<Done(const git::Runner& runner, const git::Repository& repository)>;

// For commands that change something.
[[nodiscard]] Done work_on_repository(World& world, const Arguments& arguments,
                                      const RepositoryWork& work);

// The same for one who is behind a front already.
struct RepositoryTask {
  std::string doing;  // For people: "tyer worktree add worker".
  int stop_fd = -1;   // Readable: it is to end, `cancelled`.
  std::function<std::expected<Locking, Failure>()> open;
};
[[nodiscard]] Done work_behind_front(World& world, const RepositoryTask& task,
                                     const env::Front& front, const RepositoryWork& work);

// For commands that only look: no lease, no store.
[[nodiscard]] Done look_at_repository(World& world, const RepositoryLook& look);

// The name of the lock of a repository.
[[nodiscard]] std::string lock_of(const git::Repository& repository);

// As if tyer was called there.
[[nodiscard]] World world_at(const World& world, const std::string& directory);

}  // namespace tyer::cli
