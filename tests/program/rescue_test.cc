// Whatever a worktree holds, removing it loses nothing of it (T16, T17c).

#include <fcntl.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worktrees.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

// How a worktree gets into a state, and whether it may be removed without --force.
struct Case {
  const char* name;
  const char* script;
  bool removable = false;
};

const Case all_cases[] = {
    {"Staged", "echo new > a; git add a; echo more > c; git add c"},
    {"StagedAndChangedAgain", "echo new > a; git add a; echo newer > a"},
    {"StagedButTakenBackOnDisk", "echo new > a; git add a; echo one > a"},
    {"Unstaged", "echo new > a; rm d/b"},
    {"Untracked", "mkdir -p x/y; echo hello > x/y/z; : > empty"},
    {"Ignored", "echo secret > all.log; chmod 600 all.log; mkdir -p out; echo o > out/o", true},
    {"Committed", "echo new > a; git commit -qam work"},
    {"Detached", "git switch -q --detach; echo new > a; git commit -qam work; echo newer > a"},
    {"OnAnotherBranch", "git switch -q -c mine; echo new > a; git commit -qam work"},
    {"Amended",
     "echo new > a; git commit -qam work; echo other > a; git commit -qa --amend -m work2; "
     "git reset -q --hard HEAD~1",
     true},
    {"AmendedDetached",
     "git switch -q --detach; echo new > a; git commit -qam work; echo other > a; "
     "git commit -qa --amend -m work2; git reset -q --hard HEAD~1",
     true},
    {"MidMerge",
     "git branch side; echo ours > a; git commit -qam ours; git switch -q side; echo theirs > a; "
     "git commit -qam theirs; git switch -q tyer/w; ! git merge -q side >merge.txt 2>&1; "
     "echo resolved-by-half > a"},
    {"MidRebase",
     "git branch side; echo ours > a; git commit -qam ours; git switch -q side; echo theirs > a; "
     "git commit -qam theirs; git switch -q tyer/w; ! git rebase -q side >rebase.txt 2>&1"},
    {"MidCherryPick",
     "git branch side; echo ours > a; git commit -qam ours; git switch -q side; echo theirs > a; "
     "git commit -qam theirs; git switch -q tyer/w; ! git cherry-pick side >pick.txt 2>&1"},
    {"Links",
     "ln -s nowhere dangling; ln -s d to-directory; ln -s /etc/passwd far; "
     "ln -s x .gitmodules; rm a; ln -s d/b a"},
    {"Permissions",
     "chmod 755 a; chmod 600 d/b; echo x > script; chmod 700 script; mkdir closed; echo y > "
     "closed/y; chmod 400 closed/y; chmod 500 closed; mkdir -m 700 private"},
    {"OddNames",
     "n=$(printf 'new\\nline'); echo 1 > \"$n\"; b=$(printf 'bad\\377\\200'); echo 2 > \"$b\"; "
     "echo 3 > '\"quoted\"'; echo 4 > 'back\\slash'; echo 5 > ' space '; echo 6 > ./-dash; "
     "echo 7 > '.tyer-kept.x'; mkdir 'a:b'; echo 8 > 'a:b/*?['; t=$(printf 'tab\\t\\001'); "
     "echo 9 > \"$t\"; echo 10 > git~1; echo 11 > 한글"},
    {"Binary",
     "head -c 300000 /dev/urandom > blob; printf 'a\\000b' > nul; printf 'no newline' > n"},
    {"LineEndings",
     "git config core.autocrlf true; printf 'x\\r\\ny\\n' > mixed; printf '*.t text eol=crlf\\n* "
     "text=auto\\n*.i ident\\n' > .gitattributes; printf 'a\\nb\\r\\n' > f.t; echo '$Id$' > f.i; "
     "git add . 2>/dev/null; git commit -qm crlf; printf 'c\\n' >> f.t; printf 'q\\r\\n' > new.t"},
    {"Filters",
     "git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge cat; git config "
     "filter.up.required true; echo '*.u filter=up' > .gitattributes; echo lower > f.u; git add .; "
     "git commit -qm filtered; echo lower-again >> f.u"},
    {"Encoded",
     "echo '*.e working-tree-encoding=UTF-16LE' > .gitattributes; printf 'a\\000b\\000' > f.e; git "
     "add .; git commit -qm encoded; printf 'broken' > f.e"},
    {"NestedRepository",
     "git init -q nested; cd nested; echo in > in; git add in; git commit -qm in; echo more > in; "
     "echo un > un; cd ..; git init -q empty-nested; mkdir -p fake/.git/x; echo y > fake/.git/x/y; "
     "mkdir upper; echo z > upper/.GIT"},
    {"AssumedUnchanged", "git update-index --assume-unchanged a; echo new > a"},
    {"SkippedByIndex", "git update-index --skip-worktree a; echo new > a"},
    {"EmptyDirectories", "mkdir -p e1/e2 'd/e3'", true},
    {"Deleted", "rm -r a d; git rm -q --cached run"},
    {"IntentToAdd", "echo x > later; git add -N later"},
    {"FileBecameDirectory", "rm a; mkdir a; echo x > a/x; rm -r d; echo file > d"},
    {"OrphanBranch", "git switch -q --orphan fresh; echo x > x; git add x; echo y > y"},
    {"IgnoredNestedRepository",
     "mkdir out; cd out; git init -q n; cd n; echo x > x; git add x; "
     "git commit -qm n; echo y > y",
     true},
    {"SplitIndex", "git update-index --split-index; echo new > a; git add a; echo c > c"},
    {"Sparse", "git sparse-checkout set --no-cone /a; echo new > a"},
};

