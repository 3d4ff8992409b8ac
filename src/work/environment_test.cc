#include <gtest/gtest.h>

#include "work/assignment.h"
#include "work/shift.h"

namespace tyer::work {
namespace {

using Names = std::vector<std::string>;

// What a run of the back end sees of an environment that has all of these.
Names seen(const std::string& backend, const Names& all, Names passed = {}) {
  backend::Environment outer;
  for (const std::string& name : all) outer[name] = "value";
  Assignment given;
  given.backend = backend;
  given.environment = std::move(passed);
  Names names;
  for (const auto& [name, value] : clean_environment(outer, given)) names.push_back(name);
  return names;
}

TEST(RunEnvironment, HasWhatEveryProgramNeeds) {
  const Names needed{"HOME",           "LANG",      "LC_CTYPE",   "NODE_EXTRA_CA_CERTS",
                     "PATH",           "TERM",      "TMPDIR",     "TZ",
                     "XDG_CACHE_HOME", "all_proxy", "https_proxy"};
  for (const char* backend : {"claude", "codex", "gemini", "command", "demo"}) {
    EXPECT_EQ(seen(backend, needed), needed) << backend;
  }
}

TEST(RunEnvironment, HasTheLoginOfItsOwnProgramAndOfNoOther) {
  const Names all{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_HOME",    "GEMINI_API_KEY",
                  "GOOGLE_API_KEY",    "GOOGLE_CLOUD_PROJECT",    "OPENAI_API_KEY"};
  EXPECT_EQ(seen("claude", all), (Names{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}));
  EXPECT_EQ(seen("codex", all), (Names{"CODEX_HOME", "OPENAI_API_KEY"}));
  EXPECT_EQ(seen("gemini", all),
            (Names{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT"}));
  EXPECT_EQ(seen("command", all), Names{});
  EXPECT_EQ(seen("demo", all), Names{});
}

TEST(RunEnvironment, HasNoLoginOfACloudOrOfGitUnlessItIsNamed) {
  const Names logins{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                     "AWS_SESSION_TOKEN", "AZURE_OPENAI_API_KEY",
                     "GH_TOKEN",          "GITHUB_TOKEN",
                     "GIT_ASKPASS",       "GIT_CONFIG_VALUE_0",
                     "GIT_SSH_COMMAND",   "GOOGLE_APPLICATION_CREDENTIALS",
                     "PGPASSWORD",        "SSH_AUTH_SOCK"};
  for (const char* backend : {"claude", "codex", "gemini", "command", "demo"}) {
    EXPECT_EQ(seen(backend, logins), Names{}) << backend;
    EXPECT_EQ(seen(backend, logins, logins), logins) << backend;
  }
}

TEST(RunEnvironment, NeverHasWhatIsTheWorkers) {
  const Names own{"AGENTFEED_API_KEY", "TYER_API_KEY", "TYER_API_KEYS", "TYER_STORE"};
  EXPECT_EQ(seen("command", own, own), Names{});
}

}  // namespace
}  // namespace tyer::work
