// Programs that git runs because a repository's own configuration says so: filters of files,
// drivers of merges and diffs, what reaches a remote. Such a configuration comes with a directory
// that was unpacked or is shared, and whoever can write to the repository can change it.
//
// Hooks and the file system monitor are not among them: the runner has them off.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "git/repository.h"

namespace tyer::git {

// "filter.lfs.smudge=git-lfs smudge -- %f", in order and each once; those of all worktrees.
[[nodiscard]] Result<std::vector<std::string>> own_programs(const Runner& runner,
                                                            const Repository& repository);

// The same of what `git config --list --show-scope -z` says. Pure.
[[nodiscard]] std::vector<std::string> programs_in(std::string_view listing);

}  // namespace tyer::git
