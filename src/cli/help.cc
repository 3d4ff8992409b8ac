#include "cli/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"

namespace tyer::cli {
namespace {

constexpr std::size_t text_width = 80;

using Rows = std::vector<std::vector<std::string>>;

// Two columns, the second wrapped under itself.
std::string pairs(const Rows& rows) {
  std::size_t first = 0;
  for (const auto& row : rows) first = std::max(first, display_width(row[0]));
  Rows wrapped;
  for (const auto& row : rows) {
    std::string left = row[0];
    for (std::string& line : wrap(row[1], text_width - first - 4)) {
      wrapped.push_back({pad_right(left, first), std::move(line)});
      left.clear();
    }
  }
  return table(wrapped, "  ");
}

Rows option_rows(std::span<const Option> options) {
  Rows rows;
  for (const Option& option : options) {
    const std::string short_name = option.name == "--help" ? "-h, " : "";
    rows.push_back({fmt::format("{}{}{}{}", short_name, option.name,
                                option.value.empty() ? "" : " ", option.value),
                    std::string(option.help)});
  }
  return rows;
}

bool belongs(const Command& command, std::string_view only) {
  return only.empty() || command.name.substr(0, command.name.find(' ')) == only;
}

Json option_list(std::span<const Option> options) {
  Json list = Json::array();
  for (const Option& option : options) {
    list.push_back({{"name", option.name}, {"value", option.value}, {"help", option.help}});
  }
  return list;
}

Json describe(const Command& command) {
  Json operands = Json::array();
  for (const Operand& operand : command.operands) {
    operands.push_back({{"name", operand.name},
                        {"help", operand.help},
                        {"required", operand.required},
                        {"many", operand.many}});
  }
  Json codes = Json::object();
  for (const ExitCode& code : command.exit_codes) codes[fmt::format("{}", code.code)] = code.when;
  Json examples = Json::array();
  for (const std::string_view example : command.examples) examples.push_back(example);
  return {{"name", command.name},
          {"summary", command.summary},
          {"group", command.group},
          {"details", command.details},
          {"usage", usage(command)},
          {"operands", operands},
          {"options", option_list(command.options)},
          {"examples", examples},
          {"exit_codes", codes}};
}

}  // namespace

std::string list_text(std::string_view only) {
  std::string text;
  if (only.empty()) {
    text = "Tyer lets many coding agents share one machine without stepping on each other.\n\n";
  }
  text += fmt::format("Usage: tyer {} [arguments] [options]\n",
                      only.empty() ? "COMMAND" : fmt::format("{} COMMAND", only));
  std::size_t width = 0;
  for (const Command& command : commands()) {
    if (belongs(command, only)) width = std::max(width, command.name.size());
  }
  std::string_view group;
  for (const Command& command : commands()) {
    if (!belongs(command, only)) continue;
    if (command.group != group) text += fmt::format("\n{}:\n", group = command.group);
    text += fmt::format("  {}  {}\n", pad_right(command.name, width), command.summary);
  }
  return text + "\n'tyer COMMAND --help' says how a command is used.\n";
}

std::string list_json(std::string_view only) {
  Json list = Json::array();
  for (const Command& command : commands()) {
    if (belongs(command, only)) list.push_back(describe(command));
  }
  return dump_json({{"commands", list}, {"common_options", option_list(common_options())}}) + "\n";
}

std::string help_text(const Command& command) {
  std::string text = fmt::format("{}.\n\nUsage: {}\n", command.summary, usage(command));
  if (!command.details.empty()) {
    text += "\n";
    for (const std::string& line : wrap(command.details, text_width)) text += line + "\n";
  }
  if (!command.operands.empty()) {
    Rows rows;
    for (const Operand& operand : command.operands) {
      rows.push_back({std::string(operand.name), std::string(operand.help)});
    }
    text += "\nArguments:\n" + pairs(rows);
  }
  if (!command.options.empty()) text += "\nOptions:\n" + pairs(option_rows(command.options));
  text += "\nOptions of every command:\n" + pairs(option_rows(common_options()));
  text += "\nExamples:\n";
  for (const std::string_view example : command.examples) text += fmt::format("  {}\n", example);
  Rows codes;
  for (const ExitCode& code : command.exit_codes) {
    codes.push_back({fmt::format("{}", code.code), std::string(code.when)});
  }
  return text + "\nExit codes:\n" + pairs(codes);
}

std::string help_json(const Command& command) {
  Json json = describe(command);
  json["common_options"] = option_list(common_options());
  return dump_json(json) + "\n";
}

bool is_family(std::string_view word) {
  return std::ranges::any_of(commands(), [word](const Command& command) {
    return command.name.starts_with(std::string(word) + " ");
  });
}

Failure unknown_command(std::string_view typed) {
  std::vector<std::string_view> known;
  for (const Command& command : commands()) {
    known.push_back(command.name);
    known.push_back(command.name.substr(0, command.name.find(' ')));
  }
  const std::string_view near = nearest(typed, known);
  const std::string hint = near.empty() ? "'tyer help' lists the commands"
                                        : fmt::format("did you mean 'tyer {}'?", near);
  return {{Fault::invalid, fmt::format("there is no command '{}'", printable(typed, 80))}, hint};
}

Done run_help(World& world, const Arguments& arguments) {
  std::string name;
  for (const std::string& word : arguments.values("COMMAND")) {
    name += (name.empty() ? "" : " ") + word;
  }
  const bool json = arguments.has("--json");
  if (name.empty() || is_family(name)) {
    world.output.print(json ? list_json(name) : list_text(name));
    return 0;
  }
  const Command* command = find_command(name);
  if (command == nullptr) return std::unexpected(unknown_command(name));
  world.output.print(json ? help_json(*command) : help_text(*command));
  return 0;
}

}  // namespace tyer::cli
