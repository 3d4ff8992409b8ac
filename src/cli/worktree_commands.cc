#include <filesystem>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/repository_work.h"
#include "cli/run_tree.h"
#include "git/merge.h"
#include "git/names.h"
#include "git/worktrees.h"

namespace tyer::cli {
namespace {

Json null_if_empty(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json tree_json(const git::Tree& tree) {
  return {{"name", tree.name},
          {"path", tree.path},
          {"branch", null_if_empty(git::short_ref(tree.checked_out))},
          {"head", null_if_empty(tree.head)},
          {"base", null_if_empty(git::short_ref(tree.base))}};
}

Json rescue_id(const std::optional<git::Rescue>& kept) {
  return kept ? Json(kept->id) : Json(nullptr);
}

std::string kept_line(const std::optional<git::Rescue>& kept, std::string_view what) {
  if (!kept) return "";
  return fmt::format("  {} is kept: tyer rescue restore {}\n", what, kept->id);
}

std::string state_word(const git::Tree& tree, const git::State& state) {
  if (!tree.exists) return "missing";
  if (tree.half_made) return "half made";
  if (tree.locked) {
    return tree.lock_reason.empty() ? "locked"
                                    : fmt::format("locked: {}", printable(tree.lock_reason, 80));
  }
  if (!state.operation.empty()) return fmt::format("in a {}", state.operation);
  if (state.changed > 0) return "dirty";
  return state.ahead > 0 ? "not merged" : "clean";
}

Json side_json(const std::optional<git::Side>& side) {
  if (!side) return nullptr;
  return {{"mode", side->mode}, {"object", side->object}};
}

void print_conflicts(World& world, const git::Merged& merged, bool json) {
  const std::string ours = git::short_ref(merged.into);
  const std::string theirs = git::short_ref(merged.from);
  if (json) {
    Json conflicts = Json::array();
    for (const git::Conflict& conflict : merged.conflicts) {
      conflicts.push_back({{"path", conflict.path},
                           {"base", side_json(conflict.base)},
                           {"into", side_json(conflict.ours)},
                           {"from", side_json(conflict.theirs)}});
    }
    world.output.print(dump_json({{"merged", false},
                                  {"from", theirs},
                                  {"into", ours},
                                  {"fromCommit", merged.from_commit},
                                  {"intoCommit", merged.into_commit},
                                  {"committed", null_if_empty(merged.committed)},
                                  {"conflicts", conflicts},
                                  {"messages", merged.messages}}) +
                       "\n");
    return;
  }
  world.output.warn(
      fmt::format("tyer: {} ({:.12}) and {} ({:.12}) are in conflict; nothing was "
                  "merged\n",
                  theirs, merged.from_commit, ours, merged.into_commit));
  for (const git::Conflict& conflict : merged.conflicts) {
    const auto side = [&](const std::optional<git::Side>& there, const std::string& name) {
      const std::string_view what = !there ? "removed" : conflict.base ? "changed" : "added";
      return fmt::format("{} in {}", what, name);
    };
    world.output.warn(fmt::format("  {}: {}, {}\n", printable(conflict.path),
                                  side(conflict.ours, ours), side(conflict.theirs, theirs)));
  }
  for (const std::string& message : merged.messages) {
    world.output.warn(fmt::format("  {}\n", printable(message, 400)));
  }
}

void print_merged(World& world, const git::Merged& merged, bool json) {
  const std::string from = git::short_ref(merged.from);
  const std::string into = git::short_ref(merged.into);
  if (json) {
    world.output.print(dump_json({{"merged", true},
                                  {"from", from},
                                  {"into", into},
                                  {"fromCommit", merged.from_commit},
                                  {"intoCommit", merged.into_commit},
                                  {"commit", null_if_empty(merged.commit)},
                                  {"committed", null_if_empty(merged.committed)},
                                  {"checkout", null_if_empty(merged.checkout)}}) +
                       "\n");
    return;
  }
  if (!merged.committed.empty()) {
    world.output.print(fmt::format("{}: committed as {:.12}\n", from, merged.committed));
  }
  if (merged.commit.empty()) {
    world.output.print(fmt::format("{}: is in {} already\n", from, into));
    return;
  }
  world.output.print(fmt::format("{}: merged into {} as {:.12}\n", from, into, merged.commit));
}

// Who removes what it stands in has no directory afterwards, and its shell neither.
std::expected<void, Failure> check_elsewhere(const World& world, const git::Repository& repository,
                                             const git::Tree& tree) {
  std::error_code problem;
  const std::string path = std::filesystem::weakly_canonical(tree.path, problem).string();
  const bool is_there =
      !problem && !path.empty() && (world.directory + "/").starts_with(path + "/");
  if (!is_there) return {};
  return std::unexpected(
      Failure{{Fault::conflict,
               fmt::format("you are in the worktree {}, which is to be removed", tree.name)},
              fmt::format("cd {} first", printable(repository.root, 4'000))});
}

Result<git::MergeWish> read_merge(const Arguments& arguments) {
  git::MergeWish wish{.into = arguments.value("--into").value_or(""),
                      .commit = arguments.value("--commit").value_or("")};
  if (arguments.has("--into")) TYER_TRY_OK(git::check_branch(wish.into));
  if (!arguments.has("--commit")) return wish;
  if (wish.commit.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(Fault::invalid, "--commit needs a message");
  }
  if (!is_utf8(wish.commit) || wish.commit.size() > limits::message_bytes_max) {
    return fail(Fault::invalid, "--commit is not UTF-8 or too long");
  }
  return wish;
}

}  // namespace

Done run_worktree_add(World& world, const Arguments& arguments) {
  const std::string name = *arguments.value("NAME");
  const auto base = arguments.value("--base");
  TYER_TRY_OK(git::check_tree_name(name));
  if (base) TYER_TRY_OK(git::check_revision(*base));
  return work_on_repository(
      world, arguments,
      [&](const git::Runner& runner, const git::Repository& repository, engine::Engine&) -> Done {
        TYER_TRY(const git::Added added, git::add_tree(runner, repository, name, base));
        const git::Tree& tree = added.tree;
        if (arguments.has("--json")) {
          Json json = tree_json(tree);
          json["created"] = added.made;
          json["rescue"] = rescue_id(added.kept);
          world.output.print(dump_json(json) + "\n");
          return 0;
        }
        world.output.print(fmt::format(
            "{}: {} in {} on {} ({:.12})\n", name, added.made ? "made" : "is there already,",
            printable(tree.path, 4'000), git::short_ref(tree.checked_out), tree.head));
        if (added.made && added.found_branch) {
          world.output.print("  its branch was there before and is continued\n");
        }
        world.output.print(kept_line(added.kept, "what an earlier one had left"));
        return 0;
      });
}

Done run_worktree_list(World& world, const Arguments& arguments) {
  return look_at_repository(
      world, [&](const git::Runner& runner, const git::Repository& repository) -> Done {
        TYER_TRY(const std::vector<git::Tree> trees, git::list_trees(runner, repository));
        const std::map<std::string, std::string> runs = runs_in(world, arguments, trees);
        Json all = Json::array();
        std::vector<std::vector<std::string>> rows{
            {"NAME", "BRANCH", "HEAD", "BASE", "CHANGED", "AHEAD", "STATE", "RUN"}};
        for (const git::Tree& tree : trees) {
          const auto run = runs.find(tree.name);
          const std::string works_there = run == runs.end() ? "" : run->second;
          TYER_TRY(const git::State state, git::look(runner, repository, tree, git::Care::quick));
          Json json = tree_json(tree);
          json["changed"] = state.changed;
          json["ahead"] = state.ahead;
          json["operation"] = null_if_empty(state.operation);
          json["missing"] = !tree.exists;
          json["locked"] = tree.locked;
          json["state"] = state_word(tree, state);
          json["run"] = null_if_empty(works_there);
          all.push_back(std::move(json));
          const std::string branch =
              tree.checked_out.empty() ? "(detached)" : git::short_ref(tree.checked_out);
          rows.push_back({tree.name, printable(branch, 80), tree.head.substr(0, 12),
                          printable(git::short_ref(tree.base), 80), std::to_string(state.changed),
                          std::to_string(state.ahead), state_word(tree, state), works_there});
        }
        if (arguments.has("--json")) {
          world.output.print(dump_json(all) + "\n");
        } else {
          world.output.print(trees.empty() ? "No worktrees.\n" : table(rows));
        }
        return 0;
      });
}

Done run_worktree_remove(World& world, const Arguments& arguments) {
  const std::string name = *arguments.value("NAME");
  TYER_TRY_OK(git::check_tree_name(name));
  const git::Removal how{.force = arguments.has("--force"),
                         .discard_ignored = arguments.has("--discard-ignored")};
  return work_on_repository(
      world, arguments,
      [&](const git::Runner& runner, const git::Repository& repository,
          engine::Engine& engine) -> Done {
        TYER_TRY_OK(check_no_run(engine, repository, name));
        TYER_TRY(const git::Tree tree, git::find_tree(runner, repository, name));
        TYER_TRY_OK(check_elsewhere(world, repository, tree));
        const auto removed = git::remove_tree(runner, repository, name, how);
        if (!removed) {
          const Error& error = removed.error();
          const bool kept = error.what.contains(" is kept: ");
          const std::string_view hint = !kept ? ""
                                        : error.fault == Fault::limit
                                            ? "--discard-ignored gives them up"
                                            : "--force rescues all that it holds and removes it";
          return std::unexpected(Failure{error, std::string(hint)});
        }
        if (arguments.has("--json")) {
          world.output.print(dump_json({{"name", name},
                                        {"path", removed->tree.path},
                                        {"removed", removed->was_there},
                                        {"rescue", rescue_id(removed->kept)}}) +
                             "\n");
          return 0;
        }
        world.output.print(
            fmt::format("{}: {}\n", name, removed->was_there ? "removed" : "is not there"));
        world.output.print(kept_line(removed->kept, "what it held"));
        return 0;
      });
}

Done run_worktree_merge(World& world, const Arguments& arguments) {
  const std::string name = *arguments.value("NAME");
  TYER_TRY_OK(git::check_tree_name(name));
  TYER_TRY(const git::MergeWish wish, read_merge(arguments));
  return work_on_repository(world, arguments,
                            [&](const git::Runner& runner, const git::Repository& repository,
                                engine::Engine& engine) -> Done {
                              TYER_TRY_OK(check_no_run(engine, repository, name));
                              TYER_TRY(const git::Merged merged,
                                       git::merge_tree(runner, repository, name, wish));
                              const bool json = arguments.has("--json");
                              if (!merged.conflicts.empty()) {
                                print_conflicts(world, merged, json);
                                return 1;
                              }
                              print_merged(world, merged, json);
                              return 0;
                            });
}

}  // namespace tyer::cli
