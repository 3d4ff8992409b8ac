#include "git/repository.h"

#include <gtest/gtest.h>

#include "env/linux_env.h"
#include "support/temp_dir.h"

namespace tyer::git {
namespace {

// Since 2.48 git writes them if worktree.useRelativePaths is set.
TEST(GitRepository, KnowsWorktreesByAbsoluteAndByRelativePaths) {
  const testing::TempDir dir;
  env::LinuxEnv world;
  env::Files& files = world.env().files;
  const Repository repository{.common = dir / ".git", .root = dir.path()};
  const std::string admin = repository.common + "/worktrees/";
  for (const auto& [name, leads_to] :
       {std::pair(std::string("one"), dir / "one/.git"), {"two", "../../../two/.git"}}) {
    ASSERT_TRUE(files.make_directory(admin + name));
    ASSERT_TRUE(files.replace(admin + name + "/gitdir", leads_to + "\n"));
  }
  const Runner runner(world.env(), {});

  EXPECT_EQ(admin_of(runner, repository, dir / "one").value(), admin + "one");
  EXPECT_EQ(admin_of(runner, repository, dir / "two").value(), admin + "two");
  EXPECT_EQ(admin_of(runner, repository, dir / "three").value(), std::nullopt);
  EXPECT_EQ(admin_of(runner, repository, dir.path()).value(), repository.common);
}

}  // namespace
}  // namespace tyer::git
