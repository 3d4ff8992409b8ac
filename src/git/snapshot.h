// All that a worktree holds, written into its repository before anything is removed.
//
// What is in it and how is told in rescue.h. The worktree is only read: neither its
// index nor a file of it is touched.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "git/repository.h"
#include "git/walk.h"

namespace tyer::git {

// A worktree to be kept.
struct Holding {
  std::string name;                     // "" if it has none of ours.
  std::string path;                     // Where it belongs.
  std::string tree;                     // Where its files are now; empty: nowhere.
  std::string admin;                    // git's directory for it; empty: git does not know it.
  std::string head;                     // Commit; empty: none.
  std::string branch;                   // "refs/heads/…"; empty: detached.
  std::string base;                     // What it was made from.
  std::string tip;                      // Of its own branch, if it has one.
  std::set<std::string> left_out = {};  // Paths that the user gave up.
};

struct Snapshot {
  std::vector<Item> items;
  std::string id;                    // The tree described above.
  std::vector<std::string> commits;  // Beyond HEAD.
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  bool differs = false;  // From HEAD, in a file or in what is staged.
  bool adds = false;     // The same, if files that are only missing do not count.
};

// Writes all of it into the repository, to be found by nobody yet.
[[nodiscard]] Result<Snapshot> take(const Runner& runner, const Repository& repository,
                                    const Holding& holding);

}  // namespace tyer::git
