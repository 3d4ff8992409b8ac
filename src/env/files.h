// The file system, as wide as the files store, backups and run output need.
//
// Every method is one system call or a fixed handful, so that the simulated
// disk can stop a writer between any two of them. A missing file is
// `not_found`, a full disk `limit`, a read-only or unreachable one
// `unavailable`; each error names the path. Nothing is retried but EINTR and
// short writes.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace tyer::env {

class File {
 public:
  virtual ~File() = default;

  [[nodiscard]] virtual Result<std::uint64_t> size() const = 0;

  // Up to `bytes` from `offset`; fewer only at the end of the file.
  [[nodiscard]] virtual Result<std::string> read(std::uint64_t offset, std::size_t bytes) const = 0;
  [[nodiscard]] virtual Result<> write(std::uint64_t offset, std::string_view bytes) = 0;
  [[nodiscard]] virtual Result<> truncate(std::uint64_t size) = 0;

  // What was written to it survives power loss.
  [[nodiscard]] virtual Result<> sync() = 0;

  // A kernel lock on the open file: exclusive, gone with its process. `lock`
  // waits at most limits::file_lock_wait_max, then `timeout`. It belongs to
  // this File, not to its process.
  [[nodiscard]] virtual Result<> lock() = 0;
  [[nodiscard]] virtual Result<bool> try_lock() = 0;
  virtual void unlock() = 0;

  // Whether the path it was opened under still leads to it.
  [[nodiscard]] virtual bool is_current() const = 0;

  // The size, or nothing if it is not current: both in one look.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> current_size() const = 0;
};

enum class Open : std::uint8_t {
  read,        // Must exist.
  write,       // For reading and writing; made if missing.
  create_new,  // Must not exist: `conflict` if it does.
};

struct Entry {
  std::string name;
  bool is_directory = false;

  friend bool operator==(const Entry&, const Entry&) = default;
};

class Files {
 public:
  virtual ~Files() = default;

  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(const std::string& path, Open mode) = 0;

  // The whole file, refused as `limit` if it is longer than `bytes_max`.
  [[nodiscard]] virtual Result<std::string> read(const std::string& path,
                                                 std::size_t bytes_max) = 0;

  // A new file with this content appears under `path` all at once, in place of
  // what was there. Readers see the old one or the new one.
  [[nodiscard]] virtual Result<> replace(const std::string& path, std::string_view content) = 0;

  // Removing what is not there is not an error.
  [[nodiscard]] virtual Result<> remove(const std::string& path) = 0;

  // Makes the directory and its parents, private to the user (0700).
  [[nodiscard]] virtual Result<> make_directory(const std::string& path) = 0;

  // Entries in no order, without "." and ".."; none if the directory is missing.
  [[nodiscard]] virtual Result<std::vector<Entry>> list(const std::string& path) = 0;

  // File names made, replaced and removed so far, anywhere on the file system
  // that holds `path`, and the files' contents, survive power loss.
  [[nodiscard]] virtual Result<> sync_all(const std::string& path) = 0;

  // The same files, as far as they are beneath the directory `root`: for one whose content
  // strangers may have made. Names are whole paths that begin with `root`, as it is written here.
  // Any other name, a link on the way from the root on, and what is no plain file or directory are
  // `broken`. It outlives none of these Files.
  [[nodiscard]] virtual std::unique_ptr<Files> beneath(const std::string& root) = 0;
};

}  // namespace tyer::env
