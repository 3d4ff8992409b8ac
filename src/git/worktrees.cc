#include "git/worktrees.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "git/names.h"
#include "git/removal.h"
#include "git/scratch.h"

namespace tyer::git {
namespace {

namespace fs = std::filesystem;

Result<std::string> base_of(const Runner& runner, const Repository& repository,
                            const std::string& name) {
  const std::string ref = base_ref(name);
  TYER_TRY(const auto branch, symbolic(runner, repository, ref));
  TYER_TRY(const auto commit, resolve(runner, repository, ref + "^{commit}"));
  if (commit) return branch.value_or(*commit);
  // Made by hand, or its base is gone: what the main checkout has.
  TYER_TRY(const auto main, symbolic(runner, repository, "HEAD"));
  TYER_TRY(const auto head, resolve(runner, repository, "HEAD^{commit}"));
  return head ? main.value_or(*head) : "";
}

Result<Tree> tree_of(const Runner& runner, const Repository& repository, const std::string& name,
                     const std::vector<Checkout>& all) {
  Tree tree{.name = name, .path = fmt::format("{}/{}", repository.trees(), name)};
  std::error_code problem;
  tree.exists = fs::exists(fs::symlink_status(tree.path, problem));
  TYER_TRY(const auto tip, resolve(runner, repository, branch_of(name) + "^{commit}"));
  tree.tip = tip.value_or("");
  TYER_TRY(tree.base, base_of(runner, repository, name));
  const auto known = std::ranges::find(all, tree.path, &Checkout::path);
  if (known == all.end()) {
    // A directory for other worktrees is none itself.
    const bool is_group = std::ranges::any_of(
        all, [&](const Checkout& other) { return other.path.starts_with(tree.path + "/"); });
    if (is_group || fs::is_empty(tree.path, problem)) tree.exists = false;
    return tree;
  }
  TYER_TRY(const auto admin, admin_of(runner, repository, tree.path));
  tree.admin = admin.value_or("");
  tree.head = known->head;
  tree.checked_out = known->branch;
  tree.lock_reason = known->lock_reason;
  // The second is what git itself says while it makes one.
  tree.half_made = known->locked && (known->lock_reason.starts_with(our_mark) ||
                                     known->lock_reason == "initializing");
  tree.locked = known->locked && !tree.half_made;
  return tree;
}

std::string operation_of(const std::string& admin) {
  constexpr std::array<std::pair<const char*, const char*>, 6> marks{
      {{"MERGE_HEAD", "merge"},
       {"rebase-merge", "rebase"},
       {"rebase-apply", "rebase"},
       {"CHERRY_PICK_HEAD", "cherry-pick"},
       {"REVERT_HEAD", "revert"},
       {"BISECT_LOG", "bisect"}}};
  for (const auto& [file, name] : marks) {
    std::error_code problem;
    if (fs::exists(fs::path(admin) / file, problem)) return name;
  }
  return "";
}

Result<std::set<std::string>> changed_files(const Runner& runner, const Call& status) {
  TYER_TRY(const std::string text, runner.run(status));
  std::set<std::string> files;
  for (const std::string& entry : split_nul(text)) {
    if (entry.size() > 3) files.insert(entry);
  }
  return files;
}

const std::vector<std::string> status_words{"status",       "--porcelain=v1",
                                            "-z",           "--untracked-files=all",
                                            "--no-renames", "--ignore-submodules=none"};

// Compares every file with HEAD, in an index that has never seen them: what "assume
// unchanged" or a time that was set back would hide is seen.
Result<std::size_t> count_exactly(const Runner& runner, const Repository& repository,
                                  const Tree& tree) {
  TYER_TRY(const Scratch scratch, Scratch::make(runner, repository));
  const auto call = [&](std::vector<std::string> words) {
    return in_tree(tree.path, tree.admin, std::move(words));
  };
  std::set<std::string> paths;
  TYER_TRY(const auto staged, changed_files(runner, call(status_words)));
  for (const std::string& entry : staged) paths.insert(entry.substr(3));

  TYER_TRY(const std::string flags, runner.run(call({"ls-files", "-v", "-z"})));
  std::set<std::string> absent;  // On purpose, as in a sparse checkout.
  for (const std::string& entry : split_nul(flags)) {
    if (entry.starts_with("S ") || entry.starts_with("s ")) absent.insert(entry.substr(2));
  }
  Call read = call({"read-tree", tree.head});
  Call fresh = call(status_words);
  read.environment["GIT_INDEX_FILE"] = fresh.environment["GIT_INDEX_FILE"] = scratch.index();
  if (!tree.head.empty()) TYER_TRY_OK(runner.run(read));
  TYER_TRY(const auto seen, changed_files(runner, fresh));
  for (const std::string& entry : seen) {
    const bool is_absent = entry.starts_with(" D ") && absent.contains(entry.substr(3));
    if (!is_absent) paths.insert(entry.substr(3));
  }
  return paths.size();
}

// "3 changed files, 2 commits that main has not"; empty if nothing is in the way.
std::string reasons(const Tree& tree, const State& state) {
  std::string text;
  const auto add = [&](const std::string& reason) { text += (text.empty() ? "" : ", ") + reason; };
  const auto many = [](std::size_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
  };
  if (state.changed > 0) add(many(state.changed, "changed file"));
  if (state.ahead > 0) {
    const std::string base = tree.base.empty() ? "the main checkout" : short_ref(tree.base);
    add(fmt::format("{} that {} has not", many(state.ahead, "commit"), base));
  }
  if (!state.operation.empty()) add(fmt::format("a {} that is not finished", state.operation));
  return text;
}

// Whether a branch or tag other than its own leads to the worktree's commits. One that
// was made from a bare commit has no base that will be there tomorrow.
Result<bool> is_led_to(const Runner& runner, const Repository& repository, const Tree& tree) {
  if (tree.base.starts_with("refs/heads/")) return true;
  for (const std::string& commit : {tree.head, tree.tip}) {
    if (commit.empty()) continue;
    TYER_TRY(const std::string refs,
             runner.run(in(repository, {"for-each-ref", "--format=%(refname)", "--contains", commit,
                                        "refs/heads", "refs/tags", "refs/remotes"})));
    if (refs.empty() || refs == branch_of(tree.name) + "\n") return false;
  }
  return true;
}

struct Ignored {
  std::set<std::string> paths;
  std::uint64_t bytes = 0;
};

Result<Ignored> ignored_files(const Runner& runner, const Tree& tree) {
  Ignored ignored;
  if (!tree.exists || tree.admin.empty()) return ignored;
  TYER_TRY(const std::string text,
           runner.run(in_tree(tree.path, tree.admin,
                              {"ls-files", "-o", "-i", "--exclude-standard", "-z"})));
  for (const std::string& path : split_nul(text)) {
    ignored.paths.insert(path);
    std::error_code problem;
    const fs::path whole = tree.path + "/" + path;
    if (!path.ends_with('/')) {
      const auto bytes = fs::is_symlink(whole, problem) ? 0 : fs::file_size(whole, problem);
      ignored.bytes += problem ? 0 : bytes;
      continue;
    }
    TYER_TRY(const std::vector<Item> items, walk(whole.string()));
    for (const Item& item : items) ignored.bytes += item.bytes;
  }
  return ignored;
}

// Repositories of submodules lie in git's own directory for the worktree.
Result<> check_submodules(const Tree& tree) {
  if (tree.admin.empty()) return {};
  std::error_code problem;
  const std::string modules = tree.admin + "/modules";
  if (!fs::exists(modules, problem) || fs::is_empty(modules, problem)) return {};
  return fail(Fault::conflict,
              fmt::format("{} has submodules with repositories of their own, in {}; push what is "
                          "in them, then remove that directory",
                          tree.name, printable(modules)));
}

}  // namespace

Result<Tree> find_tree(const Runner& runner, const Repository& repository,
                       const std::string& name) {
  TYER_TRY_OK(check_tree_name(name));
  TYER_TRY(const std::vector<Checkout> all, checkouts(runner, repository));
  return tree_of(runner, repository, name, all);
}

Result<std::vector<Tree>> list_trees(const Runner& runner, const Repository& repository) {
  const std::string prefix = repository.trees() + "/";
  TYER_TRY(const std::vector<Checkout> all, checkouts(runner, repository));
  std::vector<Tree> trees;
  for (const Checkout& checkout : all) {
    if (!checkout.path.starts_with(prefix)) continue;
    const std::string name = checkout.path.substr(prefix.size());
    if (!check_tree_name(name)) continue;
    TYER_TRY(Tree tree, tree_of(runner, repository, name, all));
    trees.push_back(std::move(tree));
  }
  std::ranges::sort(trees, {}, &Tree::name);
  return trees;
}

Result<State> look(const Runner& runner, const Repository& repository, const Tree& tree,
                   Care care) {
  State state;
  if (tree.exists && tree.admin.empty()) {
    TYER_TRY(const std::vector<Item> items, walk(tree.path));
    state.changed = items.size();
  } else if (tree.exists && care == Care::exact) {
    TYER_TRY(state.changed, count_exactly(runner, repository, tree));
  } else if (tree.exists) {
    TYER_TRY(const auto files, changed_files(runner, in_tree(tree.path, tree.admin, status_words)));
    state.changed = files.size();
  }
  if (!tree.admin.empty()) state.operation = operation_of(tree.admin);
  for (const std::string& commit : {tree.head, tree.tip}) {
    if (commit.empty()) continue;
    TYER_TRY(const std::size_t ahead, commits_beyond(runner, repository, commit, tree.base));
    state.ahead = std::max(state.ahead, ahead);
  }
  return state;
}

Result<Removed> remove_tree(const Runner& runner, const Repository& repository,
                            const std::string& name, const Removal& how) {
  TYER_TRY_OK(check_tree_name(name));
  TYER_TRY_OK(settle(runner, repository));
  TYER_TRY(const std::vector<Checkout> all, checkouts(runner, repository));
  TYER_TRY(const Tree tree, tree_of(runner, repository, name, all));
  TYER_TRY_OK(check_nesting(repository, all, tree));
  if (!tree.is_anything()) return Removed{.tree = tree};
  if (tree.locked) {
    return fail(Fault::conflict,
                fmt::format("{} is locked{}; 'git worktree unlock {}' unlocks it", name,
                            tree.lock_reason.empty() ? "" : ": " + printable(tree.lock_reason),
                            printable(tree.path)));
  }
  TYER_TRY(const State state, look(runner, repository, tree, Care::exact));
  const std::string why = reasons(tree, state);
  if (!why.empty() && !how.force) {
    return fail(Fault::conflict, fmt::format("{} is kept: it has {}", name, why));
  }
  TYER_TRY_OK(check_submodules(tree));
  TYER_TRY(Ignored ignored, ignored_files(runner, tree));
  if (ignored.bytes > limits::rescue_ignored_bytes_max && !how.discard_ignored) {
    return fail(Fault::limit,
                fmt::format("{} is kept: it has {} ignored files with {} MiB, more than the {} MiB "
                            "that are rescued",
                            name, ignored.paths.size(), ignored.bytes >> 20,
                            limits::rescue_ignored_bytes_max >> 20));
  }
  TYER_TRY(const bool led_to, is_led_to(runner, repository, tree));
  Clearing clearing{.why = why.empty() ? "removed" : fmt::format("removed with {}", why),
                    .unmerged = state.ahead > 0 || !state.operation.empty() || !led_to};
  if (how.discard_ignored) clearing.left_out = std::move(ignored.paths);
  TYER_TRY(auto kept, clear_tree(runner, repository, tree, std::move(clearing)));
  return Removed{.tree = tree, .was_there = true, .kept = std::move(kept)};
}

}  // namespace tyer::git
