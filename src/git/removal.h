// Taking a worktree away, in an order in which a crash loses nothing.
//
//   1. All it holds is written into the repository, and given a ref if git did not
//      have it already.
//   2. Its directory is moved aside at once, where nobody looks for it.
//   3. It is compared with what was written; what came in between is written too.
//   4. It is marked as done, git forgets it, its branch goes, the files go.
//
// What is found aside without the mark is moved back (`settle`).

#pragma once

#include "git/worktrees.h"

namespace tyer::git {

struct Clearing {
  std::string why;
  bool drop_branch = true;
  bool missing_counts = true;  // A file that is only missing is a change.
  bool unmerged = false;       // Its commits are nowhere else.
  std::set<std::string> left_out = {};
};

[[nodiscard]] Result<std::optional<Rescue>> clear_tree(const Runner& runner,
                                                       const Repository& repository,
                                                       const Tree& tree, Clearing clearing);

// The refs behind a worktree's name.
[[nodiscard]] std::string base_ref(std::string_view name);

// `conflict` if one of the checkouts lies in the worktree or around it, so that what
// happens to one would happen to the other unseen.
[[nodiscard]] Result<> check_nesting(const Repository& repository,
                                     const std::vector<Checkout>& checkouts, const Tree& tree);

// Git's lock on a worktree while it is not complete; what it says begins like this.
inline constexpr std::string_view our_mark = "tyer is ";

}  // namespace tyer::git
