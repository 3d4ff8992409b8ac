// The rows of the commands about worktrees, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"

namespace tyer::cli {

namespace rows {

inline constexpr ExitCode done{0, "done"};
inline constexpr ExitCode wrong{2, "wrong usage"};
inline constexpr ExitCode busy{5, "a time or size limit, or a full disk"};
inline constexpr ExitCode unreachable{3, "git or the store is out of reach"};
inline constexpr ExitCode no_repository{1, "there is no git repository here"};

inline constexpr std::array tree_operands{
    Operand{.name = "NAME", .help = "The worktree: worker, or team/worker"}};

inline constexpr std::array add_options{
    Option{"--base", "REF", "Start from here; from what the main checkout has by default"}};
inline constexpr std::array<std::string_view, 2> add_examples{
    "tyer worktree add worker-1", "tyer worktree add docs/writer --base main"};
inline constexpr std::array add_codes{
    done,
    ExitCode{1, "there is no git repository here, or no such REF"},
    wrong,
    unreachable,
    ExitCode{4, "something else is in its place, or it lacks commits of REF"},
    busy};

inline constexpr std::array<std::string_view, 2> list_examples{"tyer worktree list",
                                                               "tyer worktree list --json"};
inline constexpr std::array list_codes{done, no_repository, wrong, unreachable};

inline constexpr std::array remove_options{
    Option{"--force", "", "Also if it is dirty or not merged; what it holds is rescued first"},
    Option{"--discard-ignored", "", "Do not rescue the files that git ignores"}};
inline constexpr std::array<std::string_view, 2> remove_examples{
    "tyer worktree remove worker-1", "tyer worktree remove worker-1 --force"};
inline constexpr std::array remove_codes{
    done,
    no_repository,
    wrong,
    unreachable,
    ExitCode{4, "it is kept: a run works in it, dirty, not merged, locked, or with submodules"},
    busy};

inline constexpr std::array merge_options{
    Option{"--into", "BRANCH", "The branch to merge into; what it was made from by default"},
    Option{"--commit", "MESSAGE", "First commit all that is not committed"}};
inline constexpr std::array<std::string_view, 2> merge_examples{
    "tyer worktree merge worker-1", "tyer worktree merge worker-1 --into main --commit 'Add it'"};
inline constexpr std::array merge_codes{
    done,
    ExitCode{1, "there are conflicts, or there is no such worktree or branch"},
    wrong,
    unreachable,
    ExitCode{4, "a run works in it, it is not committed, or the checkout of BRANCH cannot follow"},
    busy};

inline constexpr std::array<std::string_view, 2> rescues_examples{"tyer rescue list",
                                                                  "tyer rescue list --json"};

inline constexpr std::array restore_operands{
    Operand{.name = "ID", .help = "The rescue, or the beginning of its id"}};
inline constexpr std::array restore_options{
    Option{"--to", "DIR", "Make the worktree here; where it was by default"}};
inline constexpr std::array<std::string_view, 2> restore_examples{
    "tyer rescue restore 01j8z3", "tyer rescue restore 01j8z3 --to ../again"};
inline constexpr std::array restore_codes{
    done,
    ExitCode{1, "there is no such rescue, or no git repository here"},
    wrong,
    unreachable,
    ExitCode{4, "something is in its place"},
    busy};

}  // namespace rows

inline constexpr Command worktree_add{
    "worktree add",
    "Worktrees",
    "Make a worktree with a branch of its own",
    "Makes .tyer/worktrees/NAME on the branch tyer/NAME. One that is there already is left as it "
    "is; one that is half made is made again. Hooks are not run.",
    rows::tree_operands,
    rows::add_options,
    rows::add_examples,
    rows::add_codes,
    run_worktree_add};

inline constexpr Command worktree_list{"worktree list",
                                       "Worktrees",
                                       "List the worktrees and what is in them",
                                       "",
                                       {},
                                       {},
                                       rows::list_examples,
                                       rows::list_codes,
                                       run_worktree_list};

inline constexpr Command worktree_remove{
    "worktree remove",
    "Worktrees",
    "Remove a worktree and its branch, without losing anything",
    "A worktree with changes, or with commits that its base has not, is kept. With --force all "
    "that it holds becomes a rescue first. So do ignored files, up to 256 MiB; more of them are "
    "given up only with --discard-ignored.",
    rows::tree_operands,
    rows::remove_options,
    rows::remove_examples,
    rows::remove_codes,
    run_worktree_remove};

inline constexpr Command worktree_merge{
    "worktree merge",
    "Worktrees",
    "Merge a worktree's branch, if there is no conflict",
    "Looks for conflicts first and changes nothing if there is one. Makes a merge commit without "
    "touching a checkout; a checkout of the branch follows if nothing in it is changed.",
    rows::tree_operands,
    rows::merge_options,
    rows::merge_examples,
    rows::merge_codes,
    run_worktree_merge};

inline constexpr Command rescue_list{"rescue list",
                                     "Worktrees",
                                     "List what was rescued from worktrees",
                                     "",
                                     {},
                                     {},
                                     rows::rescues_examples,
                                     rows::list_codes,
                                     run_rescue_list};

inline constexpr Command rescue_restore{
    "rescue restore",
    "Worktrees",
    "Bring a rescued worktree back as it was",
    "Files, permissions, what was staged, a merge that was under way, branch and HEAD.",
    rows::restore_operands,
    rows::restore_options,
    rows::restore_examples,
    rows::restore_codes,
    run_rescue_restore};

}  // namespace tyer::cli
