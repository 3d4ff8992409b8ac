// The worktree commands: what they make, say and refuse (T16, T17).

#include <csignal>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worktrees.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

Json json_from(const std::string& text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json.value_or(Json());
}

class Worktrees : public WorktreeTest {
 protected:
  [[nodiscard]] std::string id_of(const std::string& revision) const {
    const std::string text = sh("git rev-parse " + revision);
    return text.substr(0, text.size() - 1);
  }
};

TEST_F(Worktrees, HaveABranchOfTheirOwnAndAreNotSeenByTheUser) {
  const Json added = json_from(ok("worktree add team/worker --json"));

  EXPECT_EQ(added["path"], tree("team/worker"));
  EXPECT_EQ(added["branch"], "tyer/team/worker");
  EXPECT_EQ(added["base"], "main");
  EXPECT_EQ(added["head"], id_of("main"));
  EXPECT_EQ(added["created"], true);
  EXPECT_EQ(sh("git symbolic-ref HEAD; cat a", tree("team/worker")),
            "refs/heads/tyer/team/worker\none\n");
  EXPECT_EQ(sh("git status --short"), "");
  ok("worktree add second");
  EXPECT_EQ(sh("grep -c '^/.tyer/$' .git/info/exclude"), "1\n");
}

TEST_F(Worktrees, AreLeftAloneIfTheyAreThere) {
  make_tree("w", "echo new > a");

  const Json again = json_from(ok("worktree add w --json"));
  EXPECT_EQ(again["created"], false);
  EXPECT_EQ(sh("cat a", tree("w")), "new\n");
  EXPECT_TRUE(ok("worktree add w --base main").contains("is there already"));
}

TEST_F(Worktrees, AreNotWhatWasAskedForIfTheyLackTheBase) {
  make_tree("w");
  sh("echo two > a; git commit -qam two");

  const ProgramResult result = tyer("worktree add w --base main");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("lacks 1 commit of main")) << result.err;
}

TEST_F(Worktrees, StartWhereTheyAreTold) {
  sh("git tag old; echo two > a; git commit -qam two");
  EXPECT_EQ(json_from(ok("worktree add w --base old --json"))["head"], id_of("old"));
  EXPECT_EQ(json_from(ok("worktree add x --base HEAD~1 --json"))["head"], id_of("old"));
  EXPECT_EQ(tyer("worktree add y --base nothing").code, 1);
  EXPECT_FALSE(fs::exists(tree("y")));
}

TEST_F(Worktrees, ContinueABranchThatWasLeft) {
  make_tree("w", "echo new > a; git commit -qam work");
  sh("git worktree remove --force .tyer/worktrees/w");

  EXPECT_TRUE(ok("worktree add w").contains("continued"));
  EXPECT_EQ(sh("cat a", tree("w")), "new\n");
}

TEST_F(Worktrees, AreMadeAgainIfTheyVanished) {
  make_tree("w", "echo new > a; git commit -qam work; echo staged > s; git add s");
  fs::remove_all(tree("w"));

  EXPECT_TRUE(ok("worktree add w").contains("rescue restore"));
  EXPECT_EQ(sh("cat a; git status --short", tree("w")), "new\n");
  ok("rescue restore " + rescues().front() + " --to old");
  EXPECT_EQ(sh("cat s", dir / "old"), "staged\n");
}

TEST_F(Worktrees, AreFoundFromEverywhereInTheRepository) {
  make_tree("w", "mkdir sub");
  ProgramCall inside = call({"worktree", "add", "other"});
  inside.directory = tree("w") + "/sub";

  EXPECT_EQ(run_program(inside).code, 0);
  EXPECT_TRUE(fs::exists(tree("other") + "/a"));
  EXPECT_FALSE(fs::exists(tree("w") + "/.tyer"));
}

TEST_F(Worktrees, CanBeMadeInABareRepository) {
  sh("git clone -q --bare . ../bare.$$; mv ../bare.$$ bare.git");
  ProgramCall bare = call({"worktree", "add", "w", "--json"});
  bare.directory = dir / "bare.git";

  const ProgramResult result = run_program(bare);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sh("cat a", dir / "bare.git/.tyer/worktrees/w"), "one\n");
  bare.words = {"worktree", "remove", "w"};
  EXPECT_EQ(run_program(bare).code, 0);
}

