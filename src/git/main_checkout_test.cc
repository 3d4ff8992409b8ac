#include "git/main_checkout.h"

#include <gtest/gtest.h>

#include "env/linux_env.h"
#include "git/repository.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace tyer::git {
namespace {

// What git says is asked as well: the two must never differ, or worktrees and locks would.
class MainCheckout : public ::testing::Test {
 protected:
  void sh(const std::string& script) const {
    const auto result =
        testing::run_program({.words = {"-c", "set -e\n" + script},
                              .directory = dir.path(),
                              .environment = {{"HOME", dir.path()}, {"GIT_CONFIG_NOSYSTEM", "1"}},
                              .program = "/bin/sh"});
    EXPECT_EQ(result.code, 0) << script << result.err;
  }

  [[nodiscard]] std::string found(const std::string& directory) {
    return find_main_checkout(world.env().files, dir / directory).value_or("");
  }

  void expect(const std::string& directory, const std::string& root) {
    EXPECT_EQ(found(directory), dir / root) << directory;
    const Runner runner(world.env(), {{"HOME", dir.path()}, {"GIT_CONFIG_NOSYSTEM", "1"}});
    const auto known = find_repository(runner, dir / directory);
    ASSERT_TRUE(known) << known.error().what;
    EXPECT_EQ(known->root, dir / root) << directory;
  }

  const std::string commit =
      "git -c user.name=me -c user.email=me@example.com commit -q --allow-empty -m first";
  testing::TempDir dir;
  env::LinuxEnv world;
};

TEST_F(MainCheckout, IsFoundFromWhereverGitFindsTheRepository) {
  sh("git init -q main && cd main && " + commit + " && mkdir -p a/b && git worktree add -q ../one");

  for (const char* const directory : {"main", "main/a/b", "main/.git", "main/.git/refs/heads",
                                      "main/.git/worktrees/one", "one"}) {
    expect(directory, "main");
  }
}

TEST_F(MainCheckout, OfABareRepositoryIsTheRepository) {
  sh("git init -q main && cd main && " + commit +
     " && git clone -q --bare . ../bare && cd ../bare && git worktree add -q ../one && "
     "mkdir ../around && git clone -q --bare . ../around/.bare && cd ../around && "
     "echo 'gitdir: ./.bare' > .git && git worktree add -q two");

  expect("bare", "bare");
  expect("bare/refs", "bare");
  expect("one", "bare");
  expect("around/two", "around/.bare");
  expect("around", "around/.bare");
}

TEST_F(MainCheckout, IsWhereTheConfigurationSaysThatItIs) {
  sh("mkdir tree other && git init -q main && cd main && " + commit +
     " && git worktree add -q ../one && git config core.worktree ../../tree");
  expect("one", "tree");

  sh("cd main && printf '[Core] worktree = \"../../other\" ; not ../../tree\\n' >> .git/config");
  expect("one", "other");

  sh("cd main && git config --unset-all core.worktree && "
     "git config extensions.worktreeConfig true && "
     "git config -f .git/config.worktree core.worktree ../../tree");
  expect("one", "tree");

  sh("cd main && rm .git/config.worktree && git config --unset extensions.worktreeConfig && "
     "git config core.bare yes");
  expect("one", "main/.git");
}

TEST_F(MainCheckout, OfARepositoryThatStandsApartIsItsDirectory) {
  sh("git init -q --separate-git-dir=apart main && cd main && " + commit +
     " && git worktree add -q ../one");

  expect("main", "apart");
  expect("one", "apart");
}

TEST_F(MainCheckout, IsFoundThroughSymbolicLinks) {
  sh("git init -q main && cd main && " + commit +
     " && git worktree add -q ../one && ln -s main/.git ../link && mkdir ../two && "
     "ln -s ../main/.git ../two/.git");

  expect("link", "main");
  expect("two", "main");
}

TEST_F(MainCheckout, IsNoneOutsideOfGit) {
  sh("mkdir -p plain/.git/objects plain/sub file");

  EXPECT_EQ(find_main_checkout(world.env().files, dir / "plain/sub"), std::nullopt);
  EXPECT_EQ(find_main_checkout(world.env().files, "/"), std::nullopt);
}

TEST_F(MainCheckout, OfACheckoutThatLeadsNowhereIsItself) {
  sh("mkdir -p lost/sub strange && echo 'gitdir: ../gone' > lost/.git && echo x > strange/.git");

  EXPECT_EQ(found("lost/sub"), dir / "lost");
  EXPECT_EQ(found("strange"), dir / "strange");
}

}  // namespace
}  // namespace tyer::git
