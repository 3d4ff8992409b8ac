#include "support/worktrees.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Picture picture_of(const std::string& top) {
  Picture picture;
  for (fs::recursive_directory_iterator at(top), end; at != end; ++at) {
    const std::string path = at->path().string().substr(top.size() + 1);
    if (path == ".git") {
      at.disable_recursion_pending();
      continue;
    }
    struct stat facts{};
    EXPECT_EQ(::lstat(at->path().c_str(), &facts), 0) << path;
    const unsigned mode = facts.st_mode & 07777;
    if (S_ISLNK(facts.st_mode)) {
      picture[path] = "link " + fs::read_symlink(at->path()).string();
    } else if (S_ISDIR(facts.st_mode)) {
      picture[path] = fmt::format("directory {:o}", mode);
    } else {
      picture[path] = fmt::format("file {:o} ", mode) + content(at->path());
    }
  }
  return picture;
}

std::string difference(const Picture& wanted, const Picture& found) {
  std::string text;
  for (const auto& [path, what] : wanted) {
    const auto there = found.find(path);
    if (there != found.end() && there->second == what) continue;
    text += fmt::format("{}: {} became {}\n", printable(path), printable(what, 60),
                        there == found.end() ? "nothing" : printable(there->second, 60));
  }
  for (const auto& [path, what] : found) {
    if (!wanted.contains(path)) text += fmt::format("{} was not there\n", printable(path));
  }
  return text;
}

WorktreeTest::WorktreeTest() {
  environment["GIT_CONFIG_NOSYSTEM"] = "1";
  write_file(home / ".gitconfig",
             "[user]\n\tname = Alice\n\temail = alice@example.com\n[init]\n\tdefaultBranch = main\n"
             "[protocol \"file\"]\n\tallow = always\n");
  sh("git init -q && echo one > a && mkdir d && echo two > d/b && echo '#!/bin/sh' > run && "
     "chmod 755 run && printf '*.log\\nout/\\n' > .gitignore && git add . && git commit -qm first");
}

std::string WorktreeTest::sh(const std::string& script, const std::string& directory) const {
  ProgramCall shell = call({"-c", "set -e\n" + script});
  shell.program = "/bin/sh";
  if (!directory.empty()) shell.directory = directory;
  const ProgramResult result = run_program(shell);
  EXPECT_EQ(result.code, 0) << script << "\n" << result.out << result.err;
  return result.out;
}

std::string WorktreeTest::ok(const std::string& line) const {
  const ProgramResult result = tyer(line);
  EXPECT_EQ(result.code, 0) << line << "\n" << result.err;
  return result.out;
}

void WorktreeTest::make_tree(const std::string& name, const std::string& script) const {
  ok("worktree add " + name);
  sh(script, tree(name));
}

std::vector<std::string> WorktreeTest::rescues() const {
  const auto json = parse_json(ok("rescue list --json"));
  std::vector<std::string> ids;
  for (const Json& rescue : json.value_or(Json::array())) ids.push_back(rescue["id"]);
  return ids;
}

std::string WorktreeTest::git_state(const std::string& path) const {
  return sh(
      "git rev-parse HEAD; git symbolic-ref -q HEAD || echo detached; git ls-files -s -z -v; "
      "git ls-files -s -z; git status --porcelain -z -uall --ignored; "
      "git ls-files -s | cut -d ' ' -f 2 | git cat-file --batch-check; "
      "cd \"$(git rev-parse --git-dir)\"; for f in MERGE_HEAD MERGE_MSG rebase-merge/onto "
      "rebase-merge/git-rebase-todo CHERRY_PICK_HEAD; do ! test -f $f || cat $f; done; "
      "cat logs/HEAD; git log -g --format='%H %s'",
      path);
}

}  // namespace tyer::testing
