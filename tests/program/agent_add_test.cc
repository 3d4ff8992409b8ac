// tyer agent add and set: what an agent needs is there.

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/hub_commands.h"

namespace tyer::testing {
namespace {

class AgentAdd : public HubCommands, public ::testing::WithParamInterface<const char*> {
 protected:
  AgentAdd() {
    if (std::string(GetParam()) == "hub") start_hub({"--open-loopback"});
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, AgentAdd, ::testing::Values("store", "hub"),
                         [](const auto& way) { return std::string(way.param); });

// Every run of it would fail.
TEST_P(AgentAdd, RefusesADirectoryOrProgramThatIsNotThere) {
  ASSERT_EQ(tyer("agent add there --type command --dir . -- cat").code, 0);
  for (const std::string verb : {"add bot", "set there"}) {
    const ProgramResult directory = tyer("agent " + verb + " --type command --dir nowhere");
    EXPECT_EQ(directory.code, 2);
    EXPECT_EQ(directory.err, fmt::format("tyer: there is no directory {}\n  hint: --force takes it "
                                         "all the same, if its worker is on another machine\n",
                                         dir / "nowhere"));
    const ProgramResult program = tyer("agent " + verb + " --type command -- no-such-program");
    EXPECT_EQ(program.code, 2);
    EXPECT_TRUE(program.err.contains("no-such-program")) << program.err;
  }
  EXPECT_EQ(tyer("agent add bot --type command --dir nowhere --force -- ./missing").code, 0);
}

// Its worker may be elsewhere, and the program may come later.
TEST_P(AgentAdd, SaysThatTheProgramOfItsTypeIsNotHere) {
  environment["PATH"] = "/nowhere";
  const char* const missing = "tyer: there is no program '{}' on this machine";

  const ProgramResult added = tyer("agent add bot");
  EXPECT_EQ(added.code, 0);
  EXPECT_TRUE(added.err.contains(fmt::format(fmt::runtime(missing), "claude"))) << added.err;
  const ProgramResult set = tyer("agent set bot --type codex");
  EXPECT_EQ(set.code, 0);
  EXPECT_TRUE(set.err.contains(fmt::format(fmt::runtime(missing), "codex"))) << set.err;

  EXPECT_FALSE(tyer("agent set bot --model opus").err.contains("no program"));
  EXPECT_FALSE(tyer("agent add demo --type demo").err.contains("no program"));
  EXPECT_FALSE(tyer("agent add elsewhere --force").err.contains("no program"));
}

// Where the workers of a hub elsewhere are, nobody can look from here.
TEST_P(AgentAdd, SaysThatItCannotSeeWhatIsOnAnotherMachine) {
  const ProgramResult result = tyer("agent add bot --dir nowhere --url http://hub.invalid");

  EXPECT_TRUE(
      result.err.starts_with("tyer: its directory and program are looked for where its "
                             "worker runs; whether they are there cannot be seen from "
                             "here\n"))
      << result.err;
}

}  // namespace
}  // namespace tyer::testing
