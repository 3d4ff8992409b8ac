#include "cli/confirm.h"

#include <unistd.h>

#include <array>

#include <fmt/format.h>

namespace tyer::cli {

std::expected<bool, Failure> confirm(World& world, const Arguments& arguments,
                                     const std::string& what, const std::string& question) {
  if (arguments.has("--yes")) return true;
  world.output.warn(what + "\n");
  if (!can_ask()) {
    return std::unexpected(
        Failure{{Fault::invalid, "nobody is there to be asked"}, "add --yes if you are sure"});
  }
  return says_yes(world, question);
}

bool can_ask() {
  return ::isatty(STDIN_FILENO) != 0;
}

bool says_yes(World& world, const std::string& question) {
  world.output.warn(fmt::format("{} [y/N] ", question));
  // The whole line: what is left of it would answer the next question.
  std::array<char, 80> answer{};
  return ::read(STDIN_FILENO, answer.data(), answer.size()) > 0 &&
         (answer.front() == 'y' || answer.front() == 'Y');
}

}  // namespace tyer::cli
