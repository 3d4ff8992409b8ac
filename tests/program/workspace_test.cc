// Which workspace a command finds: one for a repository, wherever in it one stands.

#include <filesystem>

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worktrees.h"

namespace tyer::testing {
namespace {

// A repository in the test's directory, `dir`.
class Workspace : public WorktreeTest {
 protected:
  [[nodiscard]] ProgramResult tyer_in(const std::string& directory, const std::string& line) const {
    ProgramCall there = call(split_words(line));
    there.directory = directory;
    return run_program(there);
  }

  // What `config show` says of the workspace.
  [[nodiscard]] Json chosen(const std::string& directory) const {
    const ProgramResult result = tyer_in(directory, "config show --json");
    EXPECT_EQ(result.code, 0) << result.err;
    return parse_json(result.out).value_or(Json())["workspace"];
  }
  [[nodiscard]] std::string path_in(const std::string& directory) const {
    return chosen(directory).value("path", "");
  }

  [[nodiscard]] std::string setting(const std::string& directory, const std::string& name) const {
    const ProgramResult result = tyer_in(directory, "config show --json");
    const Json all = parse_json(result.out).value_or(Json());
    for (const Json& row : all["settings"]) {
      if (row["name"] == name) return row["value"];
    }
    return result.err;
  }

  // A configuration as part of the repository, and a bare repository with two worktrees.
  void make_bare_worktrees(const std::string& config) const {
    write_file(".tyer/config.toml", config);
    sh("git add -f .tyer/config.toml && git commit -qm config");
    sh("git clone -q --bare " + dir.path() +
           " bare.git && cd bare.git && git worktree add -q ../one && git worktree add -q ../two",
       other.path());
  }

  // Without root's right to read and write whatever it likes.
  [[nodiscard]] ProgramResult others_in(const std::string& directory,
                                        const std::string& line) const {
    ProgramCall there = call(split_words(line));
    there.directory = directory;
    if (::geteuid() == 0) {
      const std::string bound = "--bounding-set=-dac_override,-dac_read_search";
      there.words.insert(there.words.begin(), {bound, there.program});
      there.program = "/usr/bin/setpriv";
    }
    return run_program(there);
  }

  // Whatever is asked for, the answer is that this place is out of reach.
  void expect_out_of_reach(const std::string& directory, const std::string& place,
                           const std::string& says) const {
    for (const char* const line : {"run T -- echo ran", "lock check T", "lock list", "config show",
                                   "serve --listen 127.0.0.1:0", "store check"}) {
      const ProgramResult result = others_in(directory, line);
      EXPECT_EQ(result.code, 3) << line << result.err;
      EXPECT_EQ(result.out, "") << line;
      EXPECT_TRUE(result.err.contains(place)) << line << result.err;
      EXPECT_TRUE(result.err.contains(says)) << line << result.err;
    }
  }

  // A lock is taken in one place, and looked for in the other.
  void expect_one_lock(const std::string& here, const std::string& there) const {
    const ProgramResult taken = tyer_in(here, "lock acquire T --pid " + pid);
    EXPECT_EQ(taken.code, 0) << here << taken.err;
    const ProgramResult refused = tyer_in(there, "run T -- echo twice");
    EXPECT_EQ(refused.code, 1) << there << refused.err;
    EXPECT_EQ(refused.out, "") << "it is held in " << here;
    EXPECT_EQ(tyer_in(there, "lock break T --yes").code, 0);
  }

