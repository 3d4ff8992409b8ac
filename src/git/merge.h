// Merging a worktree's branch into another without touching anybody's files first (T17).
//
// The merge is computed in the repository alone. Only if it has no conflict does a
// commit appear, and the target moves to it by compare-and-swap, as a fast-forward. A
// checkout of the target follows only if nothing in it is changed.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "git/worktrees.h"

namespace tyer::git {

struct Side {
  std::string mode;
  std::string object;
};

struct Conflict {
  std::string path;
  std::optional<Side> base;
  std::optional<Side> ours;    // Of the target.
  std::optional<Side> theirs;  // Of the worktree.
};

struct MergeWish {
  std::string into;    // A branch; empty: what the worktree was made from.
  std::string commit;  // If not empty: commit all that is not committed, with this message.
};

struct Merged {
  std::string from;  // "refs/heads/tyer/NAME"
  std::string into;  // "refs/heads/main"
  std::string from_commit;
  std::string into_commit;  // Before the merge.
  std::string commit;       // The merge; empty: there was nothing to merge, or conflicts.
  std::string committed;    // What `MergeWish::commit` made.
  std::string checkout;     // The one that followed.
  std::vector<Conflict> conflicts;
  std::vector<std::string> messages;  // Git's, about conflicts.
};

[[nodiscard]] Result<Merged> merge_tree(const Runner& runner, const Repository& repository,
                                        const std::string& name, const MergeWish& wish);

// Commits all files but ignored ones. The commit, or nothing if there is nothing to commit.
[[nodiscard]] Result<std::string> commit_all(const Runner& runner, const Repository& repository,
                                             const Tree& tree, const std::string& message);

}  // namespace tyer::git