TEST_F(Worktrees, NeedARepositoryWithACommit) {
  sh("rm -rf .git; git init -q");
  EXPECT_EQ(tyer("worktree add w").code, 4);
  sh("rm -rf .git");
  const ProgramResult none = tyer("worktree list");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(none.err.contains("there is no git repository here")) << none.err;
}

TEST_F(Worktrees, RefuseNamesThatGitOrTheFileSystemWouldMisread) {
  for (const std::string name :
       {"-x",      "..",     ".",    "a/..",  "../a",  "a/../b", "/a", "a/", "a//b", "a/b/c",
        ".hidden", "a.lock", "a b",  "a~b",   "a^",    "a:b",    "a?", "a*", "a[b",  "a\\b",
        "a@{b",    "@",      "a\nb", "a\x7f", "a\xff", "a/-x",   "a.", ""}) {
    for (const std::string verb : {"add", "remove", "merge"}) {
      const ProgramResult result = tyer({"worktree", verb, "--", name});
      EXPECT_EQ(result.code, 2) << verb << " '" << name << "': " << result.out << result.err;
    }
  }
  for (const std::string base : {"--upload-pack=x", "-f", "^main", "a\nb", ""}) {
    EXPECT_EQ(tyer({"worktree", "add", "w", "--base=" + base}).code, 2) << base;
  }
  EXPECT_EQ(tyer({"worktree", "merge", "w", "--into=--force"}).code, 2);
  EXPECT_FALSE(fs::exists(dir / ".tyer"));
}

TEST_F(Worktrees, DoNotLieInEachOther) {
  make_tree("a");
  EXPECT_EQ(tyer("worktree add a/b").code, 4);
  make_tree("team/x");
  EXPECT_EQ(tyer("worktree add team").code, 4);
  EXPECT_EQ(tyer("worktree remove team --force").code, 4);
  EXPECT_TRUE(fs::exists(tree("team/x") + "/a"));
}

TEST_F(Worktrees, RunNoHooks) {
  for (const char* const hook : {"post-checkout", "pre-commit", "commit-msg", "post-merge",
                                 "reference-transaction", "post-commit", "pre-merge-commit"}) {
    write_file(std::string(".git/hooks/") + hook, "#!/bin/sh\necho ran >> '" + (dir / "ran") + "'");
  }
  sh("chmod +x .git/hooks/*");
  ok("worktree add w");
  write_file(tree("w") + "/a", "new\n");
  EXPECT_EQ(tyer({"worktree", "merge", "w", "--commit", "work"}).code, 0);
  write_file(tree("w") + "/b", "more\n");
  ok("worktree remove w --force");
  ok("rescue restore " + rescues().front());

  EXPECT_FALSE(has_file("ran"));
  EXPECT_EQ(sh("cat a"), "new\n");
}

TEST_F(Worktrees, IgnoreTheRepositoryOfAnOuterGit) {
  environment["GIT_DIR"] = "/nowhere";
  environment["GIT_INDEX_FILE"] = "/nowhere/index";
  environment["GIT_WORK_TREE"] = "/nowhere";
  EXPECT_EQ(tyer("worktree add w").code, 0);
}

TEST_F(Worktrees, AreListedWithWhatIsInThem) {
  make_tree("clean");
  make_tree("dirty", "echo new > a; echo x > x");
  make_tree("ahead", "echo new > a; git commit -qam work");
  make_tree("gone");
  fs::remove_all(tree("gone"));
  make_tree("kept", "git worktree lock .");
  make_tree("loose", "git switch -q --detach");

  std::string states;
  for (const Json& one : json_from(ok("worktree list --json"))) {
    states +=
        fmt::format("{} {} {} {}\n", one["name"].get<std::string>(), one["changed"].get<int>(),
                    one["ahead"].get<int>(), one["state"].get<std::string>());
  }
  EXPECT_EQ(states,
            "ahead 0 1 not merged\nclean 0 0 clean\ndirty 2 0 dirty\ngone 0 0 missing\n"
            "kept 0 0 locked\nloose 0 0 clean\n");
  EXPECT_TRUE(is_trimmed(ok("worktree list")));
}