  const std::string own = dir / ".tyer";
  const TempDir other;
  const std::string own_of_other = other / ".tyer";
  const Program agent{{.words = {"infinity"}, .program = "/bin/sleep"}};
  const std::string pid = std::to_string(agent.pid());
};

TEST_F(Workspace, IsOneForARepositoryAndItsDirectories) {
  expect_one_lock(dir / "d", dir.path());
  expect_one_lock(dir.path(), dir / "d");
  expect_one_lock(dir / ".git", dir / ".git/refs");

  EXPECT_TRUE(has_file(".tyer/tyer.db"));
  EXPECT_FALSE(has_file("d/.tyer"));
  EXPECT_FALSE(has_file(".git/.tyer"));
}

TEST_F(Workspace, IsOneForARepositoryAndItsWorktrees) {
  sh("git worktree add -q " + other / "linked");
  ok("worktree add inside");

  expect_one_lock(other / "linked", dir.path());
  expect_one_lock(other / "linked/d", tree("inside"));
  expect_one_lock(tree("inside"), dir / "d");

  EXPECT_FALSE(std::filesystem::exists(other / "linked/.tyer"));
  EXPECT_EQ(sh("git status --porcelain"), "");
}

TEST_F(Workspace, AboveTheRepositoryIsNotHiddenByItsWorktrees) {
  sh("git init -q repo && git -C repo commit -q --allow-empty -m first", other.path());
  ASSERT_EQ(tyer_in(other.path(), "init").code, 0);
  ASSERT_EQ(tyer_in(other / "repo", "worktree add one").code, 0);

  expect_one_lock(other.path(), other / "repo");
  expect_one_lock(other / "repo", other / "repo/.tyer/worktrees/one");

  EXPECT_EQ(path_in(other / "repo/.tyer/worktrees/one"), other / ".tyer");
  EXPECT_FALSE(std::filesystem::exists(other / "repo/.tyer/tyer.db"));
}

TEST_F(Workspace, OfASubmoduleIsThatOfTheRepositoryAroundIt) {
  sh("git init -q around && cd around && git commit -q --allow-empty -m first && "
     "git submodule --quiet add " +
         dir.path() +
         " part && git commit -qm part && "
         "git worktree add -q ../linked && cd ../linked && git submodule --quiet update --init && "
         "cd ../around/part && git worktree add -q ../../part-linked",
     other.path());

  expect_one_lock(other / "around/part", other / "around");
  expect_one_lock(other / "linked/part", other / "around/part/d");
  expect_one_lock(other / "part-linked", other / "linked");

  EXPECT_EQ(path_in(other / "part-linked/d"), other / "around/.tyer");
}

TEST_F(Workspace, OfABareRepositoryIsInItForAllItsWorktrees) {
  sh("git clone -q --bare " + dir.path() + " bare.git && cd bare.git && git worktree add -q ../one",
     other.path());

  expect_one_lock(other / "one", other / "bare.git");
  EXPECT_EQ(path_in(other / "one/d"), other / "bare.git/.tyer");
}

TEST_F(Workspace, OfARepositoryWhoseGitDirectoryStandsApartIsOne) {
  sh("git clone -q --separate-git-dir apart.git " + dir.path() +
         " main && cd main && "
         "git worktree add -q ../linked",
     other.path());

  expect_one_lock(other / "main/d", other / "linked");
}

TEST_F(Workspace, OutsideOfGitIsFoundUpwardOrMadeHere) {
  const std::string deep = other / "one/two";
  std::filesystem::create_directories(deep);

  ASSERT_EQ(tyer_in(other / "one", "run T -- true").code, 0);

  EXPECT_EQ(path_in(deep), other / "one/.tyer");
  EXPECT_EQ(path_in(other.path()), other / ".tyer");
  EXPECT_EQ(chosen(other.path())["exists"], false);
}

TEST_F(Workspace, NeedsAStoreOrAConfigurationToCount) {
  std::filesystem::create_directories(other / "one/.tyer/worktrees");
  ASSERT_EQ(tyer_in(other.path(), "init").code, 0);
  EXPECT_EQ(path_in(other / "one"), other / ".tyer");

  write_file(other / "one/.tyer/config.toml", "durability = 'normal'");
  EXPECT_EQ(path_in(other / "one"), other / "one/.tyer");
}

TEST_F(Workspace, IsSaidOnceWhenItIsMade) {
  const ProgramResult first = tyer_in(dir / "d", "run T -- true");
  EXPECT_EQ(first.err, "tyer: made the workspace " + own + "\n");
  EXPECT_EQ(tyer_in(dir / "d", "run T -- true").err, "");

  const ProgramResult json = tyer_in(other.path(), "run T --json -- true");
  EXPECT_EQ(parse_json(json.err).value_or(Json()),
            Json({{"note", "made the workspace " + other / ".tyer"}}));
}

TEST_F(Workspace, IsMadeOnPurposeByInit) {
  const ProgramResult made = tyer_in(dir / "d", "init");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "Made the workspace " + own + "\nStore: sqlite:" + own + "/tyer.db\n");
  EXPECT_EQ(made.err, "");
  EXPECT_TRUE(has_file(".tyer/tyer.db"));
  EXPECT_EQ(sh("git status --porcelain"), "");

