// An agent program is asked what it can once, however many runs there are: some take a second to
// say it.

#include <sys/stat.h>

#include <cstdio>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/agent_runs.h"

namespace tyer::testing {
namespace {

class AgentFeatures : public AgentRunTest {
 protected:
  AgentFeatures() {
    environment["PATH"] = dir.path() + ":/usr/bin:/bin";
    install("2.1.325");
  }

  // In the place of claude: it writes down how it is called, and answers as claude does.
  void install(const std::string& version) const {
    const std::string asked = dir / "asked";
    write_file("claude.new", fmt::format(R"(#!/bin/sh
case $1 in
  --version) echo version >>{0}; echo '{1} (Claude Code)' ;;
  --help) echo help >>{0}; echo '--append-system-prompt' ;;
  *) cat >/dev/null; echo run >>{0}; cat {2} ;;
esac
)",
                                         asked, version, dir / "said.jsonl"));
    write_file("said.jsonl",
               R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,)"
               R"("result":"hello","session_id":"00000001-0000-4000-8000-000000000001"})"
               "\n");
    ::chmod((dir / "claude.new").c_str(), 0755);
    std::rename((dir / "claude.new").c_str(), (dir / "claude").c_str());
  }

  [[nodiscard]] ProgramResult ask_claude() const {
    return tyer({"agent", "run", "--backend", "claude", "--prompt", "hello"});
  }
  [[nodiscard]] std::string asked() const { return read_file(dir / "asked"); }
};

TEST_F(AgentFeatures, AreAskedForBeforeTheFirstRunOfAProgramOnly) {
  for (int i = 0; i < 3; ++i) {
    const ProgramResult result = ask_claude();
    EXPECT_EQ(result.code, 0) << result.err;
  }
  EXPECT_EQ(asked(), "version\nhelp\nrun\nrun\nrun\n");
}

TEST_F(AgentFeatures, AreAskedForAgainOnceAnotherProgramIsInItsPlace) {
  EXPECT_EQ(ask_claude().code, 0);
  install("2.1.326");
  EXPECT_EQ(ask_claude().code, 0);
  EXPECT_EQ(asked(), "version\nhelp\nrun\nversion\nhelp\nrun\n");
}

}  // namespace
}  // namespace tyer::testing
