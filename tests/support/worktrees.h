// A git repository of a test's own, and exact pictures of what lies in a directory.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/demo.h"

namespace tyer::testing {

// Every file, link and directory below `top` by its path, with kind, permissions
// and content. Without the `.git` at the top, which leads to the repository.
using Picture = std::map<std::string, std::string>;
[[nodiscard]] Picture picture_of(const std::string& top);

// What differs, for a message.
[[nodiscard]] std::string difference(const Picture& wanted, const Picture& found);

// A repository in the test's directory: branch main, one commit with `a`, `d/b`, `run`
// (which may be executed) and `.gitignore` (`*.log`, `out/`).
class WorktreeTest : public ProgramTest {
 protected:
  WorktreeTest();

  // Runs a script in `directory`; fails the test if it fails. What it printed.
  std::string sh(const std::string& script, const std::string& directory = "") const;

  [[nodiscard]] std::string tree(const std::string& name) const {
    return dir / (".tyer/worktrees/" + name);
  }

  // Runs tyer, which must end with 0; what it printed.
  std::string ok(const std::string& line) const;

  // Makes a worktree and runs a script in it.
  void make_tree(const std::string& name, const std::string& script = "true") const;

  // Ids of all rescues, oldest first.
  [[nodiscard]] std::vector<std::string> rescues() const;

  // What git says about the worktree at `path`: HEAD, index, state, a merge under way.
  [[nodiscard]] std::string git_state(const std::string& path) const;
};

}  // namespace tyer::testing