class RescueCases : public WorktreeTest, public ::testing::WithParamInterface<Case> {};

TEST_P(RescueCases, IsBroughtBackAsItWas) {
  make_tree("w", GetParam().script);
  ASSERT_EQ(tyer("trust").code, 0) << "its filters are the user's own";
  const Picture before = picture_of(tree("w"));
  const bool born = std::string(GetParam().name) != "OrphanBranch";
  const std::string state = born ? git_state(tree("w")) : "";

  const ProgramResult plain = tyer("worktree remove w");
  if (GetParam().removable) {
    EXPECT_EQ(plain.code, 0) << plain.err;
  } else {
    EXPECT_EQ(plain.code, 4) << plain.out;
    EXPECT_EQ(difference(before, picture_of(tree("w"))), "");
    ok("worktree remove w --force");
  }
  EXPECT_FALSE(fs::exists(tree("w")));
  EXPECT_EQ(sh("git worktree list --porcelain | grep -c ^worktree"), "1\n");
  EXPECT_EQ(
      sh("git gc -q --prune=now; git fsck --connectivity-only 2>&1 | grep -v dangling || true"),
      "");

  const std::vector<std::string> ids = rescues();
  if (ids.empty()) {
    // Nothing that git could keep: only empty directories.
    EXPECT_STREQ(GetParam().name, "EmptyDirectories");
    return;
  }
  ASSERT_EQ(ids.size(), 1);
  ok("rescue restore " + ids.front());
  EXPECT_EQ(difference(before, picture_of(tree("w"))), "");
  EXPECT_EQ(born ? git_state(tree("w")) : "", state);
  EXPECT_EQ(sh("git worktree list --porcelain | grep -c ^locked || true"), "0\n");
}

INSTANTIATE_TEST_SUITE_P(Rescue, RescueCases, ::testing::ValuesIn(all_cases),
                         [](const auto& one) { return std::string(one.param.name); });

class Rescues : public WorktreeTest {};

TEST_F(Rescues, AreNotMadeOfWhatGitHasAnyway) {
  make_tree("w");

  EXPECT_EQ(ok("worktree remove w"), "w: removed\n");
  EXPECT_TRUE(rescues().empty());
  EXPECT_EQ(sh("git branch --list 'tyer/*'; git for-each-ref refs/tyer"), "");
}

TEST_F(Rescues, KeepCommitsThatOnlyTheReflogOfTheBranchKnew) {
  make_tree("w",
            "echo new > a; git commit -qam work; git rev-parse HEAD > ../id; "
            "git reset -q --hard HEAD~1; git switch -q --detach; "
            "cd \"$(git rev-parse --git-dir)\"; rm logs/HEAD ORIG_HEAD");
  ok("worktree remove w");
  EXPECT_EQ(sh("git reflog expire --expire=now --all; git gc -q --prune=now; "
               "git show $(cat .tyer/worktrees/id):a"),
            "new\n");
}

