#include "env/find_program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "env/os_error.h"

namespace tyer::env {
namespace {

enum class Found { nothing, no_program, program };

Found look_for(const std::string& candidate, const std::string& directory) {
  const bool absolute = candidate.starts_with('/') || directory.empty();
  const std::string path = absolute ? candidate : directory + "/" + candidate;
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return Found::nothing;
  const bool executable =
      S_ISREG(status.st_mode) && faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
  return executable ? Found::program : Found::no_program;
}

std::unexpected<Error> not_executable(const std::string& path) {
  return fail(Fault::denied,
              fmt::format("{} is not an executable file; see chmod +x", printable(path)));
}

}  // namespace

Result<std::string> find_program(const std::string& name, std::string_view search,
                                 const std::string& directory) {
  if (name.contains('/')) {
    switch (look_for(name, directory)) {
      case Found::program: return name;
      case Found::no_program: return not_executable(name);
      case Found::nothing: break;
    }
    return fail(Fault::not_found, fmt::format("there is no program {}", printable(name)));
  }
  std::string blocked;
  for (bool more = !name.empty(); more;) {
    const std::size_t colon = search.find(':');
    const std::string_view place = search.substr(0, colon);
    const std::string candidate = fmt::format("{}/{}", place.empty() ? "." : place, name);
    const Found found = look_for(candidate, directory);
    if (found == Found::program) return candidate;
    if (found == Found::no_program && blocked.empty()) blocked = candidate;
    more = colon != std::string_view::npos;
    if (more) search.remove_prefix(colon + 1);
  }
  if (!blocked.empty()) return not_executable(blocked);
  return fail(Fault::not_found,
              fmt::format("there is no program '{}' in PATH; install it or give its full path",
                          printable(name)));
}

Result<ProgramFile> identify_program(const std::string& name, std::string_view search) {
  TYER_TRY(const std::string path,
           find_program(name, search.empty() ? default_search : search, ""));
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return std::unexpected(os_error(errno, "look at", path));
  return ProgramFile{.path = path,
                     .device = static_cast<std::int64_t>(status.st_dev),
                     .inode = static_cast<std::int64_t>(status.st_ino),
                     .size = status.st_size,
                     .changed_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec};
}

}  // namespace tyer::env
