// Files and directories of the machine, private to the user: files are made
// 0600, directories 0700, and no descriptor is inherited by a child.
//
// Nothing waits but `lock`: opening a pipe that somebody left under our name
// gives an error at the first read instead of a hang.
//
// `replace` does not sync. A crash of the machine shortly after it may leave
// the old file, the new one or an empty one, and a `.tmp` file beside it;
// whoever needs more calls `sync_all` or keeps a journal. A crash of the
// process alone leaves the old file or the new one, and perhaps the `.tmp`.

#pragma once

#include <sys/stat.h>

#include "env/beneath.h"
#include "env/fd.h"
#include "env/files.h"

namespace tyer::env {

class LinuxFile final : public File {
 public:
  LinuxFile(Fd fd, std::string path);

  [[nodiscard]] Result<std::uint64_t> size() const override;
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t bytes) const override;
  [[nodiscard]] Result<> write(std::uint64_t offset, std::string_view bytes) override;
  [[nodiscard]] Result<> truncate(std::uint64_t size) override;
  [[nodiscard]] Result<> sync() override;
  [[nodiscard]] Result<> lock() override;
  [[nodiscard]] Result<bool> try_lock() override;
  void unlock() override;
  [[nodiscard]] bool is_current() const override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> current_size() const override;

 private:
  Fd fd_;
  mutable struct stat own_{};  // Once it was asked for.
  std::string path_;
};

class LinuxFiles final : public Files {
 public:
  LinuxFiles() = default;

  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path, Open mode) override;
  [[nodiscard]] Result<std::string> read(const std::string& path, std::size_t bytes_max) override;
  [[nodiscard]] Result<> replace(const std::string& path, std::string_view content) override;
  [[nodiscard]] Result<> remove(const std::string& path) override;
  [[nodiscard]] Result<> make_directory(const std::string& path) override;
  [[nodiscard]] Result<std::vector<Entry>> list(const std::string& path) override;
  [[nodiscard]] Result<> sync_all(const std::string& path) override;
  [[nodiscard]] std::unique_ptr<Files> beneath(const std::string& root) override;

 private:
  explicit LinuxFiles(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] Result<Spot> find(const std::string& path) const;
  [[nodiscard]] Result<Fd> open_file(const std::string& path, int flags,
                                     std::string_view doing) const;
  [[nodiscard]] Result<> make_one(const Spot& spot, const std::string& path) const;

  const std::string root_;  // Empty: any name will do, and links are followed.
};

}  // namespace tyer::env
