#include "support/temp_dir.h"

#include <cstdlib>
#include <filesystem>

#include "base/check.h"

namespace tyer::testing {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tyer-XXXXXX").string();
  TYER_CHECK(mkdtemp(pattern.data()) != nullptr, "a temporary directory can be made");
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tyer::testing
