// Worktrees for agents: `.tyer/worktrees/NAME` on the branch `tyer/NAME` (T16).
//
// Every verb says what shall be, so it can be repeated after a crash: what is there
// and right is left alone, what is half made is made again. Nothing is removed that
// git does not have: see rescue.h. What was a worktree's base is the ref
// `refs/tyer/base/NAME`; all other state is git's own.
//
// Callers see to it that only one of them is at work in a repository at a time.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "git/repository.h"
#include "git/rescue.h"

namespace tyer::git {

struct Tree {
  std::string name;
  std::string path;
  std::string admin;        // git's directory for it; empty: git does not know it.
  bool exists = false;      // The directory is there.
  std::string head;         // Its commit; empty: none.
  std::string checked_out;  // "refs/heads/…"; empty: detached.
  std::string tip;          // Of its own branch tyer/NAME; empty: there is none.
  std::string base;         // "refs/heads/main", or a commit; what it was made from.
  bool locked = false;      // By somebody else.
  std::string lock_reason;
  bool half_made = false;  // Whoever made it did not come to an end.

  // Somebody removed its directory by hand.
  [[nodiscard]] bool is_missing() const { return !exists && !admin.empty() && !half_made; }
  [[nodiscard]] bool is_anything() const { return exists || !admin.empty() || !tip.empty(); }
};

struct State {
  std::size_t changed = 0;  // Files: staged, changed or untracked; not ignored ones.
  std::size_t ahead = 0;    // Commits that the base has not.
  std::string operation;    // "merge", "rebase", …: not finished.
};

// By the index, as `git status` does; or by every byte, whatever the index was told to assume.
enum class Care : std::uint8_t { quick, exact };

struct Added {
  Tree tree;
  bool made = false;           // It was not there before.
  bool found_branch = false;   // Its branch was.
  std::optional<Rescue> kept;  // What a half-made or vanished one had left.
};

struct Removal {
  bool force = false;            // Also what is dirty or not merged.
  bool discard_ignored = false;  // Ignored files are given up.
};

struct Removed {
  Tree tree;
  bool was_there = false;
  std::optional<Rescue> kept;
};

// What there is of it, perhaps nothing.
[[nodiscard]] Result<Tree> find_tree(const Runner& runner, const Repository& repository,
                                     const std::string& name);

[[nodiscard]] Result<std::vector<Tree>> list_trees(const Runner& runner,
                                                   const Repository& repository);

[[nodiscard]] Result<State> look(const Runner& runner, const Repository& repository,
                                 const Tree& tree, Care care);

// From `base`, by default what the main checkout has checked out.
[[nodiscard]] Result<Added> add_tree(const Runner& runner, const Repository& repository,
                                     const std::string& name,
                                     const std::optional<std::string>& base);

// What there is of it, or why `add_tree` would refuse, as far as one can see who only looks.
[[nodiscard]] Result<Tree> check_addition(const Runner& runner, const Repository& repository,
                                          const std::string& name,
                                          const std::optional<std::string>& base);

// `conflict` for one that is dirty, not merged, locked, or has submodules; `limit` if
// its ignored files are more than limits::rescue_ignored_bytes_max.
[[nodiscard]] Result<Removed> remove_tree(const Runner& runner, const Repository& repository,
                                          const std::string& name, const Removal& how);

struct Restored {
  std::string path;
  std::string head;
  std::string branch;  // Empty: HEAD is detached.
};

// Brings a rescue back as a worktree: in `to`, by default where it was. Its branch is
// checked out if nobody has moved it on or uses it; otherwise HEAD is detached.
[[nodiscard]] Result<Restored> restore(const Runner& runner, const Repository& repository,
                                       const Rescue& rescue, const std::string& to);

// The directories where half-finished work of an earlier call lies are put in order.
[[nodiscard]] Result<> settle(const Runner& runner, const Repository& repository);

}  // namespace tyer::git
