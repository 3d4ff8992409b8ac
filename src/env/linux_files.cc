#include "env/linux_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "env/interrupt.h"
#include "env/limits.h"
#include "env/linux_random.h"
#include "env/os_error.h"

namespace tyer::env {
namespace {

constexpr std::size_t first_read_bytes = 64 << 10;
constexpr std::size_t least_read_bytes = 512;  // Files in /proc say they are empty.

std::unexpected<Error> refused(std::string_view doing, const std::string& path) {
  return std::unexpected(os_error(errno, doing, path));
}

// Up to `bytes`, in memory that grows with what is found: `bytes` may be far more.
Result<std::string> read_at(int fd, const std::string& path, std::uint64_t offset,
                            std::size_t bytes, std::size_t guess, bool is_plain) {
  std::string content;
  std::size_t used = 0;
  while (used < bytes) {
    if (used == content.size()) content.resize(std::min(bytes, std::max(guess, 2 * used)));
    const ssize_t got = uninterrupted([&] {
      return pread(fd, content.data() + used, content.size() - used,
                   static_cast<off_t>(offset + used));
    });
    if (got < 0) return refused("read", path);
    const std::size_t asked = content.size() - used;
    used += static_cast<std::size_t>(got);
    // Of a file that says its size, less than was asked for is all there is.
    if (got == 0 || (is_plain && static_cast<std::size_t>(got) < asked)) break;
  }
  content.resize(used);
  return content;
}

// The errno, or 0.
int write_at(int fd, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = uninterrupted(
        [&] { return pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (put < 0) return errno;
    if (put == 0) return EIO;
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return 0;
}

// "/a/b/" is in "/a", "b" is in ".", "/" is in "/".
std::string directory_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  path = path.substr(0, slash + 1);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

// Where the kernel is to look for the name.
int at(const Spot& spot) {
  return spot.directory ? spot.directory.get() : AT_FDCWD;
}

// Not made from the file's own name, which may be as long as a name can be.
std::string temporary_beside(const std::string& path) {
  const RandomBits bits = LinuxRandom().bits();
  const std::string_view bytes(reinterpret_cast<const char*>(bits.data()), bits.size());
  return directory_of(path) + "/." + to_hex(bytes) + ".tmp";
}

bool leads_to_directory(int directory, const dirent& entry, bool follows_links) {
  if (entry.d_type == DT_DIR) return true;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return false;
  struct stat status{};
  const int flags = follows_links ? 0 : AT_SYMLINK_NOFOLLOW;
  return fstatat(directory, entry.d_name, &status, flags) == 0 && S_ISDIR(status.st_mode);
}

std::unexpected<Error> too_long(const std::string& path, std::size_t bytes_max) {
  return fail(Fault::limit, fmt::format("{} is longer than the {} bytes it may have",
                                        printable(path, path.size()), bytes_max));
}

}  // namespace

LinuxFile::LinuxFile(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

Result<std::uint64_t> LinuxFile::size() const {
  struct stat status{};
  if (fstat(fd_.get(), &status) != 0) return refused("look at", path_);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::string> LinuxFile::read(std::uint64_t offset, std::size_t bytes) const {
  return read_at(fd_.get(), path_, offset, bytes, first_read_bytes, false);
}

Result<> LinuxFile::write(std::uint64_t offset, std::string_view bytes) {
  const int failed = write_at(fd_.get(), offset, bytes);
  if (failed != 0) return std::unexpected(os_error(failed, "write", path_));
  return {};
}

Result<> LinuxFile::truncate(std::uint64_t size) {
  const int done = uninterrupted([&] { return ftruncate(fd_.get(), static_cast<off_t>(size)); });
  if (done != 0) return refused("change the size of", path_);
  return {};
}

Result<> LinuxFile::sync() {
  if (uninterrupted([&] { return fdatasync(fd_.get()); }) != 0) return refused("sync", path_);
  return {};
}

Result<> LinuxFile::lock() {
  TYER_TRY(const bool at_once, try_lock());
  if (at_once) return {};
  const Interrupt interrupt(limits::file_lock_wait_max);
  while (flock(fd_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return refused("lock", path_);
    if (interrupt.is_over()) {
      return fail(Fault::timeout, fmt::format("{}: another process has held its lock for {}", path_,
                                              describe_span(limits::file_lock_wait_max)));
    }
  }
  return {};
}

Result<bool> LinuxFile::try_lock() {
  if (uninterrupted([&] { return flock(fd_.get(), LOCK_EX | LOCK_NB); }) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return refused("lock", path_);
}

void LinuxFile::unlock() {
  flock(fd_.get(), LOCK_UN);
}

bool LinuxFile::is_current() const {
  const auto size = current_size();
  return size && *size;
}

Result<std::optional<std::uint64_t>> LinuxFile::current_size() const {
  // An open file stays the one it is.
  if (own_.st_ino == 0 && fstat(fd_.get(), &own_) != 0) return refused("look at", path_);
  struct stat found{};
  const bool is_same = stat(path_.c_str(), &found) == 0 && own_.st_dev == found.st_dev &&
                       own_.st_ino == found.st_ino;
  if (!is_same) return std::nullopt;
  return static_cast<std::uint64_t>(found.st_size);
}

Result<std::unique_ptr<File>> LinuxFiles::open(const std::string& path, Open mode) {
  int flags = O_RDONLY;
  if (mode == Open::write) flags = O_RDWR | O_CREAT;
  if (mode == Open::create_new) flags = O_RDWR | O_CREAT | O_EXCL;
  TYER_TRY(Fd fd, open_file(path, flags, mode == Open::create_new ? "make" : "open"));
  return std::make_unique<LinuxFile>(std::move(fd), path);
}

Result<std::string> LinuxFiles::read(const std::string& path, std::size_t bytes_max) {
  TYER_TRY(const Fd fd, open_file(path, O_RDONLY, "read"));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return refused("look at", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > bytes_max) return too_long(path, bytes_max);

  // One byte more than allowed and than expected, to see that it ends there.
  const std::size_t most = std::min(bytes_max, std::numeric_limits<std::size_t>::max() - 1) + 1;
  TYER_TRY(std::string content,
           read_at(fd.get(), path, 0, most, std::max(size + 1, least_read_bytes), size > 0));
  if (content.size() > bytes_max) return too_long(path, bytes_max);
  return content;
}

Result<> LinuxFiles::replace(const std::string& path, std::string_view content) {
  TYER_TRY(const Spot spot, find(path));
  const std::string temporary = temporary_beside(spot.name);
  const int directory = at(spot);
  Fd fd = open_at_once(directory, temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return refused("replace", path);

  int failed = write_at(fd.get(), 0, content);
  if (failed == 0 && fd.close() != 0) failed = errno;
  if (failed == 0 && renameat(directory, temporary.c_str(), directory, spot.name.c_str()) != 0) {
    failed = errno;
  }
  if (failed == 0) return {};
  unlinkat(directory, temporary.c_str(), 0);
  return std::unexpected(os_error(failed, "replace", path));
}

Result<> LinuxFiles::remove(const std::string& path) {
  const Result<Spot> spot = find(path);
  if (!spot && spot.error().fault == Fault::not_found) return {};
  if (!spot) return std::unexpected(spot.error());
  if (unlinkat(at(*spot), spot->name.c_str(), 0) != 0 && errno != ENOENT) {
    return refused("remove", path);
  }
  return {};
}

Result<> LinuxFiles::make_directory(const std::string& path) {
  const auto make = [&]() -> Result<> {
    TYER_TRY(const Spot spot, find(path));
    return make_one(spot, path);
  };
  Result<> made = make();
  if (made || made.error().fault != Fault::not_found) return made;
  // Each turn is shorter, and the kernel refuses paths that are too long.
  const std::string parent = directory_of(path);
  if (parent.size() >= path.size() || parent.size() < root_.size()) return made;
  TYER_TRY_OK(make_directory(parent));
  return make();
}

Result<> LinuxFiles::make_one(const Spot& spot, const std::string& path) const {
  if (mkdirat(at(spot), spot.name.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return refused("make the directory", path);
  struct stat status{};
  const int flags = root_.empty() ? 0 : AT_SYMLINK_NOFOLLOW;
  const bool is_there = fstatat(at(spot), spot.name.c_str(), &status, flags) == 0;
  if (is_there && S_ISDIR(status.st_mode)) return {};
  return fail(Fault::unavailable,
              fmt::format("cannot make the directory {}: something else has this name; move it",
                          printable(path, path.size())));
}

Result<std::vector<Entry>> LinuxFiles::list(const std::string& path) {
  Result<Fd> opened = open_file(path, O_RDONLY | O_DIRECTORY, "list");
  if (!opened && opened.error().fault == Fault::not_found) return std::vector<Entry>();
  if (!opened) return std::unexpected(opened.error());
  Fd fd = *std::move(opened);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(fdopendir(fd.get()), closedir);
  if (!directory) return refused("list", path);
  const int handle = fd.release();

  std::vector<Entry> entries;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entries.size() == limits::directory_entries_max) {
      return fail(Fault::limit, fmt::format("{} has more than {} entries; move some away",
                                            printable(path, path.size()), entries.size()));
    }
    entries.push_back({std::string(name), leads_to_directory(handle, *entry, root_.empty())});
  }
  if (errno != 0) return refused("list", path);
  return entries;
}

Result<> LinuxFiles::sync_all(const std::string& path) {
  TYER_TRY(const Spot spot, find(path));
  const Fd fd = open_at_once(at(spot), spot.name, O_RDONLY);
  if (!fd || uninterrupted([&] { return syncfs(fd.get()); }) != 0) {
    return refused("sync the file system of", path);
  }
  return {};
}

std::unique_ptr<Files> LinuxFiles::beneath(const std::string& root) {
  return std::unique_ptr<Files>(new LinuxFiles(root));
}

Result<Spot> LinuxFiles::find(const std::string& path) const {
  if (root_.empty()) return Spot{Fd(), path};
  return find_beneath(root_, path);
}

Result<Fd> LinuxFiles::open_file(const std::string& path, int flags, std::string_view doing) const {
  if (!root_.empty()) return open_beneath(root_, path, flags, doing);
  Fd fd = open_at_once(AT_FDCWD, path, flags);
  if (!fd) return refused(doing, path);
  return fd;
}

}  // namespace tyer::env
