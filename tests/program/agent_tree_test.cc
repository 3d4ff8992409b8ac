// Runs in worktrees: one at a time in each, and nothing is removed under them.

#include <csignal>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/agent_runs.h"

namespace tyer::testing {
namespace {

class AgentTree : public AgentRunTest {
 protected:
  AgentTree() {
    environment["GIT_CONFIG_NOSYSTEM"] = "1";
    write_file(home / ".gitconfig", "[user]\n\tname = Alice\n\temail = alice@example.com\n");
    sh("git init -q -b main && echo one > a && git add . && git commit -qm first");
  }

  std::string sh(const std::string& script) const {
    ProgramCall shell = call({"-c", "set -e\n" + script});
    shell.program = "/bin/sh";
    const ProgramResult result = run_program(shell);
    EXPECT_EQ(result.code, 0) << script << "\n" << result.out << result.err;
    return result.out;
  }

  [[nodiscard]] ProgramResult ask_in(const std::string& name, const std::string& prompt,
                                     const std::string& options = "") const {
    return ask(prompt, "--worktree " + name + " " + options);
  }

  // A run in `name` that works until it is stopped; its id.
  [[nodiscard]] std::string occupy(const std::string& name) const {
    const ProgramResult result = ask_in(name, "demo: say here\ndemo: hang", "--detach");
    EXPECT_EQ(result.code, 0) << result.err;
    const std::vector<std::string> lines = split_lines(result.out);
    const std::string id = lines.empty() ? "" : lines.front();
    Program following(call({"runs", "follow", id}));
    EXPECT_TRUE(following.wait_for("here"));
    return id;
  }

  void stop(const std::string& id) const {
    EXPECT_EQ(tyer("runs stop " + id).code, 0);
    EXPECT_EQ(follow(id).code, 130);
  }

  // The lock of the repository, whose name is known once it was held.
  [[nodiscard]] std::string repository_lock() const {
    EXPECT_EQ(tyer("worktree add probe").code, 0);
    for (const std::string& line : split_lines(tyer("log --json lock").out)) {
      const std::string key = text_or(parse_json(line).value_or(Json::object()), "key");
      if (key.starts_with("lock/repo/")) return key.substr(5);
    }
    ADD_FAILURE() << "nobody has locked the repository";
    return "";
  }

