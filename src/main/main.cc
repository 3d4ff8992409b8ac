#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/cli.h"
#include "core/run.h"
#include "engine/aside.h"
#include "env/linux_env.h"
#include "feed/kinds.h"
#include "feed/presence.h"
#include "feed/shifts.h"

namespace {

std::map<std::string, std::string, std::less<>> read_environment() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

// "/" if the directory is gone: nothing is found there, and nothing else is known.
std::string read_directory() {
  char* path = ::getcwd(nullptr, 0);
  std::string directory = path == nullptr || path[0] != '/' ? "/" : path;
  std::free(path);
  return directory;
}

// What the kernel runs, whatever its name has become meanwhile, if it cannot be read.
std::string read_program() {
  std::string path(4'096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0) path.resize(static_cast<std::size_t>(length));
  return length > 0 && ::access(path.c_str(), X_OK) == 0 ? path : "/proc/self/exe";
}

int run_tyer(const std::vector<std::string>& words) {
  tyer::env::LinuxEnv linux_env;
  std::vector<tyer::core::Kind> kinds = tyer::feed::kinds();
  kinds.push_back(tyer::core::run_kind());
  kinds.push_back(tyer::engine::aside_kind());
  const tyer::core::Catalog catalog(std::move(kinds),
                                    {tyer::feed::clear_presence(), tyer::feed::end_lost_shift()});
  tyer::cli::Output output(STDOUT_FILENO, STDERR_FILENO);
  tyer::cli::World world{linux_env.env(),    catalog,          output,
                         read_environment(), read_directory(), read_program()};
  return tyer::cli::run(words, world);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away is seen where it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  return run_tyer(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
