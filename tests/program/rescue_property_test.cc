// Whatever is in a worktree, by chance: removed by force and restored, it is the same.

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "support/worktrees.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

// One thing that somebody does in a worktree.
struct Act {
  enum Kind {
    write,
    link,
    directory,
    remove,
    stage,
    stage_all,
    commit,
    amend,
    reset,
    stash,
    detach
  };
  Kind kind = write;
  std::string path;
  std::string content;
  unsigned mode = 0644;
};

const std::vector<std::string>& paths() {
  static const std::vector<std::string> all{
      "a",          "d/b",        "run",  "x.log",     "out/deep/file",   "new",
      "d",          "a/below",    "n\nl", "\xff\xfe",  "sub/.git/HEAD",   ".gitignore",
      "sub/.git",   "sp ace",     "-f",   "\\",        ".tyer-kept..git", ".gitattributes",
      "sub/.GIT/x", "deep/1/2/3", "\"",   "d/.gitkeep"};
  return all;
}

rc::Gen<Act> any_act() {
  return rc::gen::build<Act>(
      rc::gen::set(&Act::kind, rc::gen::weightedElement<Act::Kind>({{12, Act::write},
                                                                    {3, Act::link},
                                                                    {2, Act::directory},
                                                                    {3, Act::remove},
                                                                    {3, Act::stage},
                                                                    {1, Act::stage_all},
                                                                    {2, Act::commit},
                                                                    {1, Act::amend},
                                                                    {1, Act::reset},
                                                                    {1, Act::stash},
                                                                    {1, Act::detach}})),
      rc::gen::set(&Act::path, rc::gen::elementOf(paths())),
      rc::gen::set(&Act::content,
                   rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                                  rc::gen::element<std::string>("one\n", "a\r\nb\n", "", "* text\n",
                                                                "* filter=x ident\n", "*\n"))),
      rc::gen::set(&Act::mode, rc::gen::element<unsigned>(0644, 0755, 0600, 0700, 0444)));
}

class RescueProperty : public WorktreeTest {
 protected:
  // Fails where it cannot be done, as for people.
  void git(const std::string& words) const {
    (void)run_program({.words = {"-c", "git " + words},
                       .directory = tree("p"),
                       .environment = environment,
                       .program = "/bin/sh"});
  }

  void do_one(const Act& act) const {
    const fs::path path = fs::path(tree("p")) / act.path;
    std::error_code ignored;
    switch (act.kind) {
      case Act::write:
        fs::create_directories(path.parent_path(), ignored);
        if (fs::is_directory(fs::symlink_status(path, ignored))) return;
        fs::remove(path, ignored);
        if (std::ofstream file(path, std::ios::binary); file) file << act.content;
        ::chmod(path.c_str(), act.mode);
        return;
      case Act::link:
        fs::create_directories(path.parent_path(), ignored);
        fs::remove(path, ignored);
        fs::create_symlink("some/" + std::to_string(act.content.size()), path, ignored);
        return;
      case Act::directory: fs::create_directories(path, ignored); return;
      case Act::remove: fs::remove_all(path, ignored); return;
      case Act::stage: return git("--literal-pathspecs add -f -- '" + act.path + "'");
      case Act::stage_all: return git("add -A");
      case Act::commit: return git("commit -qm work");
      case Act::amend: return git("commit -q --amend -m again");
      case Act::reset: return git("reset -q HEAD~1");
      case Act::stash: return git("stash -q");
      case Act::detach: return git("switch -q --detach");
    }
  }
};

TEST_F(RescueProperty, EverythingComesBack) {
  ::setenv("RC_PARAMS", "max_success=15 max_size=40", 0);
  const bool holds = rc::check("removed and restored it is the same", [&] {
    const auto acts = *rc::gen::container<std::vector<Act>>(any_act());
    ok("worktree add p");
    for (const Act& act : acts) do_one(act);
    const Picture before = picture_of(tree("p"));
    const std::string head = sh("git rev-parse HEAD; git symbolic-ref -q HEAD || true", tree("p"));
    const std::string index = sh("git ls-files -s -z", tree("p"));
    ok("worktree remove p --force");
    RC_ASSERT(!fs::exists(tree("p")));
    const std::vector<std::string> ids = rescues();
    RC_ASSERT(ids.size() <= 1);
    sh("git gc -q --prune=now");
    std::string lost;
    if (!ids.empty()) {
      ok("rescue restore " + ids.front());
      lost = difference(before, picture_of(tree("p")));
      RC_ASSERT(sh("git ls-files -s -z", tree("p")) == index);
      RC_ASSERT(sh("git rev-parse HEAD; git symbolic-ref -q HEAD || true", tree("p")) == head);
      ok("worktree remove p --force");
    } else {
      // Then git had all of it, but for empty directories and permissions.
      sh("git worktree add -q --detach again " + head.substr(0, 40));
      for (const auto& [path, what] : before) {
        if (what.starts_with("directory")) continue;
        const fs::path there = dir / ("again/" + path);
        if (!fs::exists(fs::symlink_status(there))) lost += path + "\n";
      }
      sh("git worktree remove --force again");
    }
    RC_ASSERT(lost == "");
    RC_ASSERT(!HasFailure());
    sh("git for-each-ref --format='delete %(refname)' refs/tyer | git update-ref --no-deref "
       "--stdin; git branch -q -D tyer/p 2>/dev/null || true; git stash clear");
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tyer::testing
