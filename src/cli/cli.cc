#include "cli/cli.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace tyer::cli {
namespace {

constexpr std::size_t message_bytes_max = 4'000;

bool wants(std::span<const std::string> words, std::string_view option) {
  const auto end = std::ranges::find(words, "--");
  return std::find(words.begin(), end, option) != end;
}

int report(World& world, const Failure& failure, bool json) {
  const Error& error = failure.error;
  const std::string what = printable(error.what, message_bytes_max);
  if (json) {
    Json body{{"code", info(error.fault).name}, {"message", what}};
    if (!failure.hint.empty()) body["hint"] = failure.hint;
    world.output.warn(dump_json({{"error", body}}) + "\n");
  } else {
    world.output.warn(fmt::format("tyer: {}\n", what));
    if (!failure.hint.empty()) world.output.warn(fmt::format("  hint: {}\n", failure.hint));
  }
  return info(error.fault).exit_code;
}

// The command that `words` begins with, whose name is taken off.
std::expected<const Command*, Failure> take_command(std::span<const std::string>& words) {
  const std::string& first = words.front();
  if (first.starts_with('-')) {
    return std::unexpected(Failure{
        {Fault::invalid, fmt::format("'{}' stands before the command", printable(first, 80))},
        "options come after it, as in 'tyer log --json'"});
  }
  if (!is_family(first)) {
    const Command* command = find_command(first);
    if (command == nullptr) return std::unexpected(unknown_command(first));
    words = words.subspan(1);
    return command;
  }
  const std::string second = words.size() > 1 ? words[1] : "";
  if (second.empty() || second.starts_with('-')) {
    return std::unexpected(
        Failure{{Fault::invalid, fmt::format("'tyer {}' needs a command", first)},
                fmt::format("'tyer help {}' lists them", first)});
  }
  const Command* command = find_command(first + " " + second);
  if (command == nullptr) return std::unexpected(unknown_command(first + " " + second));
  words = words.subspan(2);
  return command;
}

Done run_command(std::span<const std::string> words, World& world) {
  const bool json = wants(words, "--json");
  const std::string& first = words.front();
  const bool asks_help = first == "--help" || first == "-h";
  const bool family_help = is_family(first) && words.size() > 1 && words[1].starts_with('-') &&
                           (wants(words, "--help") || wants(words, "-h"));
  if (asks_help || family_help) {
    const std::string only = family_help ? first : "";
    world.output.print(json ? list_json(only) : list_text(only));
    return 0;
  }
  if (first == "--version") return run_version(world, Arguments(*find_command("version")));

  TYER_TRY(const Command* command, take_command(words));
  const std::string advice = fmt::format("'tyer {} --help' says how it is used", command->name);
  const auto arguments = parse_arguments(*command, words);
  if (!arguments) return std::unexpected(Failure{arguments.error(), advice});
  if (arguments->has("--help")) {
    world.output.print(json ? help_json(*command) : help_text(*command));
    return 0;
  }
  if (json) world.output.speak_json();
  return command->run(world, *arguments);
}

}  // namespace

int run(std::span<const std::string> words, World& world) {
  if (words.empty()) {
    world.output.warn(list_text(""));
    return info(Fault::invalid).exit_code;
  }
  return finish(run_command(words, world), world, wants(words, "--json"));
}

int finish(const Done& done, World& world, bool json) {
  const Result<> written = world.output.flush();
  if (!done) return report(world, done.error(), json);
  if (!written) return report(world, written.error(), json);
  return *done;
}

}  // namespace tyer::cli
