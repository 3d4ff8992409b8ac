#include "git/runner.h"

#include <sys/eventfd.h>
#include <sys/stat.h>

#include <fstream>

#include <gtest/gtest.h>

#include "git/repository.h"
#include "support/temp_dir.h"
#include "support/test_env.h"

namespace tyer::git {
namespace {

// A world in which git is what a script says.
struct Fake {
  explicit Fake(const std::string& script) {
    std::ofstream(dir / "git") << "#!/bin/sh\n" << script << "\n";
    ::chmod((dir / "git").c_str(), 0755);
    variables["PATH"] = dir.path() + ":/usr/bin:/bin";
  }

  testing::TempDir dir;
  testing::TestEnv world;
  Variables variables;
};

TEST(GitRunner, EndsWhatTakesTooLong) {
  Fake fake("exec tail -f /dev/null");
  const Runner runner(fake.world.env, fake.variables);
  const auto answer = runner.ask({.words = {"status"}, .at_most = 50ms});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::timeout);
}

TEST(GitRunner, EndsWhatSaysTooMuch) {
  Fake fake("exec yes");
  const Runner runner(fake.world.env, fake.variables);
  const auto answer = runner.ask({.words = {"log"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::limit);
}

TEST(GitRunner, KeepsOnlyTheBeginningOfComplaints) {
  Fake fake("yes 'fatal: no' | head -c 10000000 >&2; exit 128");
  const Runner runner(fake.world.env, fake.variables);
  const auto answer = runner.run({.words = {"log"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "git log: no");
  EXPECT_EQ(answer.error().fault, Fault::conflict);
}

TEST(GitRunner, StopsWhenItIsTold) {
  Fake fake("exec tail -f /dev/null");
  const env::Fd stop(::eventfd(1, EFD_CLOEXEC));
  const Runner runner(fake.world.env, fake.variables, {.stop_fds = {stop.get()}});
  const auto answer = runner.ask({.words = {"status"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::cancelled);
}

TEST(GitRunner, SaysThatGitIsMissing) {
  testing::TestEnv world;
  const Runner runner(world.env, {{"PATH", "/nowhere"}});
  const auto answer = runner.ask({.words = {"status"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::unavailable);
}

TEST(GitRunner, PassesOnWhatAPersonSetButNotAnotherRepository) {
  Fake fake("env; cat");
  fake.variables.insert({{"GIT_DIR", "/x"}, {"GIT_AUTHOR_NAME", "Bob"}, {"HOME", "/home/bob"}});
  const Runner runner(fake.world.env, fake.variables);
  const auto answer = runner.run({.words = {"x"}, .input = std::string(200'000, 'i')});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->contains("GIT_AUTHOR_NAME=Bob\n"));
  EXPECT_TRUE(answer->contains("HOME=/home/bob\n"));
  EXPECT_TRUE(answer->contains("LC_ALL=C\n"));
  EXPECT_FALSE(answer->contains("GIT_DIR"));
  EXPECT_TRUE(answer->ends_with(std::string(200'000, 'i')));
}

TEST(GitRunner, TellsTheFilesThatAreInTheWay) {
  const Error error = complaint({.words = {"merge"}},
                                {1, "", "warning: x\nerror: These files:\n\ta\n\tb\nAborting\n"});
  EXPECT_EQ(error.what, "git merge: These files: a b");
}

TEST(GitRepository, IsKnownByItsRealPathWhereverOneStands) {
  testing::TestEnv world;
  testing::TempDir dir;
  const Runner runner(world.env, {{"PATH", "/usr/bin:/bin"}, {"HOME", dir.path()}});
  ASSERT_TRUE(runner.run({.words = {"init", "-q", dir / "r"}}));
  ASSERT_TRUE(world.env.files.make_directory(dir / "r/sub"));
  ASSERT_EQ(::symlink((dir / "r").c_str(), (dir / "link").c_str()), 0);

  const auto one = find_repository(runner, dir / "r/sub");
  const auto other = find_repository(runner, dir / "link");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->root, dir / "r");
  EXPECT_EQ(one->id, other->id);
  const auto none = find_repository(runner, "/");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().fault, Fault::not_found);
}

TEST(GitRepository, IsClonedFromAnAddressThatIsNoOption) {
  testing::TestEnv world;
  testing::TempDir dir;
  const Runner runner(world.env, {{"PATH", "/usr/bin:/bin"}, {"HOME", dir.path()}});
  ASSERT_TRUE(runner.run({.words = {"init", "-q", "--bare", dir / "r"}}));

  EXPECT_TRUE(clone(runner, dir / "r", dir / "copy"));
  for (const std::string bad : {"--upload-pack=x", "ext::sh -c x", "", "a\nb"}) {
    const auto cloned = clone(runner, bad, dir / "bad");
    ASSERT_FALSE(cloned) << bad;
    EXPECT_EQ(cloned.error().fault, Fault::invalid);
  }
}

}  // namespace
}  // namespace tyer::git