  [[nodiscard]] Json listed(const std::string& name) const {
    const std::string text = tyer("worktree list --json").out;
    for (const Json& tree : parse_json(text).value_or(Json::array())) {
      if (tree["name"] == name) return tree;
    }
    ADD_FAILURE() << name << " is not in " << text;
    return Json::object();
  }
};

TEST_F(AgentTree, IsMadeForTheRunAndLeftAfterIt) {
  const ProgramResult result = ask_in("w", "demo: edit made.txt x", "--permission edit");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has_file(".tyer/worktrees/w/made.txt"));
  EXPECT_FALSE(has_file("made.txt"));
  EXPECT_TRUE(result.err.contains("tyer worktree merge w")) << result.err;
  EXPECT_TRUE(result.err.contains("tyer worktree remove w")) << result.err;
  EXPECT_EQ(shown(ids().front(), "worktree"), "w");
  EXPECT_EQ(shown(ids().front(), "directory"), dir / ".tyer/worktrees/w");
  EXPECT_EQ(tyer("worktree merge w --commit done").code, 0);
  EXPECT_TRUE(has_file("made.txt"));
  EXPECT_EQ(tyer("worktree remove w").code, 0);
  expect_nothing_is_left();
}

TEST_F(AgentTree, IsUsedAsItIsIfItIsThere) {
  EXPECT_EQ(tyer("worktree add w").code, 0);
  write_file(".tyer/worktrees/w/half", "an idea");

  const ProgramResult result =
      tyer("agent run --backend command --prompt x --worktree w -- cat half");
  EXPECT_EQ(result.out, "an idea\n");
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(AgentTree, IsOfTheRepositoryAroundTheDirectory) {
  std::filesystem::create_directory(dir / "sub");
  ProgramCall inside = agent("demo: edit made.txt x", "--worktree w --permission edit");
  inside.directory = dir / "sub";
  EXPECT_EQ(run_program(inside).code, 0);
  EXPECT_TRUE(has_file(".tyer/worktrees/w/made.txt"));

  inside = agent("hello", "--json --worktree team/v --base HEAD --dir " + (dir / "sub"));
  inside.directory = home / "";
  const ProgramResult there = run_program(inside);
  EXPECT_EQ(there.code, 0) << there.err;
  EXPECT_TRUE(there.out.contains(R"("worktree":"team/v")")) << there.out;
  EXPECT_TRUE(has_file(".tyer/worktrees/team/v/a"));
  EXPECT_FALSE(std::filesystem::exists(home / ".tyer"));
  // It is recorded where the worktrees are.
  EXPECT_EQ(verdicts(), "done done");
  expect_nothing_is_left();
}

TEST_F(AgentTree, RefusesWhatCannotBeOneBeforeThereIsARun) {
  for (const std::string name : {"../w", "-x", "a b", "a/b/c", ""}) {
    EXPECT_EQ(
        tyer({"agent", "run", "--backend", "demo", "--prompt", "x", "--worktree=" + name}).code, 2)
        << name;
  }
  EXPECT_EQ(ask("x", "--base main").code, 2);
  EXPECT_EQ(ask_in("w", "x", "--base=-f").code, 2);
  const ProgramResult unknown = ask_in("w", "x", "--base nothing --detach");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(unknown.err.contains("there is no commit 'nothing'")) << unknown.err;
  sh("rm -rf .git");
  const ProgramResult none = ask_in("w", "x");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(none.err.contains("there is no git repository")) << none.err;
  sh("git init -q -b main");
  EXPECT_EQ(ask_in("w", "x").code, 4);

  EXPECT_FALSE(has_file(".tyer/tyer.db"));
}

TEST_F(AgentTree, IsNotMadeAgainUnasked) {
  EXPECT_EQ(tyer("worktree add w").code, 0);
  std::filesystem::remove_all(dir / ".tyer/worktrees/w");

  const ProgramResult result = ask_in("w", "x");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("is missing; 'tyer worktree add w'")) << result.err;
  EXPECT_EQ(tyer("worktree add w").code, 0);
  EXPECT_EQ(ask_in("w", "hello").code, 0);
}

TEST_F(AgentTree, BelongsToOneRunUntilThatHasEnded) {
  const std::string id = occupy("w");

  const ProgramResult second = ask_in("w", "hello");
  EXPECT_EQ(second.code, 4);
  EXPECT_TRUE(second.err.contains("tyer runs stop " + id)) << second.err;
  EXPECT_EQ(ask_in("other", "hello").code, 0);
  for (const char* const command :
       {"worktree remove w", "worktree remove w --force", "worktree merge w"}) {
    const ProgramResult refused = tyer(command);
    EXPECT_EQ(refused.code, 4) << command;
    EXPECT_TRUE(refused.err.contains("tyer runs stop " + id)) << refused.err;
  }
  EXPECT_EQ(text_or(listed("w"), "run"), id);
  EXPECT_EQ(listed("other")["run"], Json(nullptr));
  EXPECT_TRUE(tyer("runs list").out.contains(" w "));

  stop(id);
  EXPECT_EQ(listed("w")["run"], Json(nullptr));
  EXPECT_EQ(ask_in("w", "hello").code, 0);
  EXPECT_EQ(tyer("worktree remove w").code, 0);
  expect_nothing_is_left();
}

// They all begin at once; whoever is refused is refused as the second one.
TEST_F(AgentTree, IsGivenToOneOfManyWhoWantIt) {
  std::vector<std::unique_ptr<Program>> programs;
  for (int i = 0; i < 4; ++i) {
    programs.push_back(
        std::make_unique<Program>(agent("demo: say here\ndemo: hang", "--worktree w --detach")));
  }
  std::string winner;
  for (const auto& program : programs) {
    const ProgramResult result = program->finish();
    if (result.code == 0) {
      EXPECT_EQ(winner, "");
      winner = split_lines(result.out).front();
    } else {
      EXPECT_EQ(result.code, 4) << result.err;
      EXPECT_TRUE(result.err.contains("works in the worktree w")) << result.err;
    }
  }
  ASSERT_NE(winner, "");
  EXPECT_EQ(ids(), std::vector<std::string>{winner});
  stop(winner);
  expect_nothing_is_left();
}

TEST_F(AgentTree, IsFreeOnceTheKeeperIsDead) {
  const std::string first = occupy("w");
  ::kill(static_cast<pid_t>(keeper_of(first)), SIGKILL);
  EXPECT_EQ(follow(first).code, 1);
  const std::string second = occupy("w");
  // Nobody is left who could end it but the next command.
  ::kill(static_cast<pid_t>(front_of(second)), SIGSTOP);
  ::kill(static_cast<pid_t>(keeper_of(second)), SIGKILL);
  ::kill(static_cast<pid_t>(front_of(second)), SIGKILL);

  const ProgramResult third = ask_in("w", "hello");
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_EQ(verdicts(), "lost lost done");
  EXPECT_EQ(tyer("worktree remove w").code, 0);
  expect_nothing_is_left();
}

TEST_F(AgentTree, StaysWithTheRunThatIsTriedAgain) {
  Program running(agent("demo: say here\ndemo: rate-limit 600", "--json --worktree w"));
  ASSERT_TRUE(running.wait_for(R"("verdict":"later")"));
  const std::string next = ids().back();

  const ProgramResult second = ask_in("w", "hello");
  EXPECT_EQ(second.code, 4);
  EXPECT_TRUE(second.err.contains(next)) << second.err;
  EXPECT_EQ(tyer("runs stop " + next).code, 0);
  EXPECT_EQ(running.finish().code, 130);
  expect_nothing_is_left();
}

TEST_F(AgentTree, IsWaitedForBehindOthersAndTheWaitCanBeStopped) {
  const std::string lock = repository_lock();
  ASSERT_EQ(tyer("lock acquire " + lock + " --session other").code, 0);
  const ProgramResult waiting = ask_in("w", "hello", "--detach");
  ASSERT_EQ(waiting.code, 0) << waiting.err;
  const std::string id = split_lines(waiting.out).front();

  EXPECT_EQ(shown(id, "evidence"), "it is being started");
  EXPECT_EQ(ask_in("w", "hello").code, 4);
  stop(id);
  EXPECT_FALSE(has_file(".tyer/worktrees/w"));

  EXPECT_EQ(tyer("lock release " + lock + " --session other").code, 0);
  EXPECT_EQ(ask_in("w", "hello").code, 0);
  EXPECT_EQ(verdicts(), "stopped done");
  expect_nothing_is_left();
}

TEST_F(AgentTree, IsNotGivenToARunWhileItIsBeingRemoved) {
  const std::string lock = repository_lock();
  ASSERT_EQ(
      tyer({"lock", "acquire", lock, "--session", "other", "--command", "tyer worktree remove w"})
          .code,
      0);
  const ProgramResult result = ask_in("w", "hello");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("is being removed")) << result.err;
  EXPECT_EQ(tyer("lock release " + lock + " --session other").code, 0);
  EXPECT_EQ(ids().size(), 0U);
}

}  // namespace
}  // namespace tyer::testing
