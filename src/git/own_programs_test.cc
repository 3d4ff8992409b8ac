#include "git/own_programs.h"

#include <gtest/gtest.h>

namespace tyer::git {
namespace {

using Programs = std::vector<std::string>;

// As git lists them: fields that end in a NUL, two for each setting.
std::string listing(std::initializer_list<std::pair<std::string, std::string>> entries) {
  std::string text;
  for (const auto& [scope, entry] : entries) text += scope + '\0' + entry + '\0';
  return text;
}

TEST(OwnPrograms, AreThoseThatTheRepositoryHasGitRun) {
  for (const std::string name :
       {"filter.lfs.smudge", "filter.a.b.clean", "filter.x.process", "merge.ours.driver",
        "diff.word.textconv", "diff.x.command", "diff.external", "gpg.program", "gpg.ssh.program",
        "hook.x.command", "includeif.onbranch:main.path"}) {
    EXPECT_EQ(programs_in(listing({{"local", name + "\ncat"}})), Programs{name + "=cat"});
    EXPECT_EQ(programs_in(listing({{"worktree", name + "\ncat"}})), Programs{name + "=cat"});
    EXPECT_EQ(programs_in(listing({{"global", name + "\ncat"}, {"system", name + "\ncat"}})),
              Programs{});
  }
  for (const char* const name : {"filter.x.required", "merge.ff", "core.bare", "user.name",
                                 "merge.x.name", "filter", "x.filter.clean"}) {
    EXPECT_EQ(programs_in(listing({{"local", std::string(name) + "\ncat"}})), Programs{}) << name;
  }
}

TEST(OwnPrograms, AreThoseForRemotesWhereGitGetsObjectsMeanwhile) {
  const std::pair<std::string, std::string> ssh{"local", "core.sshcommand\nssh -i key"};
  EXPECT_EQ(programs_in(listing({ssh})), Programs{});
  EXPECT_EQ(programs_in(listing({ssh, {"local", "remote.origin.promisor\ntrue"}})),
            Programs{"core.sshcommand=ssh -i key"});
  EXPECT_EQ(programs_in(listing({{"local", "extensions.partialclone\norigin"}, ssh})),
            Programs{"core.sshcommand=ssh -i key"});
}

TEST(OwnPrograms, AreToldOnceEach) {
  const std::pair<std::string, std::string> clean{"local", "filter.x.clean\ncat\n-n"};
  EXPECT_EQ(programs_in(listing({clean, {"local", "filter.x.clean"}, clean})),
            (Programs{"filter.x.clean", "filter.x.clean=cat\n-n"}));
  EXPECT_EQ(programs_in(""), Programs{});
  EXPECT_EQ(programs_in("local"), Programs{});
}

}  // namespace
}  // namespace tyer::git
