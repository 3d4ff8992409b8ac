// What is beneath a directory, for Files without links: those of a simulated disk, and those that
// stand before others. Only names have to be looked at; everything else is passed on.

#pragma once

#include <string>
#include <utility>

#include "env/files.h"

namespace tyer::env {

class BeneathByName final : public Files {
 public:
  BeneathByName(Files& files, std::string root) : files_(files), root_(std::move(root)) {}

  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path, Open mode) override;
  [[nodiscard]] Result<std::string> read(const std::string& path, std::size_t bytes_max) override;
  [[nodiscard]] Result<> replace(const std::string& path, std::string_view content) override;
  [[nodiscard]] Result<> remove(const std::string& path) override;
  [[nodiscard]] Result<> make_directory(const std::string& path) override;
  [[nodiscard]] Result<std::vector<Entry>> list(const std::string& path) override;
  [[nodiscard]] Result<> sync_all(const std::string& path) override;
  [[nodiscard]] std::unique_ptr<Files> beneath(const std::string& root) override;

 private:
  [[nodiscard]] Result<> check(const std::string& path) const;

  Files& files_;
  const std::string root_;
};

}  // namespace tyer::env
