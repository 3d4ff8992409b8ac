// The functions behind the table of commands.

#pragma once

#include "cli/arguments.h"
#include "cli/command.h"

namespace tyer::cli {

// Of the commands that keep runs: see start_keeper.
inline constexpr Operand keeper_marks{.name = "MARK",
                                      .help = "NAME=VALUE, which it can be found by",
                                      .required = false,
                                      .many = true};

[[nodiscard]] Done run_run(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_acquire(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_release(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_renew(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_check(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_list(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_watch(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_break(World& world, const Arguments& arguments);
[[nodiscard]] Done run_lock_keep(World& world, const Arguments& arguments);
[[nodiscard]] Done run_worktree_add(World& world, const Arguments& arguments);
[[nodiscard]] Done run_worktree_list(World& world, const Arguments& arguments);
[[nodiscard]] Done run_worktree_remove(World& world, const Arguments& arguments);
[[nodiscard]] Done run_worktree_merge(World& world, const Arguments& arguments);
[[nodiscard]] Done run_rescue_list(World& world, const Arguments& arguments);
[[nodiscard]] Done run_rescue_restore(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_run(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_keep(World& world, const Arguments& arguments);
[[nodiscard]] Done run_runs_list(World& world, const Arguments& arguments);
[[nodiscard]] Done run_runs_show(World& world, const Arguments& arguments);
[[nodiscard]] Done run_runs_follow(World& world, const Arguments& arguments);
[[nodiscard]] Done run_runs_stop(World& world, const Arguments& arguments);
[[nodiscard]] Done run_demo_agent(World& world, const Arguments& arguments);
[[nodiscard]] Done run_serve(World& world, const Arguments& arguments);
[[nodiscard]] Done run_worker(World& world, const Arguments& arguments);
[[nodiscard]] Done run_worker_keep(World& world, const Arguments& arguments);
[[nodiscard]] Done run_up(World& world, const Arguments& arguments);
[[nodiscard]] Done run_password(World& world, const Arguments& arguments);
[[nodiscard]] Done run_login(World& world, const Arguments& arguments);
[[nodiscard]] Done run_stats(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_add(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_set(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_list(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_key(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_remove(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_sessions(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_follow(World& world, const Arguments& arguments);
[[nodiscard]] Done run_agent_unfollow(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_list(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_add(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_remove(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_post(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_comment(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_show(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_retry(World& world, const Arguments& arguments);
[[nodiscard]] Done run_feed_tail(World& world, const Arguments& arguments);
[[nodiscard]] Done run_events(World& world, const Arguments& arguments);
[[nodiscard]] Done run_log(World& world, const Arguments& arguments);
[[nodiscard]] Done run_store_check(World& world, const Arguments& arguments);
[[nodiscard]] Done run_store_backup(World& world, const Arguments& arguments);
[[nodiscard]] Done run_store_restore(World& world, const Arguments& arguments);
[[nodiscard]] Done run_store_copy(World& world, const Arguments& arguments);
[[nodiscard]] Done run_init(World& world, const Arguments& arguments);
[[nodiscard]] Done run_trust(World& world, const Arguments& arguments);
[[nodiscard]] Done run_config_show(World& world, const Arguments& arguments);
[[nodiscard]] Done run_completion(World& world, const Arguments& arguments);
[[nodiscard]] Done run_version(World& world, const Arguments& arguments);
[[nodiscard]] Done run_help(World& world, const Arguments& arguments);

}  // namespace tyer::cli
