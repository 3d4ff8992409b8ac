// A command as data: what it is called, what it takes, and the function that
// does it.
//
// One table of these (commands.cc) drives parsing, `tyer help`, `--help`, the
// suggestion for a mistyped name, the completion scripts and the test of the
// documents. It is constant data: starting the program builds nothing.

#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "cli/cli.h"

namespace tyer::cli {

struct Option {
  std::string_view name;        // "--since"
  std::string_view value = {};  // "WHEN"; empty for a flag. "a|b" lists all there are.
  std::string_view help = {};
};

struct Operand {
  std::string_view name;  // "KEY"; "a|b" lists all there are.
  std::string_view help = {};
  bool required = true;
  bool many = false;
  bool is_file = false;  // For completion.
  bool rest = false;     // All that stands behind "--", as it is. Only the last one.
};

struct ExitCode {
  int code;
  std::string_view when;
};

// What went wrong, and what the person can do about it.
struct Failure {
  // Implicit, so that TYER_TRY passes errors on.
  Failure(Error given) : error(std::move(given)) {}  // NOLINT(google-explicit-constructor)
  Failure(Error given, std::string advice) : error(std::move(given)), hint(std::move(advice)) {}

  Error error;
  std::string hint;
};

// The exit code of a command that ran; 1 is the answer no.
using Done = std::expected<int, Failure>;

// Writes out what was printed, says what went wrong, and gives the exit code.
[[nodiscard]] int finish(const Done& done, World& world, bool json);

class Arguments;

struct Command {
  std::string_view name;     // One or two words: "log", "store check".
  std::string_view group;    // Heading in `tyer help`.
  std::string_view summary;  // One line, imperative, no full stop.
  std::string_view details;  // A paragraph for --help, or empty.
  std::span<const Operand> operands;
  std::span<const Option> options;  // Without those that every command has.
  std::span<const std::string_view> examples;
  std::span<const ExitCode> exit_codes;
  Done (*run)(World& world, const Arguments& arguments);
  // It serves agents and knows what is not theirs; see env::hide_process.
  bool hides = false;
};

// In the order in which `tyer help` shows them.
[[nodiscard]] std::span<const Command> commands();

// The options that every command has.
[[nodiscard]] std::span<const Option> common_options();

// The one called `name`, or nothing.
[[nodiscard]] const Command* find_command(std::string_view name);

// How it is called: "tyer store copy FROM TO [options]".
[[nodiscard]] std::string usage(const Command& command);

}  // namespace tyer::cli
