// A repository, wherever in it one stands: its main checkout, a linked worktree,
// a bare repository.
//
// All worktrees share the *common* directory, so that is what a repository is
// known by. Calls that are about one checkout name its directories to git
// explicitly: a checkout that lost its `.git` must not be taken for the one around it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "git/runner.h"

namespace tyer::git {

struct Repository {
  std::string common;  // Absolute, without symbolic links.
  std::string root;    // Of the main checkout; of a bare repository the common directory.
  std::string id;      // The same for everybody on this machine as long as it is not moved.

  [[nodiscard]] std::string trees() const { return root + "/.tyer/worktrees"; }
};

// A checkout as `git worktree list` knows it.
struct Checkout {
  std::string path;
  std::string head;    // Empty: no commit yet.
  std::string branch;  // "refs/heads/…"; empty if detached.
  bool bare = false;
  bool locked = false;
  std::string lock_reason;
};

// `not_found` if there is none in `directory` or above.
[[nodiscard]] Result<Repository> find_repository(const Runner& runner,
                                                 const std::string& directory);

// Copies the repository at `url` to `directory`, which must not exist or be empty.
[[nodiscard]] Result<Repository> clone(const Runner& runner, const std::string& url,
                                       const std::string& directory);

// A call about the repository as a whole, and one about a checkout whose own git
// directory is `admin`.
[[nodiscard]] Call in(const Repository& repository, std::vector<std::string> words);
[[nodiscard]] Call in_tree(const std::string& tree, const std::string& admin,
                           std::vector<std::string> words);

[[nodiscard]] Result<std::vector<Checkout>> checkouts(const Runner& runner,
                                                      const Repository& repository);

// The git directory of the checkout at `path`; nothing if git knows none there.
[[nodiscard]] Result<std::optional<std::string>> admin_of(const Runner& runner,
                                                          const Repository& repository,
                                                          const std::string& path);

// The object that `name` leads to, such as "HEAD^{commit}"; nothing if there is none.
[[nodiscard]] Result<std::optional<std::string>> resolve(const Runner& runner,
                                                         const Repository& repository,
                                                         const std::string& name);

// Where the symbolic ref leads; nothing if it is none.
[[nodiscard]] Result<std::optional<std::string>> symbolic(const Runner& runner,
                                                          const Repository& repository,
                                                          const std::string& ref);

// How many commits `of` has that `in` has not; all, if `in` is empty.
[[nodiscard]] Result<std::size_t> commits_beyond(const Runner& runner, const Repository& repository,
                                                 const std::string& of, const std::string& in);

// Moves the ref from `before` (empty: it must not exist) to `after` (empty: it is
// deleted), unless somebody else has moved it: then `conflict`.
[[nodiscard]] Result<> move_ref(const Runner& runner, const Repository& repository,
                                const std::string& ref, const std::string& after,
                                const std::string& before);

// Lets the ref lead to another one ("refs/…") or to a commit, wherever it led; empty: deletes it.
[[nodiscard]] Result<> point_ref(const Runner& runner, const Repository& repository,
                                 const std::string& ref, const std::string& target);

// Variables for a commit that make `tyer <tyer@localhost>` of whoever is not configured.
[[nodiscard]] Result<std::map<std::string, std::string>> identity(const Runner& runner,
                                                                  const Repository& repository);

// Keeps `.tyer/` out of `git status` in every checkout, without touching a file of the user's.
[[nodiscard]] Result<> exclude_tyer(const Runner& runner, const Repository& repository);

}  // namespace tyer::git
