// Merging a worktree: all of it or nothing, and nobody's files are lost (T17).

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worktrees.h"

namespace tyer::testing {
namespace {

Json read_json(const std::string& text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json.value_or(Json());
}

class Merges : public WorktreeTest {
 protected:
  void expect_unchanged(const std::string& before) const {
    EXPECT_EQ(sh("git rev-parse main; git status --short; cat a"), before);
  }
};

TEST_F(Merges, MakeAMergeCommitThatTheCheckoutFollows) {
  make_tree("w", "echo new > a; git commit -qam work");
  sh("echo other > c; git add c; git commit -qm other");

  const Json merged = read_json(ok("worktree merge w --json"));
  EXPECT_EQ(merged["merged"], true);
  EXPECT_EQ(merged["into"], "main");
  EXPECT_EQ(merged["checkout"], dir.path());
  EXPECT_EQ(sh("cat a c; git status --short; git log -1 --format='%s|%an|%P' | cut -d'|' -f1,2; "
               "git rev-parse main^2 tyer/w | uniq | wc -l"),
            "new\nother\nMerge branch 'tyer/w' into main|Alice\n1\n");
  EXPECT_EQ(ok("worktree remove w"), "w: removed\n");
  EXPECT_TRUE(rescues().empty());
}

TEST_F(Merges, AreNotFastForward) {
  make_tree("w", "echo new > a; git commit -qam work");
  ok("worktree merge w");
  EXPECT_EQ(sh("git rev-list --parents -1 main | wc -w"), "3\n");
}

TEST_F(Merges, OfWhatIsMergedAreDone) {
  make_tree("w", "echo new > a; git commit -qam work");
  ok("worktree merge w");
  EXPECT_EQ(ok("worktree merge w"), "tyer/w: is in main already\n");
}

TEST_F(Merges, TellEveryConflictAndChangeNothing) {
  make_tree("w", "echo theirs > a; git rm -q d/b; git commit -qam work");
  sh("echo ours > a; echo more >> d/b; git commit -qam ours");
  const std::string before = sh("git rev-parse main; git status --short; cat a");

  const ProgramResult text = tyer("worktree merge w");
  EXPECT_EQ(text.code, 1);
  EXPECT_TRUE(text.err.contains("a: changed in main, changed in tyer/w")) << text.err;
  EXPECT_TRUE(text.err.contains("d/b: changed in main, removed in tyer/w")) << text.err;
  const ProgramResult json = tyer("worktree merge w --json");
  EXPECT_EQ(json.code, 1);
  const Json told = read_json(json.out);
  EXPECT_EQ(told["merged"], false);
  ASSERT_EQ(told["conflicts"].size(), 2);
  EXPECT_EQ(told["conflicts"][0]["path"], "a");
  EXPECT_EQ(told["conflicts"][0]["into"]["object"].get<std::string>() + "\n",
            sh("git rev-parse main:a"));
  EXPECT_EQ(told["conflicts"][0]["from"]["object"].get<std::string>() + "\n",
            sh("git rev-parse tyer/w:a"));
  EXPECT_EQ(told["conflicts"][1]["from"], nullptr);
  EXPECT_EQ(told["messages"].size(), 2);
  expect_unchanged(before);
}

TEST_F(Merges, RefuseWorkThatIsNotCommitted) {
  make_tree("w", "echo new > a; echo x > x; echo y > y.log");

  const ProgramResult refused = tyer("worktree merge w");
  EXPECT_EQ(refused.code, 4);
  EXPECT_TRUE(refused.err.contains("2 changed file(s)")) << refused.err;
  EXPECT_EQ(tyer({"worktree", "merge", "w", "--commit", " "}).code, 2);
  EXPECT_EQ(tyer({"worktree", "merge", "w", "--commit", "# My\n\nwork"}).code, 0);
  EXPECT_EQ(sh("cat a x; git log -1 --format=%B tyer/w; git ls-files | grep -c log || true"),
            "new\nx\n# My\n\nwork\n\n0\n");
}

TEST_F(Merges, CommitAsTyerIfNobodyIsConfigured) {
  make_tree("w", "echo new > a");
  write_file(home / ".gitconfig", "");
  ASSERT_EQ(tyer({"worktree", "merge", "w", "--commit", "work"}).code, 0);
  EXPECT_EQ(sh("git log -2 --format='%an %ae %cn' --author-date-order main"),
            "tyer tyer@localhost tyer\ntyer tyer@localhost tyer\n");
}

TEST_F(Merges, DoNotCommitARepositoryInsideAsIfItWereKept) {
  make_tree("w", "git init -q n; cd n; echo x > x; git add x; git commit -qm x");
  const ProgramResult result = tyer({"worktree", "merge", "w", "--commit", "work"});
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("a repository of its own in n/")) << result.err;
}

TEST_F(Merges, RefuseIfTheCheckoutHasChanges) {
  make_tree("w", "echo new > a; git commit -qam work");
  sh("echo mine > d/b");
  const std::string before = sh("git rev-parse main; git status --short; cat a");

  const ProgramResult result = tyer("worktree merge w");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("commit or stash them")) << result.err;
  expect_unchanged(before);
}

