// Names and revisions that people and agents give, before git sees them.
//
// Nothing that passes here can be taken for an option or leave its directory.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::git {

// One or two parts, "worker" or "team/worker", each fit for a branch and for a directory.
[[nodiscard]] Result<> check_tree_name(std::string_view name);

// A branch without "refs/heads/", by the rules of git check-ref-format.
[[nodiscard]] Result<> check_branch(std::string_view branch);

// What git is to find a commit by: "main", "HEAD~2", "v1.0^{}", "1f2e3d4".
[[nodiscard]] Result<> check_revision(std::string_view revision);

// "refs/heads/tyer/<name>".
[[nodiscard]] std::string branch_of(std::string_view name);

// "main" of "refs/heads/main", "1f2e3d4c5b6a" of a whole object id.
[[nodiscard]] std::string short_ref(std::string_view ref);

}  // namespace tyer::git
