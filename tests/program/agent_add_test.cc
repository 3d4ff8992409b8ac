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