TEST_F(Merges, OverwriteNeitherUntrackedNorIgnoredFiles) {
  make_tree("w", "echo theirs > x; echo theirs > y.log; git add -f x y.log; git commit -qm work");
  for (const char* const file : {"x", "y.log"}) {
    write_file(file, "mine\n");
    const std::string before = sh("git rev-parse main; git status --short; cat a");
    const ProgramResult result = tyer("worktree merge w");
    EXPECT_EQ(result.code, 4) << result.out;
    EXPECT_TRUE(result.err.contains(file)) << result.err;
    EXPECT_EQ(sh(std::string("cat ") + file), "mine\n");
    expect_unchanged(before);
    sh(std::string("rm ") + file);
  }
  ok("worktree merge w");
  EXPECT_EQ(sh("cat x y.log"), "theirs\ntheirs\n");
}

TEST_F(Merges, MoveABranchThatNobodyHasCheckedOut) {
  sh("git branch release");
  make_tree("w", "echo new > a; git commit -qam work");

  const Json merged = read_json(ok("worktree merge w --into release --json"));
  EXPECT_EQ(merged["checkout"], nullptr);
  EXPECT_EQ(sh("git show release:a; git show main:a; cat a"), "new\none\none\n");
}

TEST_F(Merges, LetAnotherWorktreeFollow) {
  make_tree("target");
  make_tree("w", "echo new > a; git commit -qam work");

  EXPECT_EQ(tyer("worktree merge w --into tyer/target").code, 0);
  EXPECT_EQ(sh("cat a; git status --short", tree("target")), "new\n");
}

TEST_F(Merges, NeedATargetThatExistsAndIsAnother) {
  make_tree("w", "echo new > a; git commit -qam work");
  EXPECT_EQ(tyer("worktree merge w --into nothing").code, 1);
  EXPECT_EQ(tyer("worktree merge w --into tyer/w").code, 2);
  EXPECT_EQ(tyer("worktree merge nobody").code, 1);
  make_tree("loose", "git switch -q --detach; echo new > a; git commit -qam work");
  EXPECT_EQ(tyer("worktree merge loose").code, 4);
}

TEST_F(Merges, WaitForAMergeThatIsUnderWayInTheTarget) {
  sh("git branch side; echo ours > a; git commit -qam ours; git switch -q side; echo theirs > a; "
     "git commit -qam theirs; git switch -q main; ! git merge -q side >/dev/null; "
     "git checkout -q --ours a; git add a");
  ok("worktree add w --base side");
  sh("echo x > x; git add x; git commit -qm x", tree("w"));
  const ProgramResult result = tyer("worktree merge w --into main");
  EXPECT_EQ(result.code, 1) << result.err;
  sh("git merge --abort");
  make_tree("v", "echo x > x; git add x; git commit -qm x");
  sh("git merge -q --no-commit -s ours side");
  EXPECT_EQ(tyer("worktree merge v --into main").code, 4);
}

TEST_F(Merges, KeepUnrelatedHistoriesApart) {
  make_tree("w",
            "git switch -q --orphan fresh; echo x > x; git add x; git commit -qm x; "
            "git branch -f tyer/w fresh; git switch -q tyer/w");
  const ProgramResult result = tyer("worktree merge w");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("unrelated histories")) << result.err;
}

}  // namespace
}  // namespace tyer::testing
