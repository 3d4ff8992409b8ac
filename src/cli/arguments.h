// What was written behind a command's name, checked against its table row.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace tyer::cli {

class Arguments {
 public:
  explicit Arguments(const Command& command) : command_(&command) {}

  void add(std::string_view name, std::string value);
  void add_mark() { has_mark_ = true; }

  [[nodiscard]] const Command& command() const { return *command_; }

  // Names are those of the table: "--json", "KEY".
  [[nodiscard]] bool has(std::string_view name) const { return given_.contains(name); }
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& values(std::string_view name) const;
  // Whether "--" was given to a command with a rest, even if nothing stands behind it.
  [[nodiscard]] bool has_mark() const { return has_mark_; }

 private:
  const Command* command_;
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
  bool has_mark_ = false;
};

// Refused as `invalid`: what the command does not know, what stands twice, what
// has no value, what is missing, and a value that is not among those listed.
// With --help nothing is missing and nothing is refused.
[[nodiscard]] Result<Arguments> parse_arguments(const Command& command,
                                                std::span<const std::string> words);

}  // namespace tyer::cli
