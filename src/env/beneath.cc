#include "env/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "env/os_error.h"

namespace tyer::env {
namespace {

constexpr std::size_t path_shown_max = 4096;

std::string_view kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISREG(mode)) return "a file";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// Why the spot was not opened: by what stands there, and else by `number`.
std::unexpected<Error> refused(int number, std::string_view doing, const Spot& spot,
                               bool wants_directory, std::string_view shown) {
  struct stat found{};
  const bool is_there =
      fstatat(spot.directory.get(), spot.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there || (wants_directory ? S_ISDIR(found.st_mode) : S_ISREG(found.st_mode))) {
    return std::unexpected(os_error(number, doing, shown));
  }
  return fail(Fault::broken, fmt::format("{} is {}, where only {} may be; move it away",
                                         printable(shown, path_shown_max), kind_of(found.st_mode),
                                         wants_directory ? "a directory" : "a plain file"));
}

Result<Spot> walk(const std::string& root, const std::string& path, std::string_view doing) {
  TYER_TRY(const std::vector<std::string> names, names_beneath(root, path));
  Spot spot{open_at_once(AT_FDCWD, root, O_PATH | O_DIRECTORY), "."};
  if (!spot.directory) return std::unexpected(os_error(errno, doing, root));
  std::size_t shown = root.size() - (root.ends_with('/') ? 1 : 0);
  for (const std::string& name : names) {
    // The root was opened already.
    if (&name != &names.front()) {
      Fd inner = open_at_once(spot.directory.get(), spot.name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      if (!inner) {
        return refused(errno, doing, spot, true, std::string_view(path).substr(0, shown));
      }
      spot.directory = std::move(inner);
    }
    spot.name = name;
    shown += 1 + name.size();
  }
  return spot;
}

}  // namespace

Result<std::vector<std::string>> names_beneath(const std::string& root, const std::string& path) {
  std::vector<std::string> names;
  if (path == root) return names;
  const auto wrong = [&] {
    return fail(Fault::broken,
                fmt::format("{} is no path beneath {}", printable(path, path_shown_max),
                            printable(root, path_shown_max)));
  };
  // Where the slash behind the root is; "/" is its own.
  std::size_t at = root.size() - (root.ends_with('/') ? 1 : 0);
  if (!path.starts_with(root) || path.size() <= at || path[at] != '/') return wrong();
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    std::string name = path.substr(at + 1, end - at - 1);
    if (name.empty() || name == "." || name == "..") return wrong();
    names.push_back(std::move(name));
    at = end;
  }
  return names;
}

Result<Spot> find_beneath(const std::string& root, const std::string& path) {
  return walk(root, path, "find");
}

Result<Fd> open_beneath(const std::string& root, const std::string& path, int flags,
                        std::string_view doing) {
  TYER_TRY(const Spot spot, walk(root, path, doing));
  const bool wants_directory = (flags & O_DIRECTORY) != 0;
  Fd fd = open_at_once(spot.directory.get(), spot.name, flags | O_NOFOLLOW);
  const int number = errno;
  struct stat found{};
  if (fd && fstat(fd.get(), &found) == 0 && (wants_directory || S_ISREG(found.st_mode))) return fd;
  return refused(number, doing, spot, wants_directory, path);
}

// O_NONBLOCK matters only to what is not a plain file.
Fd open_at_once(int directory, const std::string& name, int flags) {
  constexpr int always = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  // Otherwise every look at what was just written is itself a write to its inode. Of a file that
  // belongs to somebody else it is refused.
  const auto open = [&](int more) {
    return uninterrupted(
        [&] { return ::openat(directory, name.c_str(), flags | always | more, 0600); });
  };
  Fd fd(open(O_NOATIME));
  if (!fd && errno == EPERM) fd = Fd(open(0));
  return fd;
}

}  // namespace tyer::env
