// How the program's file is made: what it does not let an attacker do.

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "support/demo.h"

namespace tyer::testing {
namespace {

std::string read_elf(const std::string& what) {
  const ProgramResult result =
      run_program({.words = {"--wide", what, TYER_PROGRAM}, .program = "/usr/bin/readelf"});
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

std::string line_with(const std::string& text, const std::string& word) {
  for (const std::string& line : split_lines(text)) {
    if (line.contains(word)) return line;
  }
  return "";
}

TEST(Binary, IsLoadedAnywhereAndHasItsTablesReadOnly) {
  EXPECT_TRUE(read_elf("--file-header").contains("DYN (Position-Independent Executable"));
  EXPECT_TRUE(read_elf("--program-headers").contains("GNU_RELRO"));
  const std::string dynamic = read_elf("--dynamic");
  EXPECT_TRUE(line_with(dynamic, "(FLAGS_1)").contains("NOW")) << dynamic;
  EXPECT_FALSE(dynamic.contains("TEXTREL"));
}

TEST(Binary, HasAStackThatIsGuardedAndNotRun) {
  EXPECT_FALSE(line_with(read_elf("--program-headers"), "GNU_STACK").contains("RWE"));
  EXPECT_TRUE(read_elf("--dyn-syms").contains("__stack_chk_fail"));
}

// Sanitizers look themselves.
TEST(Binary, HasItsLibraryCallsChecked) {
  const std::string symbols = read_elf("--dyn-syms");
  if (symbols.contains("__asan_") || symbols.contains("__tsan_")) return;
  EXPECT_TRUE(symbols.contains("_chk@GLIBC")) << symbols;
  EXPECT_TRUE(symbols.contains("__memcpy_chk") || symbols.contains("__read_chk"));
}

#ifdef __x86_64__
TEST(Binary, MarksWhereJumpsMayLead) {
  std::ifstream file(TYER_PROGRAM, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = bytes.find("\xf3\x0f\x1e\xfa", at)) != std::string::npos; ++at) {
    ++marks;
  }
  // The libraries in it have some 6,000 of their own.
  EXPECT_GT(marks, 15'000U);
}
#endif

}  // namespace
}  // namespace tyer::testing
