// tyer is killed after each of its calls of git; doing the same again completes it,
// and nothing is lost.

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/worktrees.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

// Of the two processes of a command (see env/front.h).
enum class Victim { front, keeper };

class WorktreeCrash : public WorktreeTest, public ::testing::WithParamInterface<Victim> {
 protected:
  // From now on, git is a program that counts its calls and kills who called it.
  WorktreeCrash() {
    const std::string keeper = "$PPID";
    const std::string front = "$(cut -d' ' -f4 /proc/$PPID/stat)";
    write_file(home / "bin/git",
               fmt::format("#!/bin/sh\n"
                           "n=$(($(cat '{0}/count') + 1)); echo $n > '{0}/count'\n"
                           "/usr/bin/git \"$@\"; code=$?\n"
                           "test $n != $(cat '{0}/kill_at') || kill -9 {1}\n"
                           "exit $code\n",
                           home.path(), GetParam() == Victim::front ? front : keeper));
    fs::permissions(home / "bin/git", fs::perms::owner_all);
    kill_at(0);
    environment["PATH"] = (home / "bin") + ":/usr/bin:/bin";
  }

  void kill_at(int call) const {
    write_file(home / "count", "0");
    write_file(home / "kill_at", std::to_string(call));
  }

  // Whether it was killed at its `number`th call of git; it ran to its end if it has fewer.
  [[nodiscard]] bool is_killed(const std::string& line, int number) const {
    kill_at(number);
    const ProgramResult result = tyer(line);
    kill_at(0);
    if (result.code == 0) return false;
    EXPECT_EQ(result.code, 128 + SIGKILL) << result.err;
    return true;
  }

  // After every call, or after some: where the front dies, the keeper ends in order.
  [[nodiscard]] static int stride() { return GetParam() == Victim::front ? 4 : 1; }

  // Some rescue brings `wanted` back.
  void expect_rescued(const Picture& wanted) const {
    std::string differences;
    for (const std::string& id : rescues()) {
      ok("rescue restore " + id + " --to again");
      const std::string different = difference(wanted, picture_of(dir / "again"));
      sh("git worktree remove --force again");
      if (different.empty()) return;
      differences += id + ":\n" + different;
    }
    ADD_FAILURE() << "there is no rescue of it; " << differences;
  }

  void forget_all() const {
    sh("git for-each-ref --format='delete %(refname)' refs/tyer | git update-ref --no-deref "
       "--stdin;"
       "git branch -q -D tyer/w 2>/dev/null || true");
  }
};

constexpr int calls_max = 100;  // Never reached.

TEST_P(WorktreeCrash, WhileOneIsRemovedLosesNothing) {
  int number = 1;
  for (; number < calls_max; number += stride()) {
    make_tree("w",
              "echo work > c; git add c; git commit -qm work; echo new > a; git add a; echo "
              "newer > a; echo x > 'un tracked'; echo l > all.log; ln -s a link; chmod 600 d/b");
    const Picture before = picture_of(tree("w"));
    const bool killed = is_killed("worktree remove w --force", number);
    ok("worktree remove w --force");
    EXPECT_FALSE(fs::exists(tree("w")));
    expect_rescued(before);
    forget_all();
    if (!killed || HasFailure()) break;
  }
  EXPECT_GT(number, 10);
  EXPECT_LT(number, calls_max);
  EXPECT_EQ(sh("git worktree list | wc -l; ls -A .tyer/worktrees/.aside"), "1\n");
}

TEST_P(WorktreeCrash, WhileOneIsMadeLeavesNothingHalfMade) {
  make_tree("example");
  const Picture wanted = picture_of(tree("example"));
  int number = 1;
  for (; number < calls_max; number += stride()) {
    const bool killed = is_killed("worktree add w", number);
    ok("worktree add w");
    EXPECT_EQ(difference(wanted, picture_of(tree("w"))), "") << number;
    EXPECT_EQ(sh("git status --short; git symbolic-ref HEAD", tree("w")), "refs/heads/tyer/w\n");
    EXPECT_EQ(sh("git worktree list --porcelain | grep -c ^locked || true"), "0\n");
    EXPECT_TRUE(rescues().empty()) << number;
    ok("worktree remove w");
    if (!killed || HasFailure()) break;
  }
  EXPECT_GT(number, 5);
  EXPECT_LT(number, calls_max);
}

TEST_P(WorktreeCrash, WhileOneIsRestoredIsMadeGoodByDoingItAgain) {
  make_tree("w", "echo new > a; git init -q nested; echo x > nested/x; chmod 600 d/b; mkdir empty");
  const Picture before = picture_of(tree("w"));
  ok("worktree remove w --force");
  const std::string restore = "rescue restore " + rescues().front();
  int number = 1;
  for (; number < calls_max; number += stride()) {
    const bool killed = is_killed(restore, number);
    const ProgramResult again = tyer(restore);
    // One that was complete is in its own way.
    EXPECT_TRUE(killed || again.code == 4);
    EXPECT_EQ(difference(before, picture_of(tree("w"))), "") << number << again.err;
    sh("git worktree unlock .tyer/worktrees/w 2>/dev/null || true; git worktree remove --force "
       ".tyer/worktrees/w; git branch -q -D tyer/w");
    if (!killed || HasFailure()) break;
  }
  EXPECT_GT(number, 5);
  EXPECT_LT(number, calls_max);
}

TEST_P(WorktreeCrash, WhileOneIsMergedIsMadeGoodByDoingItAgain) {
  int number = 1;
  for (; number < calls_max; number += stride()) {
    make_tree("w", fmt::format("echo {} > new; git add new; git commit -qm work", number));
    const bool killed = is_killed("worktree merge w", number);
    ok("worktree merge w");
    EXPECT_EQ(sh("cat new; git status --short"), fmt::format("{}\n", number));
    ok("worktree remove w");
    if (!killed || HasFailure()) break;
  }
  EXPECT_GT(number, 5);
  EXPECT_LT(number, calls_max);
}

INSTANTIATE_TEST_SUITE_P(Of, WorktreeCrash, ::testing::Values(Victim::front, Victim::keeper),
                         [](const auto& one) {
                           return one.param == Victim::front ? "Front" : "Keeper";
                         });

}  // namespace
}  // namespace tyer::testing
