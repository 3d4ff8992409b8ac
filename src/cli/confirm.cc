#include "cli/confirm.h"

#include <unistd.h>

#include <array>

#include <fmt/format.h>

namespace tyer::cli {

std::expected<bool, Failure> confirm(World& world, const Arguments& arguments,
                                     const std::string& what, const std::string& question) {
  if (arguments.has("--yes")) return true;
  world.output.warn(what + "\n");
  if (::isatty(STDIN_FILENO) == 0) {
    return std::unexpected(
        Failure{{Fault::invalid, "nobody is there to be asked"}, "add --yes if you are sure"});
  }
  world.output.warn(fmt::format("{} [y/N] ", question));
  // The whole line: what is left of it would answer the next question.
  std::array<char, 80> answer{};
  return ::read(STDIN_FILENO, answer.data(), answer.size()) > 0 &&
         (answer.front() == 'y' || answer.front() == 'Y');
}

}  // namespace tyer::cli
