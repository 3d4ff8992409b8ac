// tyer runs: finding the one that is meant among many, and how those are doing that are to end.

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/agent_runs.h"

namespace tyer::testing {
namespace {

class Runs : public AgentRunTest {
 protected:
  // Ids in the order in which they are listed.
  [[nodiscard]] std::vector<std::string> listed(const std::string& options) const {
    std::vector<std::string> all;
    const std::string text = tyer("runs list --json " + options).out;
    for (const Json& run : parse_json(text).value_or(Json::array()))
      all.push_back(text_or(run, "run"));
    return all;
  }

  // How much of an id no other one of these begins with.
  [[nodiscard]] static std::string unique_part(const std::string& id,
                                               const std::vector<std::string>& all) {
    for (std::size_t n = 1; n < id.size(); ++n) {
      const auto begins = [&](const std::string& other) {
        return other.starts_with(id.substr(0, n));
      };
      if (std::ranges::count_if(all, begins) == 1) return id.substr(0, n);
    }
    return id;
  }
};

TEST_F(Runs, AreFoundByTheBeginningOfTheirIds) {
  for (int i = 0; i < 7; ++i) EXPECT_EQ(ask("hello").code, 0);
  const std::vector<std::string> all = ids();
  const std::string part = unique_part(all[3], all);

  EXPECT_EQ(shown(part, "run"), all[3]);
  EXPECT_EQ(follow(part).code, 0);
  EXPECT_TRUE(tyer("runs stop " + part).err.contains(all[3]));

  EXPECT_EQ(shown("last", "run"), all.back());

  const ProgramResult many = tyer("runs show 0");
  EXPECT_EQ(many.code, 2);
  EXPECT_TRUE(many.err.contains(all[0]) && many.err.contains(all[4])) << many.err;
  EXPECT_FALSE(many.err.contains(all[5])) << many.err;
  EXPECT_TRUE(many.err.contains("…; write more of it")) << many.err;
  EXPECT_EQ(tyer("runs show x").code, 1);
  EXPECT_EQ(tyer({"runs", "show", ""}).code, 1);
}

TEST_F(Runs, HaveNoLastOneBeforeTheFirst) {
  ASSERT_EQ(tyer("feed add general").code, 0);
  const ProgramResult none = tyer("runs show last");
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "tyer: there is no run yet\n");
}

TEST_F(Runs, AreListedPageByPage) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask("hello").code, 0);
  const std::vector<std::string> all = ids();

  const ProgramResult newest = tyer("runs list --all --limit 2");
  EXPECT_FALSE(newest.out.contains(all[2]));
  EXPECT_TRUE(newest.err.contains("3 older runs not shown; --before " + all[3])) << newest.err;
  EXPECT_EQ(listed("--all --limit 2"), (std::vector{all[3], all[4]}));
  EXPECT_EQ(listed("--all --limit 2 --before " + all[3]), (std::vector{all[1], all[2]}));
  EXPECT_EQ(listed("--all --before " + all[1]), (std::vector{all[0]}));
  EXPECT_EQ(tyer("runs list --all --before " + all[1]).err, "");
  EXPECT_EQ(listed(""), std::vector<std::string>());
  for (const char* const wrong : {"--limit 0", "--limit x", "--limit 10001", "--before="}) {
    EXPECT_EQ(tyer(std::string("runs list ") + wrong).code, 2) << wrong;
  }
}

TEST_F(Runs, ThatAreOpenAreListedPageByPageAsWell) {
  const std::string first = detach("demo: hang");
  const std::string second = detach("demo: hang");

  EXPECT_EQ(listed("--limit 1"), (std::vector{second}));
  EXPECT_EQ(listed("--before " + second), (std::vector{first}));
}

TEST_F(Runs, SayWhatTheyWaitForWhenTheyAreToStop) {
  Program running(agent("demo: say here\ndemo: hang"));
  ASSERT_TRUE(running.wait_for("here"));
  const std::string id = ids().front();
  // It cannot come to an end before we have looked.
  ::kill(static_cast<pid_t>(keeper_of(id)), SIGSTOP);
  EXPECT_EQ(tyer("runs stop " + id).code, 0);

  const std::string text = tyer("runs show " + id).out;
  EXPECT_TRUE(text.contains("state      stopping\n")) << text;
  EXPECT_TRUE(text.contains("asked to stop ")) << text;
  EXPECT_TRUE(text.contains("1 process may end in order for 5 s, then what is left is killed"))
      << text;
  EXPECT_EQ(shown(id, "health"), "stopping");
  EXPECT_NE(shown(id, "stopAskedAt"), "");
  EXPECT_TRUE(tyer("runs list").out.contains("stopping"));

  ::kill(static_cast<pid_t>(keeper_of(id)), SIGCONT);
  EXPECT_EQ(running.finish().code, 130);
  EXPECT_EQ(shown(id, "health"), "gone");
}

TEST_F(Runs, KeepAsManyTranscriptsAsIsConfigured) {
  environment["TYER_RUNS_KEEP"] = "2";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask("hello").code, 0);
  const std::vector<std::string> all = ids();

  EXPECT_FALSE(has_file(".tyer/runs/" + all[0]));
  EXPECT_TRUE(has_file(".tyer/runs/" + all[3] + "/transcript.jsonl"));
  // What came of it is known all the same.
  EXPECT_EQ(shown(all[0], "verdict"), "done");
  write_file(".tyer/config.toml", "[runs]\nkeep = 0\n");
  environment.erase("TYER_RUNS_KEEP");
  EXPECT_EQ(ask("hello").code, 2);
  write_file(".tyer/config.toml", "[runs]\nkeep = 3\n");
  EXPECT_TRUE(tyer("config show").out.contains("runs.keep"));
}

TEST_F(Runs, NeedAPromptThatIsThere) {
  const ProgramResult none = tyer("agent run --backend demo --prompt-file NOPE");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(none.err.contains("NOPE: it does not exist")) << none.err;
  EXPECT_EQ(tyer("agent run --backend demo --prompt-file .").code, 2);
  EXPECT_FALSE(has_file(".tyer"));
}

}  // namespace
}  // namespace tyer::testing