  const ProgramResult again = tyer("init --json");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(parse_json(again.out).value_or(Json()), Json({{"workspace", own},
                                                          {"made", false},
                                                          {"store", "sqlite:" + own + "/tyer.db"},
                                                          {"instead_of", ""}}));
  EXPECT_TRUE(tyer("init").out.starts_with("The workspace is there already: " + own));
  EXPECT_TRUE(tyer("init --help").out.contains("tyer init"));
}

TEST_F(Workspace, ThatInitMakesBelowAnotherTakesItsPlace) {
  sh("git init -q repo", other.path());
  ASSERT_EQ(tyer_in(other.path(), "init").code, 0);

  const ProgramResult made = tyer_in(other / "repo", "init");

  EXPECT_TRUE(made.out.contains("in place of " + other / ".tyer")) << made.out;
  EXPECT_EQ(path_in(other / "repo"), other / "repo/.tyer");
}

TEST_F(Workspace, ThatInitMakesCountsAlsoIfTheStoreIsElsewhere) {
  environment["TYER_STORE"] = "sqlite:" + other / "shared.db";

  const ProgramResult made = tyer("init");

  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(made.out.contains("Store: sqlite:" + other / "shared.db")) << made.out;
  EXPECT_FALSE(has_file(".tyer/tyer.db"));
  EXPECT_EQ(chosen(dir.path())["exists"], true);
}

TEST_F(Workspace, ThatCannotBeMadeSaysWhereAndWhatToDo) {
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  std::filesystem::create_directory(other / "home");
  environment["HOME"] = other / "home";

  for (const char* const line : {"init", "run T -- true", "lock acquire T"}) {
    const ProgramResult result = tyer_as_others(line);
    EXPECT_EQ(result.code, 3) << line << result.err;
    EXPECT_TRUE(result.err.contains(own + ": permission denied")) << result.err;
    EXPECT_TRUE(result.err.contains("--store")) << result.err;
  }
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0755));
}

TEST_F(Workspace, IsExplainedByConfigShow) {
  EXPECT_TRUE(chosen(dir / "d")["why"].get<std::string>().starts_with("not made yet"));
  ASSERT_EQ(tyer("init").code, 0);
  EXPECT_EQ(chosen(dir / "d"), Json({{"path", own},
                                     {"exists", true},
                                     {"why", "that of this repository (" + dir.path() + ")"},
                                     {"hidden", ""}}));
  const std::string table = tyer("config show").out;
  EXPECT_TRUE(split_lines(table)[1].starts_with("(workspace)")) << table;
  EXPECT_TRUE(table.contains("that of this repository")) << table;
}

// Before there was one for a repository, one was made where somebody stood.
TEST_F(Workspace, OfOldInASubdirectoryIsUsedAndSaidSoUntilTheRepositoryHasOne) {
  std::filesystem::create_directory(dir / "d/.tyer");
  fill_demo("sqlite:" + dir / "d/.tyer/tyer.db");

  const ProgramResult used = tyer_in(dir / "d", "lock check TSK-01-01");
  EXPECT_TRUE(used.out.contains("TSK-01-01")) << used.out << used.err;
  EXPECT_TRUE(used.err.contains("the workspace " + dir / "d/.tyer" + " is used here, but not in"))
      << used.err;
  EXPECT_TRUE(used.err.contains("move what is in it to " + own)) << used.err;
  EXPECT_EQ(tyer_in(dir / "d", "worktree add one").code, 0);
  EXPECT_FALSE(has_file(".tyer/tyer.db"));

  ASSERT_EQ(tyer("init").code, 0);
  const ProgramResult hidden = tyer_in(dir / "d", "lock list --json");
  EXPECT_EQ(hidden.out, "[]\n");
  EXPECT_TRUE(parse_json(hidden.err)
                  .value_or(Json())["note"]
                  .get<std::string>()
                  .starts_with("the workspace " + dir / "d/.tyer" + " is not used"))
      << hidden.err;
  EXPECT_EQ(chosen(dir / "d")["hidden"], dir / "d/.tyer");
  EXPECT_EQ(tyer_in(dir / "d", "config show").code, 0);
  EXPECT_EQ(tyer("lock list").err, "");
}

TEST_F(Workspace, OfOldBesideAWorktreeIsUsedAndSaidSoToo) {
  sh("git worktree add -q " + other / "linked");
  std::filesystem::create_directory(other / ".tyer");
  fill_demo("sqlite:" + other / ".tyer/tyer.db");

  EXPECT_EQ(path_in(other / "linked"), other / ".tyer");
  EXPECT_TRUE(tyer_in(other / "linked", "lock list").err.contains("is used here"));
  ASSERT_EQ(tyer("init").code, 0);
  EXPECT_EQ(path_in(other / "linked"), own);
  EXPECT_TRUE(tyer_in(other / "linked", "lock list").err.contains("is not used"));
}

TEST_F(Workspace, ThatIsPartOfTheRepositoryIsNotWarnedOfInAWorktree) {
  write_file(".tyer/config.toml", "durability = 'normal'");
  sh("git add -f .tyer/config.toml && git commit -qm config && git worktree add -q " +
     other / "linked");

  EXPECT_EQ(tyer_in(other / "linked", "run T -- true").err, "");
  EXPECT_EQ(path_in(other / "linked"), own);

  write_file(other / "linked/.tyer/config.toml", "durability = 'full'");
  EXPECT_TRUE(tyer_in(other / "linked", "run T -- true").err.contains("is not used"));
}

