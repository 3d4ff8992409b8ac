#include "env/beneath_by_name.h"

#include "env/beneath.h"

namespace tyer::env {

Result<std::unique_ptr<File>> BeneathByName::open(const std::string& path, Open mode) {
  TYER_TRY_OK(check(path));
  return files_.open(path, mode);
}

Result<std::string> BeneathByName::read(const std::string& path, std::size_t bytes_max) {
  TYER_TRY_OK(check(path));
  return files_.read(path, bytes_max);
}

Result<> BeneathByName::replace(const std::string& path, std::string_view content) {
  TYER_TRY_OK(check(path));
  return files_.replace(path, content);
}

Result<> BeneathByName::remove(const std::string& path) {
  TYER_TRY_OK(check(path));
  return files_.remove(path);
}

Result<> BeneathByName::make_directory(const std::string& path) {
  TYER_TRY_OK(check(path));
  return files_.make_directory(path);
}

Result<std::vector<Entry>> BeneathByName::list(const std::string& path) {
  TYER_TRY_OK(check(path));
  return files_.list(path);
}

Result<> BeneathByName::sync_all(const std::string& path) {
  TYER_TRY_OK(check(path));
  return files_.sync_all(path);
}

std::unique_ptr<Files> BeneathByName::beneath(const std::string& root) {
  return std::make_unique<BeneathByName>(*this, root);
}

Result<> BeneathByName::check(const std::string& path) const {
  TYER_TRY_OK(names_beneath(root_, path));
  return {};
}

}  // namespace tyer::env
