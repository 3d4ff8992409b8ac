// The real claude, codex and gemini below a worker, with a model of ours: a mention becomes a run,
// its last words an answer, and the next comment in the thread goes on with the conversation.

#include <csignal>

#include <gtest/gtest.h>

#include "base/json.h"
#include "env/marked.h"
#include "support/demo.h"
#include "support/forked.h"
#include "support/hub.h"
#include "support/real_agent.h"

namespace tyer::testing {
namespace {

class AgentWorkers : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!agent.version()) GTEST_SKIP() << GetParam() << " is not installed";
    ProgramCall call{.words = {"up", "--open-loopback", "--listen", "127.0.0.1:0", "--json"},
                     .directory = agent.tree()};
    call.environment.insert(agent.environment().begin(), agent.environment().end());
    call.environment.erase("TYER_RUN");
    up = std::make_unique<Program>(call);
    ASSERT_TRUE(up->wait_for("}\n")) << up->finish().err;
    url = parse_json(up->out()).value_or(Json())["url"];
    Visitor people(url);
    ASSERT_EQ(people
                  .post("/api/keys", {{"name", "bot"},
                                      {"type", GetParam()},
                                      {"working_directory", agent.tree()},
                                      // What the settings of this codex name as its key.
                                      {"environment", Json::array({"STUB_KEY"})},
                                      {"permission_mode", "all"}})
                  .status,
              201);
  }

  // All that the agent has written under the post, once it is so much.
  [[nodiscard]] std::vector<std::string> answers(const std::string& post, std::size_t count) {
    Visitor people(url);
    std::vector<std::string> texts;
    const auto look = [&] {
      texts.clear();
      const Json page = people.get("/api/posts/" + post + "/comments").json();
      for (const Json& comment : page["data"]) {
        if (text_or(comment, "author_type") == "bot") texts.push_back(text_or(comment, "content"));
      }
      return texts.size() >= count;
    };
    Listener events(url, "/api/events/stream?topics=run,comment");
    if (look()) return texts;
    events.until([&](const http::ServerEvent&) { return look(); });
    return texts;
  }

  const StubModel model;
  RealAgent agent{GetParam(), model};
  std::unique_ptr<Program> up;
  std::string url;
};

// W5, W6, W7, H13
TEST_P(AgentWorkers, AnswerAMentionAndGoOnInTheThread) {
  Visitor people(url);
  const std::string feed = people.get("/api/feeds").json()["data"][0]["id"];
  const std::string post = people.make("/api/feeds/" + feed + "/posts",
                                       {{"title", "A test"}, {"content", "@bot\nstub: say one"}});
  ASSERT_EQ(answers(post, 1), std::vector<std::string>{"one"});

  people.make("/api/posts/" + post + "/comments", {{"content", "Go on.\nstub: turns"}});
  const std::vector<std::string> both = answers(post, 2);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both.back(), "2");

  up->signal(SIGTERM);
  EXPECT_EQ(up->finish().code, 0);
  for (const std::int64_t pid : env::marked_processes("HOME=" + agent.environment().at("HOME"))) {
    EXPECT_TRUE(has_ended(static_cast<pid_t>(pid)));
  }
}

INSTANTIATE_TEST_SUITE_P(Real, AgentWorkers, ::testing::Values("claude", "codex", "gemini"),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace tyer::testing
