#include "cli/commands.h"

#include <algorithm>
#include <array>

#include "cli/account_rows.h"
#include "cli/agent_rows.h"
#include "cli/feed_rows.h"
#include "cli/hub_rows.h"
#include "cli/session_rows.h"
#include "cli/setup_rows.h"
#include "cli/work_rows.h"
#include "cli/worktree_rows.h"

namespace tyer::cli {
namespace {

using Text = std::string_view;

constexpr std::array common{
    Option{"--store", "URL", "The store: sqlite:PATH, files:DIR or postgres://…"},
    Option{"--space", "NAME", "The workspace in a PostgreSQL database"},
    Option{"--durability", "full|normal", "Whether a commit survives power loss"},
    Option{"--config", "FILE", "Read this configuration file and no other"},
    Option{"--color", "auto|always|never", "Colour in text for people"},
    Option{"--json", "", "Answer in JSON, for programs"},
    Option{"--help", "", "Say how the command is used"},
};

constexpr ExitCode done{0, "done"};
constexpr ExitCode wrong_usage{2, "wrong usage or configuration"};
constexpr ExitCode unreachable{3, "the store is out of reach or damaged"};
constexpr ExitCode hub_unreachable{3, "the hub or the store is out of reach"};
constexpr Option url_option = hub_rows::url_option;
constexpr ExitCode at_limit{5, "a time or size limit, or a full disk"};

constexpr std::array log_operands{
    Operand{.name = "KEY", .help = "Only this key and the keys below it", .required = false}};
constexpr std::array log_options{
    Option{"--follow", "", "Go on with events as they happen, until interrupted"},
    Option{"--since", "WHEN", "After event number WHEN, or from a time or a duration ago on"},
    Option{"--limit", "N", "Only the newest N"},
};
constexpr std::array<Text, 4> log_examples{"tyer log", "tyer log lock/TSK-01-01 --since 10m",
                                           "tyer log --since 2026-01-02T03:04:05Z --json",
                                           "tyer log --follow"};
constexpr std::array log_codes{done, ExitCode{1, "there is no store"}, wrong_usage, unreachable,
                               at_limit};

constexpr std::array<Text, 2> check_examples{"tyer store check",
                                             "tyer store check --store files:plain --json"};
constexpr std::array check_codes{ExitCode{0, "nothing is wrong"},
                                 ExitCode{1, "problems were found, or there is no store"},
                                 wrong_usage, unreachable, at_limit};

constexpr std::array backup_operands{
    Operand{.name = "FILE", .help = "The backup, which must not exist yet", .is_file = true}};
constexpr std::array<Text, 1> backup_examples{"tyer store backup backup.db"};
constexpr std::array backup_codes{done,        ExitCode{1, "there is no store"}, wrong_usage,
                                  unreachable, ExitCode{4, "FILE exists"},       at_limit};

constexpr std::array restore_operands{
    Operand{.name = "FILE", .help = "What `tyer store backup` made", .is_file = true}};
constexpr std::array<Text, 1> restore_examples{
    "tyer store restore backup.db --store sqlite:restored.db"};
constexpr std::array restore_codes{done,        ExitCode{1, "there is no such backup"}, wrong_usage,
                                   unreachable, ExitCode{4, "the store is not empty"},  at_limit};

constexpr std::array copy_operands{Operand{.name = "FROM", .help = "The store to read"},
                                   Operand{.name = "TO", .help = "The store to fill, empty"}};
constexpr std::array<Text, 2> copy_examples{
    "tyer store copy sqlite:.tyer/tyer.db files:plain",
    "tyer store copy sqlite:.tyer/tyer.db postgres://me@db.example/tyer"};
constexpr std::array copy_codes{done,        ExitCode{1, "there is no store FROM"}, wrong_usage,
                                unreachable, ExitCode{4, "TO is not empty"},        at_limit};

constexpr std::array lock_key{Operand{.name = "KEY", .help = "The lock: a task's id, any name"}};
constexpr std::array lock_keys{
    Operand{.name = "KEY", .help = "The locks: task ids, any names", .many = true}};
constexpr Option session_option{"--session", "ID", "The session that acquire printed"};
constexpr ExitCode not_yours{4, "another session holds it"};

constexpr std::array run_operands{
    Operand{.name = "KEY", .help = "The lock: what must not run twice"},
    Operand{.name = "CMD", .help = "The command and its arguments", .many = true, .rest = true}};
constexpr std::array run_options{
    Option{"--wait", "DURATION", "Wait for the lock so long; otherwise not at all"},
    Option{"--ttl", "DURATION", "Without a heartbeat for so long it counts as dead (180s)"},
    Option{"--max", "DURATION", "End the command after so long (24h)"},
    Option{"--conflict-exit", "N", "The exit code if somebody else has the lock (1)"},
    Option{"--on-lost", "stop|warn", "What to do if the lock is lost meanwhile (stop)"},
    Option{"--command", "TEXT", "What it is called in lists; the command line by default"},
    Option{"--owner", "TEXT", "Who it is for, for people"},
    url_option,
};
constexpr std::array<Text, 3> run_examples{"tyer run nightly -- true",
                                           "tyer run nightly --wait 10m --max 2h -- true",
                                           "tyer run fetch-news --conflict-exit 0 -- true"};
constexpr std::array run_codes{
    ExitCode{0, "what the command ended with, 128+n for signal n"},
    ExitCode{1, "somebody else has the lock"},
    wrong_usage,
    hub_unreachable,
    ExitCode{4, "the lock was lost and the command ended"},
    ExitCode{5, "it was ended at its time limit; a full disk; too many who wait"},
    ExitCode{126, "the command cannot be run"},
    ExitCode{127, "there is no such command"},
    ExitCode{130, "interrupted while it waited for the lock; 128+n by another signal n"}};

constexpr std::array acquire_options{
    Option{"--any", "", "The first of the locks that is free, not all of them"},
    Option{"--command", "TEXT", "What it is for: /wf:build; decides the time limit"},
    Option{"--pid", "PID", "Hold it for this process; the one that calls tyer by default"},
    Option{"--session", "ID", "The session's id; a new one by default"},
    Option{"--timeout", "DURATION", "Hold it so long at most"},
    Option{"--wait", "DURATION", "Wait for it so long; otherwise not at all"},
    Option{"--owner", "TEXT", "Who it is for, for people"},
    Option{"--no-keeper", "", "Leave nothing behind that renews it"},
    url_option,
};
constexpr std::array<Text, 3> acquire_examples{"tyer lock acquire TSK-01-01 --command /wf:build",
                                               "tyer lock acquire TSK-01-02 TSK-01-03 --any",
                                               "tyer lock acquire deploy --wait 10m --owner alice"};
constexpr std::array acquire_codes{
    done,        ExitCode{1, "somebody else has it"},
    wrong_usage, hub_unreachable,
    at_limit,    ExitCode{130, "interrupted while it waited; 143 by SIGTERM"}};

constexpr std::array own_options{session_option, url_option};
constexpr std::array<Text, 1> release_examples{
    "tyer lock release TSK-01-01 --session 0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
constexpr std::array<Text, 1> renew_examples{
    "tyer lock renew TSK-01-01 --session 0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
constexpr std::array own_codes{
    done, ExitCode{1, "nobody holds it"}, wrong_usage, hub_unreachable, not_yours, at_limit};

constexpr std::array check_options{
    Option{"--token", "N", "Whether it is still held with this token"}, url_option};
constexpr std::array<Text, 2> lock_check_examples{"tyer lock check TSK-01-01",
                                                  "tyer lock check TSK-01-01 --token 42"};
constexpr std::array lock_check_codes{
    ExitCode{0, "it is held, with --token: by that one"},
    ExitCode{1, "it is free, its holder is dead, or the token is stale"}, wrong_usage,
    hub_unreachable};

constexpr std::array list_options{url_option};
constexpr std::array<Text, 2> list_examples{"tyer lock list", "tyer lock list --json"};
constexpr std::array list_codes{done, ExitCode{1, "there is no store"}, wrong_usage,
                                hub_unreachable};
constexpr std::array<Text, 1> watch_examples{"tyer lock watch"};

constexpr std::array break_options{Option{"--yes", "", "Do not ask"},
                                   Option{"--why", "TEXT", "The reason, for the log"}, url_option};
constexpr std::array<Text, 1> break_examples{
    "tyer lock break TSK-01-01 --yes --why 'the agent hangs'"};
constexpr std::array break_codes{done,
                                 ExitCode{1, "nobody holds it, or you said no"},
                                 wrong_usage,
                                 hub_unreachable,
                                 ExitCode{4, "an agent asks through a hub"},
                                 at_limit};

constexpr std::array<Text, 1> keep_examples{
    "tyer lock keep TSK-01-01 --session 0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};

constexpr std::array demo_options{
    Option{"--resume", "ID", "Go on with this conversation"},
    Option{"--conversation", "ID", "Begin a conversation with this id; a new one by default"},
    Option{"--read-only", "", "Deny it to change files"},
    Option{"--linger", "DURATION", "Do nothing for so long: what 'demo: daemonise' leaves behind"},
};
constexpr std::array<Text, 2> demo_examples{
    "echo 'demo: say hello' | tyer demo-agent",
    "printf 'demo: edit notes.txt hello\\ndemo: fail 3\\n' | tyer demo-agent"};
constexpr std::array demo_codes{
    done, ExitCode{1, "there is no such conversation, or one that should be new is not"},
    wrong_usage, at_limit, ExitCode{75, "the prompt said 'demo: rate-limit'"}};

constexpr std::array all_commands{
    Command{"run", "Locks", "Run a command unless it is running already",
            "Takes the lock, runs the command and gives the lock back. The lock is renewed while "
            "the command lives; if tyer or the machine dies, others see it at once. Signals are "
            "passed on, and when the command ends or has to be ended, everything that it started "
            "ends too. The command finds the lock in TYER_LOCK, TYER_SESSION and TYER_TOKEN.",
            run_operands, run_options, run_examples, run_codes, run_run},
    Command{"lock acquire", "Locks", "Take a lock, or several at once",
            "Prints key, session and token of each lock, a line each; a space in the key is %20, "
            "and % is %25. The lock is held for the "
            "process that calls tyer, such as a shell or an agent, or for that of --pid, and ends "
            "with it. A small process stays behind and renews it. The same process with a new "
            "session takes its own lock over.",
            lock_keys, acquire_options, acquire_examples, acquire_codes, run_lock_acquire},
    Command{"lock release", "Locks", "Give a lock back", "", lock_key, own_options,
            release_examples, own_codes, run_lock_release},
    Command{"lock renew", "Locks", "Say that the holder of a lock is still at work", "", lock_key,
            own_options, renew_examples, own_codes, run_lock_renew},
    Command{"lock check", "Locks", "Say who has a lock, and whether a token still counts", "",
            lock_key, check_options, lock_check_examples, lock_check_codes, run_lock_check},
    Command{"lock list",
            "Locks",
            "List all locks with their holders",
            "",
            {},
            list_options,
            list_examples,
            list_codes,
            run_lock_list},
    Command{"lock watch",
            "Locks",
            "Follow the locks live, until interrupted",
            "On a terminal the list, kept up to date until q or Ctrl+C; elsewhere a line for each "
            "event.",
            {},
            list_options,
            watch_examples,
            list_codes,
            run_lock_watch},
    Command{"lock break", "Locks", "Take a lock away from its holder",
            "Shows whom it hits, asks, and records who did it. The holder's writes through tyer "
            "are refused from then on. A 'tyer run' on this machine ends its command at once, and "
            "nobody gets the lock before that is gone; the answer says what became of the holder.",
            lock_key, break_options, break_examples, break_codes, run_lock_break},
    Command{"lock keep", "Locks", "Renew locks until their holder ends",
            "What 'lock acquire' leaves behind. Ends with the process that holds the locks, or "
            "when the session has lost them all. Exit code 1 or 4 if it holds none of them.",
            lock_keys, own_options, keep_examples, own_codes, run_lock_keep},
    worktree_add,
    worktree_list,
    worktree_remove,
    worktree_merge,
    rescue_list,
    rescue_restore,
    agent_run,
    agent_keep,
    runs_list,
    runs_show,
    runs_follow,
    runs_stop,
    Command{"demo-agent",
            "Agents",
            "Be an agent without a model, which does what its prompt says",
            "For trying things out and for tests. The prompt comes on standard input; its lines "
            "'demo: VERB …' say what to do, in order. Without any it answers with what it was "
            "told. It prints JSON, a line for each event.",
            {},
            demo_options,
            demo_examples,
            demo_codes,
            run_demo_agent},
    work_rows::up,
    hub_rows::serve,
    account_rows::password,
    account_rows::login,
    work_rows::worker,
    work_rows::worker_keep,
    work_rows::stats,
    hub_rows::agent_add,
    hub_rows::agent_set,
    hub_rows::agent_list,
    hub_rows::agent_key,
    hub_rows::agent_remove,
    session_rows::list,
    session_rows::follow,
    session_rows::unfollow,
    feed_rows::list,
    feed_rows::add,
    feed_rows::remove,
    feed_rows::post,
    feed_rows::comment,
    feed_rows::show,
    feed_rows::tail,
    feed_rows::retry,
    feed_rows::events,
    Command{"log", "See", "Show what happened, event by event",
            "Every change is an event: who did what to which key, and when. Times are in UTC. With "
            "--json each line is one object; give its seq to --since to go on from there.",
            log_operands, log_options, log_examples, log_codes, run_log},
    Command{
        "store check",
        "Store",
        "Look through the whole store for damage",
        "Checks the files or tables of the store, and that what is in them keeps the laws: "
        "subjects are what their events say, nothing is missing, no lease or reader is ahead of "
        "the log. Changes nothing.",
        {},
        {},
        check_examples,
        check_codes,
        run_store_check},
    Command{"store backup",
            "Store",
            "Copy the store into one file while it is in use",
            "The backup is a SQLite store of one moment, with the files that were sent inside. It "
            "appears under its name when it is complete.",
            backup_operands,
            {},
            backup_examples,
            backup_codes,
            run_store_backup},
    Command{"store restore",
            "Store",
            "Fill an empty store from a backup",
            "",
            restore_operands,
            {},
            restore_examples,
            restore_codes,
            run_store_restore},
    Command{"store copy",
            "Store",
            "Copy one store into another, empty one",
            "Both may be of any kind. Events keep their numbers and leases their tokens.",
            copy_operands,
            {},
            copy_examples,
            copy_codes,
            run_store_copy},
    setup_rows::init,
    setup_rows::trust,
    setup_rows::config_show,
    setup_rows::completion,
    setup_rows::version,
    setup_rows::help,
};

}  // namespace

std::span<const Command> commands() {
  return all_commands;
}

std::span<const Option> common_options() {
  return common;
}

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(all_commands, name, &Command::name);
  return found == all_commands.end() ? nullptr : &*found;
}

std::string usage(const Command& command) {
  std::string text = "tyer " + std::string(command.name);
  for (const Operand& operand : command.operands) {
    const std::string name =
        (operand.rest ? "-- " : "") + std::string(operand.name) + (operand.many ? "…" : "");
    text += operand.required ? " " + name : " [" + name + "]";
  }
  const std::size_t rest = text.find(" -- ");
  return rest == std::string::npos ? text + " [options]" : text.insert(rest, " [options]");
}

}  // namespace tyer::cli