TEST_F(Rescues, KeepACommitThatNoBranchLedTo) {
  sh("git switch -q --detach; echo new > a; git commit -qam loose; git rev-parse HEAD > .git/id");
  ok("worktree add w");
  sh("git switch -q main");
  ok("worktree remove w");
  EXPECT_EQ(sh("git reflog expire --expire=now --all; git gc -q --prune=now; "
               "git show $(cat .git/id):a"),
            "new\n");
}

TEST_F(Rescues, SayWhenFromWhereWhyAndHowMuch) {
  make_tree("team/x", "echo hello > new; echo more > a");
  ok("worktree remove team/x --force");

  const auto json = parse_json(ok("rescue list --json"));
  ASSERT_TRUE(json && json->size() == 1);
  const Json& rescue = json->front();
  EXPECT_EQ(rescue["worktree"], "team/x");
  EXPECT_EQ(rescue["path"], tree("team/x"));
  EXPECT_EQ(rescue["branch"], "tyer/team/x");
  EXPECT_EQ(rescue["why"], "removed with 2 changed files");
  EXPECT_EQ(rescue["files"], 5);
  EXPECT_TRUE(ok("rescue list").contains("team/x"));
}

TEST_F(Rescues, ComeBackWhereTheyAreWanted) {
  make_tree("w", "echo new > a");
  const Picture before = picture_of(tree("w"));
  ok("worktree remove w --force");
  const std::string id = rescues().front();
  make_tree("w");

  EXPECT_EQ(tyer("rescue restore " + id).code, 4);
  const std::string told = ok("rescue restore " + id.substr(0, 20) + " --to again");
  EXPECT_TRUE(told.contains("detached")) << told;
  EXPECT_EQ(difference(before, picture_of(dir / "again")), "");
}

TEST_F(Rescues, ThatDoNotExistAreNotRestored) {
  ok("init");
  const ProgramResult result = tyer("rescue restore 01j8z3");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "tyer: there is no rescue '01j8z3'\n");
  EXPECT_EQ(tyer("rescue restore --to x -- --all").code, 1);
}

TEST_F(Rescues, KeepTheCommitsOfATreeThatVanished) {
  make_tree("w", "echo new > a; git commit -qam work; echo staged > s; git add s");
  const std::string head = sh("git rev-parse HEAD", tree("w"));
  fs::remove_all(tree("w"));

  const ProgramResult plain = tyer("worktree remove w");
  EXPECT_EQ(plain.code, 4);
  EXPECT_TRUE(plain.err.contains("1 commit that main has not")) << plain.err;
  ok("worktree remove w --force");
  EXPECT_EQ(sh("git branch --list tyer/w"), "");
  ok("rescue restore " + rescues().front());
  EXPECT_EQ(sh("git rev-parse HEAD", tree("w")), head);
  EXPECT_EQ(sh("git status --short; cat a s", tree("w")), "A  s\nnew\nstaged\n");
}

TEST_F(Rescues, HoldWhatLiesInTheWayWithoutAWorktree) {
  ok("worktree add other");
  sh("mkdir -p x; echo mine > x/y", dir / ".tyer/worktrees");
  const Picture before = picture_of(tree("x"));

  EXPECT_EQ(tyer("worktree add x").code, 4);
  EXPECT_EQ(tyer("worktree remove x").code, 4);
  ok("worktree remove x --force");
  EXPECT_FALSE(fs::exists(tree("x")));
  ok("rescue restore " + rescues().front() + " --to back");
  EXPECT_EQ(difference(before, picture_of(dir / "back")), "");
}

