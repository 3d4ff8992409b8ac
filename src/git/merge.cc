#include "git/merge.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "git/names.h"

namespace tyer::git {
namespace {

// "MODE OBJECT STAGE\tPATH" of each file in conflict, an empty one, then the messages.
void read_conflicts(const std::string& text, Merged& merged) {
  const std::vector<std::string> fields = split_nul(text);
  std::size_t i = 1;
  for (; i < fields.size() && !fields[i].empty(); ++i) {
    const std::string& entry = fields[i];
    const std::size_t tab = entry.find('\t');
    const std::size_t space = entry.find(' ');
    if (tab == std::string::npos || space == std::string::npos || tab < space + 3) continue;
    const std::string path = entry.substr(tab + 1);
    if (merged.conflicts.empty() || merged.conflicts.back().path != path) {
      merged.conflicts.push_back({.path = path});
    }
    Conflict& conflict = merged.conflicts.back();
    const Side side{entry.substr(0, space), entry.substr(space + 1, tab - space - 3)};
    const char stage = entry[tab - 1];
    (stage == '1' ? conflict.base : stage == '2' ? conflict.ours : conflict.theirs) = side;
  }
  // Each message: how many paths, the paths, what it is about, and the text.
  for (++i; i < fields.size();) {
    const std::size_t paths = static_cast<std::size_t>(std::atoi(fields[i].c_str()));
    const std::size_t last = i + paths + 2;
    if (last >= fields.size()) break;
    std::string message = fields[last];
    while (message.ends_with('\n')) message.pop_back();
    if (fields[last - 1].starts_with("CONFLICT")) merged.messages.push_back(std::move(message));
    i = last + 1;
  }
}

Result<std::string> merge_commit(const Runner& runner, const Repository& repository,
                                 const Merged& merged, const std::string& tree) {
  Call call =
      in(repository, {"commit-tree", tree, "-p", merged.into_commit, "-p", merged.from_commit});
  TYER_TRY(const auto who, identity(runner, repository));
  call.environment.insert(who.begin(), who.end());
  call.input =
      fmt::format("Merge branch '{}' into {}\n", short_ref(merged.from), short_ref(merged.into));
  return runner.line(call);
}

// The checkout of the target that has to follow, if there is one.
Result<std::optional<Checkout>> find_follower(const Runner& runner, const Repository& repository,
                                              const std::string& into) {
  TYER_TRY(const std::vector<Checkout> all, checkouts(runner, repository));
  std::vector<Checkout> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Checkout& checkout) {
    return checkout.branch == into && !checkout.bare;
  });
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found.front();
  return fail(Fault::conflict,
              fmt::format("{} is checked out in {} and {}; switch one of them", short_ref(into),
                          printable(found[0].path), printable(found[1].path)));
}

Result<std::string> check_follower(const Runner& runner, const Repository& repository,
                                   const Checkout& checkout, const std::string& into) {
  const auto refuse = [&](std::string_view why, std::string_view remedy) {
    return fail(Fault::conflict,
                fmt::format("{} is checked out in {}, which {}; {}", short_ref(into),
                            printable(checkout.path), why, remedy));
  };
  TYER_TRY(const auto admin, admin_of(runner, repository, checkout.path));
  std::error_code problem;
  if (!admin || !std::filesystem::is_directory(checkout.path, problem)) {
    return refuse("is missing", "bring it back, or remove it with 'git worktree remove'");
  }
  Call status = in_tree(checkout.path, *admin,
                        {"status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"});
  TYER_TRY(const std::string changes, runner.run(status));
  if (!changes.empty()) {
    return refuse(fmt::format("has {} changed file(s)", split_nul(changes).size()),
                  "commit or stash them, or switch it to another branch");
  }
  TYER_TRY(const State state,
           look(runner, repository, {.admin = *admin, .base = into}, Care::quick));
  if (!state.operation.empty()) {
    return refuse(fmt::format("is in the middle of a {}", state.operation), "finish that first");
  }
  return *admin;
}

// Moves the target to the commit, and its checkout with it.
Result<> advance(const Runner& runner, const Repository& repository, Merged& merged,
                 const std::string& commit) {
  TYER_TRY(const auto follower, find_follower(runner, repository, merged.into));
  if (!follower) {
    TYER_TRY_OK(move_ref(runner, repository, merged.into, commit, merged.into_commit));
    return {};
  }
  TYER_TRY(const std::string admin, check_follower(runner, repository, *follower, merged.into));
  // An ignored file that is in the way is somebody's file, too.
  TYER_TRY_OK(runner.run(in_tree(follower->path, admin,
                                 {"merge", "--quiet", "--ff-only", "--no-overwrite-ignore",
                                  "--no-stat", "--no-verify-signatures", commit})));
  merged.checkout = follower->path;
  return {};
}

