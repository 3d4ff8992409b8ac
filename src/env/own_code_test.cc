#include "env/own_code.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace tyer::env {
namespace {

// Kilobytes of files in our memory.
long resident_files() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stol(line.substr(8));
  }
  return -1;
}

TEST(OwnCode, IsLetGoOfAndComesBackWhenItIsNeeded) {
  const long before = resident_files();

  let_go_of_code();

  const long after = resident_files();
  EXPECT_GT(after, 0);
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace tyer::env