TEST_F(Workspace, IsOneWhereEachWorktreeHasTheConfigurationOfTheRepository) {
  make_bare_worktrees("durability = 'normal'");

  expect_one_lock(other / "one", other / "two/d");
  expect_one_lock(other / "bare.git", other / "two");

  EXPECT_EQ(path_in(other / "one/d"), other / "bare.git/.tyer");
  EXPECT_EQ(setting(other / "one/d", "durability"), "normal");
  EXPECT_FALSE(std::filesystem::exists(other / "one/.tyer/tyer.db"));
  EXPECT_EQ(tyer_in(other / "one", "lock list").err, "");
}

TEST_F(Workspace, IsOneWhereOnlyTheBranchOfAWorktreeHasAConfiguration) {
  sh("git worktree add -q " + other / "linked");
  write_file(other / "linked/.tyer/config.toml", "durability = 'normal'");
  EXPECT_EQ(path_in(other / "linked"), own);

  expect_one_lock(other / "linked/d", dir.path());
  expect_one_lock(dir / "d", other / "linked");

  EXPECT_EQ(setting(other / "linked", "durability"), "normal");
  EXPECT_EQ(setting(dir.path(), "durability"), "full");
  EXPECT_TRUE(chosen(other / "linked")["why"].get<std::string>().contains(
      "its settings are those of " + other / "linked/.tyer"));
}

TEST_F(Workspace, HasTheStoreThatAConfigurationOfTheRepositoryNamesOnce) {
  make_bare_worktrees("store = 'sqlite:locks.db'");
  std::filesystem::create_directory(other / "bare.git/.tyer");
  ASSERT_EQ(tyer_in(other / "one", "trust").code, 0) << "for all worktrees";
  expect_one_lock(other / "one", other / "two/d");

  EXPECT_TRUE(std::filesystem::exists(other / "bare.git/.tyer/locks.db"));
}

TEST_F(Workspace, ThatCannotBeLookedAtIsNotPassedOver) {
  const std::string one = other / "one";
  ASSERT_EQ(tyer_in(other.path(), "init").code, 0);
  std::filesystem::create_directory(one);
  ASSERT_EQ(tyer_in(one, "init").code, 0);
  std::filesystem::permissions(one + "/.tyer", std::filesystem::perms::none);
  expect_out_of_reach(one, one + "/.tyer", "permission denied; check owner and mode");
  EXPECT_EQ(others_in(one, "init").code, 3);
  std::filesystem::permissions(one + "/.tyer", std::filesystem::perms::owner_all);

  std::filesystem::permissions(one, std::filesystem::perms::owner_read);
  expect_out_of_reach(one, one + "/.tyer", "permission denied");
  std::filesystem::permissions(one, std::filesystem::perms::owner_all);
}

TEST_F(Workspace, ThatCannotBeLookedAtFurtherUpGivesWayToOneMadeOnPurpose) {
  const std::string one = other / "one";
  ASSERT_EQ(tyer_in(other.path(), "init").code, 0);
  std::filesystem::create_directory(one);
  std::filesystem::permissions(own_of_other, std::filesystem::perms::none);
  expect_out_of_reach(one, own_of_other,
                      "or make a workspace for " + one + " alone with 'tyer init'");

  EXPECT_EQ(others_in(one, "init").code, 0);
  EXPECT_EQ(others_in(one, "run T -- echo ran").out, "ran\n");
  std::filesystem::permissions(own_of_other, std::filesystem::perms::owner_all);
}

// As on a disk that is not mounted.
TEST_F(Workspace, ThatIsALinkWhichLeadsNowhereIsOutOfReach) {
  std::filesystem::create_directory_symlink(other / "disk", own);
  expect_out_of_reach(dir / "d", own, "is a link that leads nowhere");
  EXPECT_EQ(tyer("init").code, 3);
  std::filesystem::remove(own);

  std::filesystem::create_directory(own);
  std::filesystem::create_symlink(other / "disk/tyer.db", own + "/tyer.db");
  expect_out_of_reach(dir / "d", own + "/tyer.db", "is a link that leads nowhere");
}

TEST_F(Workspace, IsFoundWithoutTheVariablesThatGitSetsForItsHooks) {
  sh("mkdir -p .git/hooks && printf '#!/bin/sh\\n\"%s\" run T -- true\\n' " +
     std::string(TYER_PROGRAM) +
     " > .git/hooks/pre-commit && chmod 755 .git/hooks/pre-commit && "
     "git worktree add -q " +
     other / "linked" + " && cd " + other / "linked" + " && git commit -q --allow-empty -m hooked");

  EXPECT_TRUE(has_file(".tyer/tyer.db"));
}

TEST_F(Workspace, OfACheckoutWhoseRepositoryIsGoneIsItsOwn) {
  write_file(other / "lost/.git", "gitdir: /nowhere/.git/worktrees/lost\n");
  write_file(other / "lost/d/file", "");

  EXPECT_EQ(path_in(other / "lost/d"), other / "lost/.tyer");
}

}  // namespace
}  // namespace tyer::testing