TEST_F(Worktrees, ThatAreGoneAreRemovedAlready) {
  EXPECT_EQ(ok("worktree remove w"), "w: is not there\n");
  make_tree("w");
  ok("worktree remove w");
  EXPECT_EQ(ok("worktree remove w"), "w: is not there\n");
}

TEST_F(Worktrees, AreNotRemovedFromWithin) {
  make_tree("w", "mkdir sub");
  for (const std::string below : {"", "/sub"}) {
    ProgramCall inside = call(split_words("worktree remove w --force"));
    inside.directory = dir / (".tyer/worktrees/w" + below);

    const ProgramResult result = run_program(inside);

    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, fmt::format("tyer: you are in the worktree w, which is to be removed\n"
                                      "  hint: cd {} first\n",
                                      fs::canonical(dir.path()).string()));
  }
  EXPECT_TRUE(has_file(".tyer/worktrees/w/sub"));
  make_tree("w2");
  ProgramCall beside = call(split_words("worktree remove w"));
  beside.directory = dir / ".tyer/worktrees/w2";
  EXPECT_EQ(run_program(beside).code, 0);
}

TEST_F(Worktrees, ThatAreDirtyOrUnmergedAreKeptWithTheReason) {
  make_tree("w", "echo new > a; git commit -qam work; echo newer > a; echo x > x");

  const ProgramResult result = tyer("worktree remove w");
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.err,
            "tyer: w is kept: it has 2 changed files, 1 commit that main has not\n"
            "  hint: --force rescues all that it holds and removes it\n");
}

// Git itself may be killed while it holds a lock, which nobody takes back.
TEST_F(Worktrees, AreNotLockedForEverByAGitThatWasKilled) {
  make_tree("w");
  environment["PATH"] = (home / "bin") + ":/usr/bin:/bin";
  write_file(home / "bin/git",
             "#!/bin/sh\n"
             "case \"$*\" in *' -d refs/heads/tyer/w'*) : > '" +
                 (dir / ".git/refs/heads/tyer/w.lock") + "'; : > '" +
                 (dir / ".git/packed-refs.lock") +
                 "'; kill -9 $PPID;; esac\nexec /usr/bin/git \"$@\"\n");
  fs::permissions(home / "bin/git", fs::perms::owner_all);
  EXPECT_EQ(tyer("worktree remove w").code, 128 + SIGKILL);
  fs::remove(home / "bin/git");

  ok("worktree remove w");
  EXPECT_EQ(sh("git branch --list 'tyer/*'; ls .git/*.lock .git/refs/heads/tyer/*.lock 2>&1 | "
               "grep -c 'No such file'"),
            "2\n");
}

TEST_F(Worktrees, LeaveTheLocksOfOthersAlone) {
  make_tree("w");
  write_file(".git/packed-refs.lock", "");

  const ProgramResult result = tyer("worktree remove w");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("packed-refs.lock': File exists")) << result.err;
  EXPECT_TRUE(has_file(".git/packed-refs.lock"));
}

TEST_F(Worktrees, AllOfFortyAtOnceAreMade) {
  std::vector<std::unique_ptr<Program>> programs;
  for (int i = 0; i < 40; ++i) {
    programs.push_back(
        std::make_unique<Program>(call({"worktree", "add", fmt::format("team/w{}", i)})));
  }
  for (const auto& program : programs) {
    const ProgramResult result = program->finish();
    EXPECT_EQ(result.code, 0) << result.err;
  }
  EXPECT_EQ(json_from(ok("worktree list --json")).size(), 40);
  EXPECT_EQ(sh("cat .tyer/worktrees/team/w*/a | sort | uniq -c | tr -s ' '"), " 40 one\n");
  EXPECT_EQ(ok("lock list"), "No locks.\n");
}

}  // namespace
}  // namespace tyer::testing
