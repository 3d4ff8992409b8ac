// Which repository a directory belongs to, without starting git: what every command of tyer
// asks first.
//
// Git's own files are read, and nothing else counts: no variable such as GIT_DIR, since a hook
// that git starts has them set and stands in the repository anyway. What git would refuse, such as
// a `.git` that leads nowhere, is no error here.

#pragma once

#include <optional>
#include <string>

#include "env/files.h"

namespace tyer::git {

// Where the main checkout is of the repository whose common directory is `common`. Git knows no
// other place of a bare repository, or of one whose directory stands apart, than `common` itself.
[[nodiscard]] std::string main_checkout_of(env::Files& files, const std::string& common);

// The same for the repository that `directory` is in: the checkout itself, a linked worktree, a
// bare repository, or inside `.git`. A submodule belongs to the repository around it, since whoever
// works on one works on the other. Nothing outside of git.
[[nodiscard]] std::optional<std::string> find_main_checkout(env::Files& files,
                                                            const std::string& directory);

}  // namespace tyer::git
