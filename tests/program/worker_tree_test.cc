// Each session of an agent that wants it works in a worktree of its own.

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

class WorkerTree : public WorkerTest {
 protected:
  WorkerTree() {
    const ProgramResult made =
        run_program({.words = {"-c",
                               "git init -q -b main . && git -c user.name=t -c user.email=t@t "
                               "commit -q --allow-empty -m first"},
                     .directory = dir.path(),
                     .program = "/bin/sh"});
    EXPECT_EQ(made.code, 0) << made.err;
    start_hub();
  }

  [[nodiscard]] std::string tree(const std::string& name) const {
    return std::filesystem::canonical(dir.path()).string() + "/.tyer/worktrees/" + name;
  }
};

TEST_F(WorkerTree, IsWhereACommandOfASessionRuns) {
  make_scripted("bot", "cat >/dev/null; pwd -P", {{"worktree", true}});
  const auto worker = start_worker("bot");

  const std::string post = write_post("@bot where are you?");
  await_answers(post, 1);
  write_comment(post, "@bot and now?");
  await_answers(post, 2);
  const std::string other = write_post("@bot/other and you?");
  await_answers(other, 1);

  EXPECT_EQ(answers(post), (Texts{tree("bot-default"), tree("bot-default")}));
  EXPECT_EQ(answers(other), Texts{tree("bot-other")});
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(3);
}

TEST_F(WorkerTree, IsWhereTheDemoAgentRuns) {
  make_agent("demo", {{"type", "demo"}, {"working_directory", dir.path()}, {"worktree", true}});
  const auto worker = start_worker("demo");

  const std::string post = write_post("@demo hello");
  await_answers(post, 1);

  EXPECT_TRUE(std::filesystem::exists(tree("demo-default")));
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(1);
}

}  // namespace
}  // namespace tyer::testing
