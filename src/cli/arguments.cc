#include "cli/arguments.h"

#include <algorithm>

// The only file that includes CLI11: it is slow to compile and it throws.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/columns.h"

namespace tyer::cli {
namespace {

// CLI11 takes "[a,b]" apart where many values may follow; this keeps it whole.
constexpr char guard = '\x01';

std::string guarded(const std::string& word) {
  return word.starts_with('[') ? guard + word : word;
}

std::string unguarded(const std::string& word) {
  return word.starts_with(guard) ? word.substr(1) : word;
}

Result<> check_value(std::string_view name, std::string_view listed, const std::string& value) {
  if (!listed.contains('|')) return {};
  const std::string fenced = fmt::format("|{}|", listed);
  if (!value.contains('|') && fenced.contains(fmt::format("|{}|", value))) return {};
  const std::string subject = name == listed ? "" : fmt::format("{} ", name);
  return fail(Fault::invalid,
              fmt::format("{}'{}' is not {}", subject, printable(value, 80), alternatives(listed)));
}

std::unexpected<Error> refuse_extra(const Command& command, const std::string& word) {
  if (!word.starts_with('-') || word == "-") {
    if (!command.operands.empty() && command.operands.back().rest) {
      return fail(Fault::invalid,
                  fmt::format("'{}' stands before --; {} goes behind it",
                              printable(unguarded(word), 80), command.operands.back().name));
    }
    return fail(Fault::invalid, fmt::format("'{}' is one argument too many for tyer {}",
                                            printable(unguarded(word), 80), command.name));
  }
  std::vector<std::string_view> known;
  for (const Option& option : command.options) known.push_back(option.name);
  for (const Option& option : common_options()) known.push_back(option.name);
  const std::string_view typed = std::string_view(word).substr(0, word.find('='));
  const std::string_view near = nearest(typed, known);
  return fail(Fault::invalid,
              fmt::format("tyer {} has no option '{}'{}", command.name, printable(typed, 80),
                          near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

// A flag was given a value, or else the last option has none.
std::unexpected<Error> refuse_mismatch(const Command& command, std::span<const std::string> words) {
  const auto is_flag = [&](std::string_view name) {
    const auto matches = [name](const Option& option) {
      return option.name == name && option.value.empty();
    };
    return std::ranges::any_of(command.options, matches) ||
           std::ranges::any_of(common_options(), matches);
  };
  std::string name;
  for (const std::string& word : words) {
    name = word.substr(0, word.find('='));
    if (word != name && is_flag(name)) {
      return fail(Fault::invalid, fmt::format("{} takes no value", name));
    }
  }
  return fail(Fault::invalid, fmt::format("{} needs a value", printable(name, 80)));
}

Result<Arguments> collect(const Command& command, const CLI::App& app,
                          const std::vector<Option>& options) {
  Arguments arguments(command);
  for (const Option& option : options) {
    const CLI::Option* found = app.get_option(std::string(option.name));
    if (found->count() > 0) arguments.add(option.name, unguarded(found->results().back()));
  }
  if (arguments.has("--help")) return arguments;

  std::vector<std::string> extras = app.remaining();
  // The mark that ends the options is left over as well.
  if (const auto mark = std::ranges::find(extras, "--"); mark != extras.end()) extras.erase(mark);
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  const auto wrong = std::ranges::find_if(extras, is_option);
  if (wrong != extras.end()) return refuse_extra(command, *wrong);
  if (!extras.empty()) return refuse_extra(command, extras.front());

  for (const Option& option : options) {
    const CLI::Option* found = app.get_option(std::string(option.name));
    if (found->count() == 0) continue;
    if (found->count() > 1 && !option.value.empty()) {
      return fail(Fault::invalid, fmt::format("{} stands more than once", option.name));
    }
    TYER_TRY_OK(check_value(option.name, option.value, unguarded(found->results().front())));
  }
  for (const Operand& operand : command.operands) {
    if (operand.rest) continue;
    const CLI::Option* found = app.get_option(std::string(operand.name));
    if (found->count() == 0 && operand.required) {
      return fail(Fault::invalid, fmt::format("{} is missing", operand.name));
    }
    for (const std::string& word : found->results()) {
      TYER_TRY_OK(check_value(operand.name, operand.name, unguarded(word)));
      arguments.add(operand.name, unguarded(word));
    }
  }
  return arguments;
}

// Throws as CLI11 does.
Result<Arguments> parse(const Command& command, std::span<const std::string> words) {
  std::vector<Option> options(command.options.begin(), command.options.end());
  options.insert(options.end(), common_options().begin(), common_options().end());

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (const Option& option : options) {
    std::string names(option.name);
    if (option.name == "--help") names = "-h,--help";
    if (option.value.empty()) {
      app.add_flag(names)->disable_flag_override();
    } else {
      app.add_option(names)->take_all();
    }
  }
  for (const Operand& operand : command.operands) {
    if (operand.rest) continue;
    CLI::Option* added = app.add_option(std::string(operand.name));
    added->take_all();
    if (operand.many) added->allow_extra_args();
  }
  std::vector<std::string> reversed;  // The order CLI11 wants.
  for (const std::string& word : words) reversed.insert(reversed.begin(), guarded(word));
  app.parse(std::move(reversed));
  return collect(command, app, options);
}

}  // namespace

void Arguments::add(std::string_view name, std::string value) {
  given_[std::string(name)].push_back(std::move(value));
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto found = given_.find(name);
  if (found == given_.end()) return std::nullopt;
  return found->second.front();
}

const std::vector<std::string>& Arguments::values(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = given_.find(name);
  return found == given_.end() ? none : found->second;
}

Result<Arguments> parse_arguments(const Command& command, std::span<const std::string> words) {
  const bool has_rest = !command.operands.empty() && command.operands.back().rest;
  const auto mark = has_rest ? std::ranges::find(words, "--") : words.end();
  try {
    const auto before = static_cast<std::size_t>(mark - words.begin());
    TYER_TRY(Arguments arguments, parse(command, words.first(before)));
    if (!has_rest || arguments.has("--help")) return arguments;
    if (mark != words.end()) arguments.add_mark();
    const Operand& rest = command.operands.back();
    for (const std::string& word : words.subspan(std::min(before + 1, words.size()))) {
      arguments.add(rest.name, word);
    }
    if (rest.required && !arguments.has(rest.name)) {
      return fail(Fault::invalid, fmt::format("{} is missing; write it behind --", rest.name));
    }
    return arguments;
  } catch (const CLI::ArgumentMismatch&) {
    return refuse_mismatch(command, words);
  } catch (const std::exception& problem) {
    return fail(Fault::invalid, printable(problem.what(), 400));
  }
}

}  // namespace tyer::cli
