#include "cli/commands.h"

#include <algorithm>
#include <array>

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

constexpr std::array<Text, 2> config_examples{"tyer config show",
                                              "tyer config show --durability normal --json"};
constexpr std::array plain_codes{done, wrong_usage};

constexpr std::array completion_operands{Operand{.name = "bash|zsh|fish", .help = "The shell"}};
constexpr std::array<Text, 3> completion_examples{
    "tyer completion bash > tyer.bash && . ./tyer.bash", "tyer completion zsh > _tyer",
    "tyer completion fish > tyer.fish"};

constexpr std::array<Text, 2> version_examples{"tyer version", "tyer version --json"};

constexpr std::array help_operands{
    Operand{.name = "COMMAND", .help = "The command to explain", .required = false, .many = true}};
constexpr std::array<Text, 2> help_examples{"tyer help", "tyer help store backup"};

constexpr std::array all_commands{
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
            "The backup is a SQLite store of one moment. It appears under its name when it is "
            "complete.",
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
    Command{"config show",
            "Setup",
            "Show every setting and where its value comes from",
            "",
            {},
            {},
            config_examples,
            plain_codes,
            run_config_show},
    Command{"completion",
            "Setup",
            "Print a script that completes tyer's commands in a shell",
            "",
            completion_operands,
            {},
            completion_examples,
            plain_codes,
            run_completion},
    Command{"version",
            "Setup",
            "Print the version",
            "",
            {},
            {},
            version_examples,
            plain_codes,
            run_version},
    Command{"help",
            "Setup",
            "List the commands, or explain one",
            "",
            help_operands,
            {},
            help_examples,
            plain_codes,
            run_help},
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
    const std::string name = std::string(operand.name) + (operand.many ? "…" : "");
    text += operand.required ? " " + name : " [" + name + "]";
  }
  return text + " [options]";
}

}  // namespace tyer::cli