TEST_F(Rescues, RefuseToLeaveOutManyIgnoredBytesUnlessTold) {
  make_tree("w", "echo new > a; mkdir out; truncate -s 300M out/big");

  const ProgramResult refused = tyer("worktree remove w --force");
  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(refused.err.contains("--discard-ignored")) << refused.err;
  EXPECT_TRUE(fs::exists(tree("w") + "/out/big"));
  ok("worktree remove w --force --discard-ignored");
  ok("rescue restore " + rescues().front());
  EXPECT_EQ(sh("cat a", tree("w")), "new\n");
  EXPECT_FALSE(fs::exists(tree("w") + "/out/big"));
}

TEST_F(Rescues, RespectALock) {
  make_tree("w", "git worktree lock --reason 'on a stick' .");

  for (const char* const line : {"worktree remove w", "worktree remove w --force"}) {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 4);
    EXPECT_TRUE(result.err.contains("locked: on a stick")) << result.err;
  }
  EXPECT_TRUE(fs::exists(tree("w") + "/a"));
}

TEST_F(Rescues, AreNotPossibleForRepositoriesOfSubmodules) {
  sh("git init -q sub && cd sub && echo s > s && git add s && git commit -qm s && cd .. && "
     "mv sub ../sub.$$ && git submodule --quiet add ../sub.$$ sub && git commit -qm sub; rm -rf "
     "../sub.$$.keep; echo ../sub.$$ > .git/where");
  make_tree("w",
            "git submodule --quiet update --init 2>/dev/null; cd sub; echo t > t; git add t; "
            "git commit -qm t");

  const ProgramResult result = tyer("worktree remove w --force");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("submodules")) << result.err;
  EXPECT_TRUE(fs::exists(tree("w") + "/sub/t"));
  sh("rm -rf \"$(cat .git/where)\"");
}

TEST_F(Rescues, KeepWhatARaceLeftAside) {
  make_tree("team/w", "echo new > a");
  const Picture before = picture_of(tree("team/w"));
  // As if tyer had died between moving it and looking at it again.
  fs::create_directories(tree(".aside"));
  fs::rename(tree("team/w"), tree(".aside/team~w~01m7fzdbbw4ptgh3cw06511krs"));

  EXPECT_EQ(tyer("worktree remove team/w").code, 4);
  EXPECT_EQ(difference(before, picture_of(tree("team/w"))), "");
}

TEST_F(Rescues, HaveWhatSomebodyWritesMeanwhile) {
  make_tree("w", "echo new > a");
  environment["PATH"] = (home / "bin") + ":/usr/bin:/bin";
  // Once what there was is written down, there is more.
  write_file(home / "bin/git", "#!/bin/sh\ncase \"$*\" in *write-tree*) test -f '" +
                                   (home / "once") + "' || echo late > '" + tree("w") +
                                   "/late'; : > '" + (home / "once") +
                                   "';; esac\nexec /usr/bin/git \"$@\"\n");
  fs::permissions(home / "bin/git", fs::perms::owner_all);

  ok("worktree remove w --force");
  EXPECT_FALSE(fs::exists(tree("w")));
  EXPECT_EQ(rescues().size(), 2);
  ok("rescue restore " + rescues().back());
  EXPECT_EQ(sh("cat a late", tree("w")), "new\nlate\n");
}

TEST_F(Rescues, KeepATreeWhoseGitFileIsLost) {
  make_tree("w", "echo new > a; rm .git; git init -q .; git add .; git commit -qm own");
  const std::string own = sh("git rev-parse HEAD", tree("w"));

  EXPECT_EQ(tyer("worktree remove w").code, 4);
  ok("worktree remove w --force");
  ok("rescue restore " + rescues().front());
  EXPECT_EQ(sh("GIT_DIR=.tyer-kept..git git rev-parse HEAD", tree("w")), own);
  EXPECT_EQ(sh("cat a", tree("w")), "new\n");
  EXPECT_EQ(sh("git status --short"), "");
}

TEST_F(Rescues, AreRefusedIfSomethingCannotBeRead) {
  make_tree("w", "echo new > a; echo x > closed; chmod 000 closed");

  const ProgramResult result = tyer_as_others("worktree remove w --force");
  EXPECT_NE(result.code, 0);
  EXPECT_TRUE(fs::exists(tree("w") + "/closed")) << result.out;
  EXPECT_EQ(sh("cat a", tree("w")), "new\n");
}

}  // namespace
}  // namespace tyer::testing
