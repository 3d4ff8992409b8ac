// Rescues: all that a worktree held, as a commit under refs/tyer/rescue/ (T17c).
//
// The commit's tree has what is needed to make it again, byte by byte:
//
//   tree/    every file as it lay on disk: no filter, no line ending is applied
//   git/     git's own files about the worktree: index, reflog, a merge under way
//   index/N/ what was staged, by stage, so that git keeps the contents
//   facts    permissions that git does not know, empty directories
//
// Its parents are the worktree's HEAD and every other commit that only the
// worktree remembered, such as amended ones. Names that git refuses are encoded.
// Not kept: times, extended attributes, hard links, sockets and pipes.

#pragma once

#include <string>
#include <vector>

#include "git/repository.h"
#include "git/snapshot.h"

namespace tyer::git {

struct Rescue {
  std::string id;
  std::string commit;
  std::string name;
  std::string path;
  std::string head;
  std::string branch;
  std::string base;
  std::string tip;       // Of the branch tyer/NAME, wherever HEAD was.
  bool had_tree = true;  // Its files were there.
  std::string why;
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  Time at{};
};

// Gives it its ref. When this returns, it survives power loss.
[[nodiscard]] Result<Rescue> keep(const Runner& runner, const Repository& repository,
                                  const Holding& holding, const Snapshot& snapshot,
                                  const std::string& why);

// All of them, oldest first.
[[nodiscard]] Result<std::vector<Rescue>> rescues(const Runner& runner,
                                                  const Repository& repository);

// `not_found` if there is none; the beginning of an id is enough if it is unique.
[[nodiscard]] Result<Rescue> find_rescue(const Runner& runner, const Repository& repository,
                                         const std::string& id);

}  // namespace tyer::git
