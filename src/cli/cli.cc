#include "cli/cli.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/hub_rows.h"
#include "cli/stop_signals.h"
#include "env/hidden.h"

namespace tyer::cli {
namespace {

constexpr std::size_t message_bytes_max = 4'000;
// As most programs have it; it is the command of that name.
constexpr std::string_view version_option = "--version";

bool wants(std::span<const std::string> words, std::string_view option) {
  const auto end = std::ranges::find(words, "--");
  return std::find(words.begin(), end, option) != end;
}

// Who was told to stop ends as if by the signal that told it.
int exit_code_of(Fault fault) {
  const int signal = fault == Fault::cancelled ? pending_ending_signal() : 0;
  return signal != 0 ? 128 + signal : info(fault).exit_code;
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
  return exit_code_of(error.fault);
}

// Those that may stand before the command: every command has them, or it talks to a hub.
const Option* find_early_option(std::string_view name) {
  if (name == hub_rows::url_option.name) return &hub_rows::url_option;
  const auto found = std::ranges::find(common_options(), name, &Option::name);
  return found == common_options().end() ? nullptr : &*found;
}

// Moves the options that `words` begins with to `early`.
std::expected<void, Failure> take_options(std::span<const std::string>& words,
                                          std::vector<std::string>& early) {
  while (!words.empty() && words.front().starts_with('-') && words.front() != version_option) {
    const std::string& word = words.front();
    const std::size_t equals = word.find('=');
    const Option* option =
        find_early_option(word == "-h" ? "--help" : std::string_view(word).substr(0, equals));
    if (option == nullptr) {
      return std::unexpected(Failure{
          {Fault::invalid, fmt::format("'{}' stands before the command", printable(word, 80))},
          "options come after it, as in 'tyer log --limit 2'; only those of every command and "
          "--url may come before it"});
    }
    const std::size_t taken = option->value.empty() || equals != std::string::npos ? 1 : 2;
    if (words.size() < taken) {
      return std::unexpected(Failure{{Fault::invalid, fmt::format("{} needs a value", word)}});
    }
    early.insert(early.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken));
    words = words.subspan(taken);
  }
  return {};
}

// Takes the name of the command off `words`, or as much of it as is there.
std::expected<std::string, Failure> take_name(std::span<const std::string>& words,
                                              std::vector<std::string>& early) {
  std::string name;
  do {
    TYER_TRY_OK(take_options(words, early));
    if (words.empty()) break;
    const std::string& word = words.front();
    name += (name.empty() ? "" : " ") + (word == version_option ? "version" : word);
    words = words.subspan(1);
  } while (is_family(name));
  return name;
}

Done run_command(std::span<const std::string> words, World& world) {
  const bool json = wants(words, "--json");
  std::vector<std::string> all;
  TYER_TRY(const std::string name, take_name(words, all));
  if (name.empty() || is_family(name)) {
    if (wants(all, "--help") || wants(all, "-h")) {
      world.output.print(json ? list_json(name) : list_text(name));
      return 0;
    }
    return std::unexpected(
        Failure{{Fault::invalid, name.empty() ? "the command is missing"
                                              : fmt::format("'tyer {}' needs a command", name)},
                fmt::format("'tyer help{}{}' lists them", name.empty() ? "" : " ", name)});
  }
  const Command* command = find_command(name);
  if (command == nullptr) return std::unexpected(unknown_command(name));
  all.insert(all.end(), words.begin(), words.end());
  const std::string advice = fmt::format("'tyer {} --help' says how it is used", command->name);
  const auto arguments = parse_arguments(*command, all);
  if (!arguments) return std::unexpected(Failure{arguments.error(), advice});
  if (arguments->has("--help")) {
    world.output.print(json ? help_json(*command) : help_text(*command));
    return 0;
  }
  if (json) world.output.speak_json();
  if (command->hides) env::hide_process();
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
