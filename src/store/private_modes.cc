#include "store/private_modes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "store/files_layout.h"

namespace tyer::store {
namespace {

namespace fs = std::filesystem;

constexpr mode_t others = S_IRWXG | S_IRWXO;
constexpr std::array own_names{files::format_name, files::journal_name, files::queue_name,
                               files::log_name};

bool is_own_and_open(const struct stat& found) {
  return found.st_uid == ::geteuid() && (found.st_mode & others) != 0;
}

// By name: SQLite's locks on a file are gone as soon as this process closes it once.
Result<> change_mode(const std::string& path, mode_t from, mode_t to) {
  if (::fchmodat(AT_FDCWD, path.c_str(), to, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return fail(Fault::unavailable,
              fmt::format("{} has mode {:04o}, so that others may use it, and cannot be made yours "
                          "alone ({}); keep the store where that is possible",
                          printable(path), from & 07777, strerrordesc_np(errno)));
}

// Whether it was open to others.
Result<bool> close_file(const std::string& path) {
  struct stat found{};
  if (::fstatat(AT_FDCWD, path.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(found.st_mode) || !is_own_and_open(found)) return false;
  TYER_TRY_OK(change_mode(path, found.st_mode, S_IRUSR | S_IWUSR));
  return true;
}

// Whether the store alone uses the directory: what is in it is a store's, and private.
bool has_nothing_else(const std::string& directory) {
  std::error_code failed;
  fs::directory_iterator entries(directory, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    const std::string name = entries->path().filename().string();
    if (std::ranges::find(own_names, name) != own_names.end()) continue;
    if (files::is_temporary(name)) continue;
    struct stat found{};
    const bool is_private_kind =
        files::kind_of_directory(name).has_value() || name == files::cursors_directory;
    if (!is_private_kind || ::lstat(entries->path().c_str(), &found) != 0) return false;
    if (!S_ISDIR(found.st_mode) || (found.st_mode & others) != 0) return false;
  }
  return !failed;
}

}  // namespace

Result<> make_sqlite_private(const std::string& path) {
  // The log of SQLite lies beside the file itself, our own files beside what leads to it.
  std::error_code failed;
  const fs::path real_path = fs::canonical(path, failed);
  if (failed) return {};
  struct stat directory{};
  const bool is_known = ::stat(real_path.parent_path().c_str(), &directory) == 0;
  if (is_known && (directory.st_mode & S_ISGID) != 0) return {};
  const std::string real = real_path.string();
  for (const std::string& file :
       {real, real + "-wal", real + "-shm", path + "-queue", path + "-writer"}) {
    TYER_TRY_OK(close_file(file));
  }
  return {};
}

Result<> make_files_private(const std::string& directory) {
  struct stat root{};
  if (::stat(directory.c_str(), &root) != 0 || root.st_uid != ::geteuid()) return {};
  if ((root.st_mode & (S_ISGID | S_ISVTX)) != 0) return {};
  bool was_open = false;
  for (const std::string_view name : own_names) {
    TYER_TRY(const bool open, close_file(fmt::format("{}/{}", directory, name)));
    was_open = was_open || open;
  }
  if (!is_own_and_open(root) || !(was_open || has_nothing_else(directory))) return {};
  // It may be reached through a link, as the user wrote it.
  std::error_code failed;
  const fs::path real = fs::canonical(directory, failed);
  return failed ? Result<>() : change_mode(real.string(), root.st_mode, S_IRWXU);
}

}  // namespace tyer::store