// One attempt; nothing if somebody moved the target meanwhile.
Result<bool> try_merge(const Runner& runner, const Repository& repository, Merged& merged) {
  TYER_TRY(const auto into, resolve(runner, repository, merged.into + "^{commit}"));
  if (!into) {
    return fail(Fault::not_found, fmt::format("there is no branch {}", short_ref(merged.into)));
  }
  merged.into_commit = *into;
  TYER_TRY(const std::size_t ahead,
           commits_beyond(runner, repository, merged.from_commit, merged.into_commit));
  if (ahead == 0) return true;
  Call call = in(repository, {"merge-tree", "--write-tree", "-z", "--messages", merged.into_commit,
                              merged.from_commit});
  call.at_most = limits::git_slow_max;
  TYER_TRY(const Answer answer, runner.ask(call));
  if (answer.code == 1) {
    read_conflicts(answer.out, merged);
    return true;
  }
  if (answer.code != 0) return std::unexpected(complaint(call, answer));
  const std::string tree = answer.out.substr(0, answer.out.find('\0'));
  TYER_TRY(const std::string commit, merge_commit(runner, repository, merged, tree));
  if (const Result<> moved = advance(runner, repository, merged, commit); !moved) {
    TYER_TRY(const auto now, resolve(runner, repository, merged.into + "^{commit}"));
    if (now && *now != merged.into_commit) return false;
    return std::unexpected(moved.error());
  }
  merged.commit = commit;
  return true;
}

Result<> check_ready(const Tree& tree, const State& state, const MergeWish& wish) {
  if (!state.operation.empty()) {
    return fail(Fault::conflict, fmt::format("{} is in the middle of a {}; finish that first",
                                             tree.name, state.operation));
  }
  if (tree.exists && tree.checked_out != branch_of(tree.name)) {
    return fail(Fault::conflict, fmt::format("{} has {} checked out, not its branch {}", tree.name,
                                             tree.checked_out.empty() ? "a detached HEAD"
                                                                      : short_ref(tree.checked_out),
                                             short_ref(branch_of(tree.name))));
  }
  if (state.changed == 0 || !wish.commit.empty()) return {};
  return fail(Fault::conflict,
              fmt::format("{} has {} changed file(s) that are not committed; commit them there, "
                          "or with --commit MESSAGE",
                          tree.name, state.changed));
}

}  // namespace

Result<Merged> merge_tree(const Runner& runner, const Repository& repository,
                          const std::string& name, const MergeWish& wish) {
  Merged merged;
  if (!wish.into.empty()) TYER_TRY_OK(check_branch(wish.into));
  TYER_TRY_OK(settle(runner, repository));
  TYER_TRY(Tree tree, find_tree(runner, repository, name));
  if (tree.tip.empty()) {
    return fail(Fault::not_found, fmt::format("there is no worktree {} with a branch", name));
  }
  merged.from = branch_of(name);
  merged.into = wish.into.empty() ? tree.base : "refs/heads/" + wish.into;
  if (!merged.into.starts_with("refs/heads/")) {
    return fail(Fault::invalid, fmt::format("{} was not made from a branch; say where to merge it "
                                            "with --into BRANCH",
                                            name));
  }
  if (merged.into == merged.from) {
    return fail(Fault::invalid, fmt::format("{} cannot be merged into its own branch", name));
  }
  TYER_TRY(const State state, look(runner, repository, tree, Care::quick));
  TYER_TRY_OK(check_ready(tree, state, wish));
  merged.from_commit = tree.tip;
  if (state.changed > 0) {
    TYER_TRY(merged.committed, commit_all(runner, repository, tree, wish.commit));
    if (!merged.committed.empty()) merged.from_commit = merged.committed;
  }
  for (std::size_t i = 0; i < limits::merge_tries_max; ++i) {
    TYER_TRY(const bool done, try_merge(runner, repository, merged));
    if (done) return merged;
  }
  return fail(Fault::conflict,
              fmt::format("{} is moved by others again and again", short_ref(merged.into)));
}

Result<std::string> commit_all(const Runner& runner, const Repository& repository, const Tree& tree,
                               const std::string& message) {
  const auto call = [&](std::vector<std::string> words) {
    return in_tree(tree.path, tree.admin, std::move(words));
  };
  TYER_TRY(const std::string others,
           runner.run(call({"ls-files", "-o", "--exclude-standard", "-z"})));
  for (const std::string& path : split_nul(others)) {
    // Git would record that it is there, but nothing of what is in it.
    if (path.ends_with('/')) {
      return fail(Fault::conflict,
                  fmt::format("{} has a repository of its own in {}; move it away or ignore it",
                              tree.name, printable(path)));
    }
  }
  TYER_TRY_OK(runner.run(call({"add", "--all", "--", "."})));
  TYER_TRY(const Answer same,
           runner.ask(call({"diff-index", "--cached", "--quiet", "HEAD", "--"})));
  if (same.code == 0) return "";
  Call commit = call({"commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status",
                      "--cleanup=whitespace", "--file=-"});
  commit.input = message;
  TYER_TRY(const auto who, identity(runner, repository));
  commit.environment.insert(who.begin(), who.end());
  TYER_TRY_OK(runner.run(commit));
  return runner.line(call({"rev-parse", "--verify", "HEAD^{commit}"}));
}

}  // namespace tyer::git
