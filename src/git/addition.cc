#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "git/names.h"
#include "git/removal.h"
#include "git/worktrees.h"

namespace tyer::git {
namespace {

struct Base {
  std::string branch;  // "refs/heads/…"; empty: only a commit.
  std::string commit;
};

Result<Base> find_base(const Runner& runner, const Repository& repository,
                       const std::optional<std::string>& wanted) {
  Base base;
  if (!wanted) {
    TYER_TRY(const auto branch, symbolic(runner, repository, "HEAD"));
    base.branch = branch.value_or("");
  } else {
    TYER_TRY_OK(check_revision(*wanted));
    TYER_TRY(const Answer named,
             runner.ask(in(repository, {"rev-parse", "--symbolic-full-name", *wanted})));
    const std::string ref = named.out.substr(0, named.out.find('\n'));
    if (named.code == 0 && ref.starts_with("refs/heads/")) base.branch = ref;
  }
  TYER_TRY(const auto commit, resolve(runner, repository, wanted.value_or("HEAD") + "^{commit}"));
  if (!commit && !wanted) {
    return fail(Fault::conflict, "the repository has no commit yet; make one first");
  }
  if (!commit) {
    return fail(Fault::not_found, fmt::format("there is no commit '{}'", printable(*wanted, 80)));
  }
  base.commit = *commit;
  return base;
}

Result<> check_contains(const Runner& runner, const Repository& repository, const Tree& tree,
                        const std::string& has, const Base& base) {
  TYER_TRY(const std::size_t lacks, commits_beyond(runner, repository, base.commit, has));
  if (lacks == 0) return {};
  return fail(Fault::conflict,
              fmt::format("{} exists and lacks {} commit{} of {}; merge them there, or remove it",
                          tree.name, lacks, lacks == 1 ? "" : "s",
                          short_ref(base.branch.empty() ? base.commit : base.branch)));
}

// One that is there: right, or said to be wrong.
Result<> check_present(const Runner& runner, const Repository& repository, const Tree& tree,
                       const std::optional<Base>& base) {
  if (tree.checked_out != branch_of(tree.name)) {
    return fail(Fault::conflict, fmt::format("{} exists but has {} checked out, not {}", tree.name,
                                             tree.checked_out.empty() ? "a detached HEAD"
                                                                      : short_ref(tree.checked_out),
                                             short_ref(branch_of(tree.name))));
  }
  if (!base || tree.head.empty()) return {};
  return check_contains(runner, repository, tree, tree.head, *base);
}

// Names are branches and directories, where "a" and "a/b" exclude each other.
Result<> check_free(const Runner& runner, const Repository& repository, const Tree& tree) {
  if (tree.exists && tree.admin.empty()) {
    return fail(Fault::conflict,
                fmt::format("{} is there and no worktree of this repository; move it away, or "
                            "rescue and remove it with 'tyer worktree remove {} --force'",
                            printable(tree.path), tree.name));
  }
  if (tree.locked) {
    return fail(Fault::conflict,
                fmt::format("{} is missing, and locked{}", printable(tree.path),
                            tree.lock_reason.empty() ? "" : ": " + printable(tree.lock_reason)));
  }
  TYER_TRY(const std::vector<Checkout> all, checkouts(runner, repository));
  TYER_TRY_OK(check_nesting(repository, all, tree));
  for (const Checkout& other : all) {
    if (other.branch == branch_of(tree.name) && other.path != tree.path) {
      return fail(Fault::conflict, fmt::format("{} is checked out in {}", short_ref(other.branch),
                                               printable(other.path)));
    }
  }
  return {};
}

Result<> make(const Runner& runner, const Repository& repository, const Tree& tree) {
  TYER_TRY_OK(exclude_tyer(runner, repository));
  TYER_TRY_OK(
      runner.env().files.make_directory(std::filesystem::path(tree.path).parent_path().string()));
  Call add = in(repository, {"worktree", "add", "--quiet", "--lock", "--reason",
                             std::string(our_mark) + "making it", "--", tree.path,
                             short_ref(branch_of(tree.name))});
  add.at_most = limits::git_slow_max;
  TYER_TRY_OK(runner.run(add));
  TYER_TRY_OK(runner.run(in(repository, {"worktree", "unlock", "--", tree.path})));
  return {};
}

struct Plan {
  Tree tree;
  std::optional<Base> base;  // If one is wanted or needed.
  bool is_there = false;     // Nothing is to be done.
};

Result<Plan> plan(const Runner& runner, const Repository& repository, const std::string& name,
                  const std::optional<std::string>& wanted) {
  TYER_TRY_OK(check_tree_name(name));
  Plan plan;
  TYER_TRY(plan.tree, find_tree(runner, repository, name));
  const Tree& tree = plan.tree;
  if (wanted) {
    TYER_TRY(plan.base, find_base(runner, repository, wanted));
  }
  plan.is_there = tree.exists && !tree.admin.empty() && !tree.half_made;
  if (plan.is_there) {
    TYER_TRY_OK(check_present(runner, repository, tree, plan.base));
    return plan;
  }
  TYER_TRY_OK(check_free(runner, repository, tree));
  if (!tree.tip.empty() && plan.base) {
    TYER_TRY_OK(check_contains(runner, repository, tree, tree.tip, *plan.base));
  }
  if (!plan.base && (tree.tip.empty() || tree.base.empty())) {
    TYER_TRY(plan.base, find_base(runner, repository, std::nullopt));
  }
  return plan;
}

}  // namespace

Result<Tree> check_addition(const Runner& runner, const Repository& repository,
                            const std::string& name, const std::optional<std::string>& base) {
  TYER_TRY(Plan planned, plan(runner, repository, name, base));
  return std::move(planned.tree);
}

Result<Added> add_tree(const Runner& runner, const Repository& repository, const std::string& name,
                       const std::optional<std::string>& wanted) {
  TYER_TRY_OK(check_tree_name(name));
  TYER_TRY_OK(settle(runner, repository));
  TYER_TRY(Plan planned, plan(runner, repository, name, wanted));
  Tree& tree = planned.tree;
  if (planned.is_there) return Added{.tree = std::move(tree), .found_branch = true};
  Added added{.made = true, .found_branch = !tree.tip.empty()};
  if (!tree.admin.empty()) {
    TYER_TRY(added.kept,
             clear_tree(runner, repository, tree,
                        {.why = tree.half_made ? "was half made" : "its directory was gone",
                         .drop_branch = false,
                         .missing_counts = false}));
  }
  if (const auto& base = planned.base) {
    TYER_TRY_OK(point_ref(runner, repository, base_ref(name),
                          base->branch.empty() ? base->commit : base->branch));
  }
  if (tree.tip.empty()) {
    TYER_TRY_OK(move_ref(runner, repository, branch_of(name), planned.base->commit, ""));
  }
  TYER_TRY_OK(make(runner, repository, tree));
  TYER_TRY(added.tree, find_tree(runner, repository, name));
  return added;
}

}  // namespace tyer::git
