#include "env/find_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temp_dir.h"

namespace tyer::env {
namespace {

void make_program(const std::string& path, mode_t mode) {
  std::ofstream(path) << "#!/bin/sh\n";
  ASSERT_EQ(chmod(path.c_str(), mode), 0);
}

struct Places {
  testing::TempDir top;
  std::string first = top / "first";
  std::string second = top / "second";
  std::string path = first + ":" + second;

  Places() {
    mkdir(first.c_str(), 0700);
    mkdir(second.c_str(), 0700);
  }
};

TEST(FindProgram, TakesTheFirstInPath) {
  const Places places;
  make_program(places.first + "/tool", 0700);
  make_program(places.second + "/tool", 0700);

  EXPECT_EQ(*find_program("tool", places.path, ""), places.first + "/tool");
}

TEST(FindProgram, PassesOverWhatCannotBeExecuted) {
  const Places places;
  make_program(places.first + "/tool", 0600);
  make_program(places.second + "/tool", 0700);

  EXPECT_EQ(*find_program("tool", places.path, ""), places.second + "/tool");
}

TEST(FindProgram, SaysSoIfAllItFindsCannotBeExecuted) {
  const Places places;
  make_program(places.first + "/tool", 0600);
  const auto found = find_program("tool", places.path, "");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().fault, Fault::denied);
  EXPECT_TRUE(found.error().what.contains(places.first + "/tool"));
}

TEST(FindProgram, DoesNotTakeADirectoryForAProgram) {
  const Places places;
  const auto found = find_program(places.first, places.path, "");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().fault, Fault::denied);
}

TEST(FindProgram, NamesWhatIsMissing) {
  for (const char* name : {"no-such-tool", "/no/such/tool", "./no-such-tool"}) {
    const auto found = find_program(name, "/usr/bin", "");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().fault, Fault::not_found);
    EXPECT_TRUE(found.error().what.contains(name)) << found.error().what;
  }
  EXPECT_EQ(find_program("", "/usr/bin", "").error().fault, Fault::not_found);
}

TEST(FindProgram, LooksFromTheDirectoryTheProgramWillRunIn) {
  const Places places;
  make_program(places.first + "/tool", 0700);

  EXPECT_EQ(*find_program("./tool", "", places.first), "./tool");
  EXPECT_EQ(*find_program("tool", "/nowhere:", places.first), "./tool");
  EXPECT_EQ(*find_program("tool", "first", places.top.path()), "first/tool");
  EXPECT_FALSE(find_program("./tool", "", places.second));
}

}  // namespace
}  // namespace tyer::env
