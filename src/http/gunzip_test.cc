#include "http/gunzip.h"

#include <string>

#include <gtest/gtest.h>

namespace tyer::http {
namespace {

// printf 'hello hello hello\n' | gzip -9n
const std::string hello(
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03"
    "\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\0"
    "\x3b\x7c\x8a\xdf\x12\0\0\0",
    29);

TEST(Gunzip, ReadsWhatGzipWrote) {
  EXPECT_EQ(gunzip(hello, 100).value(), "hello hello hello\n");
}

TEST(Gunzip, RefusesWhatIsTooLong) {
  EXPECT_EQ(gunzip(hello, 17).error().fault, Fault::limit);
  EXPECT_TRUE(gunzip(hello, 18).has_value());
}

TEST(Gunzip, RefusesWhatIsDamaged) {
  for (std::size_t bytes = 0; bytes < hello.size(); ++bytes) {
    EXPECT_FALSE(gunzip(hello.substr(0, bytes), 100).has_value()) << bytes;
  }
  for (const std::size_t at : {0UL, 2UL, 3UL, 10UL, 25UL}) {
    std::string damaged = hello;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    EXPECT_FALSE(gunzip(damaged, 100).has_value()) << at;
  }
}

}  // namespace
}  // namespace tyer::http
