#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"

namespace tyer::testing {
namespace {

class Config : public ProgramTest {
 protected:
  // The row of one setting in `config show`.
  [[nodiscard]] Json setting(const std::string& name, const std::string& options = "") const {
    const ProgramResult result = tyer("config show --json " + options);
    EXPECT_EQ(result.code, 0) << result.err;
    if (result.code != 0) return {};
    const Json shown = parse_json(result.out).value_or(Json());
    for (const Json& row : shown["settings"]) {
      if (row["name"] == name) return row;
    }
    ADD_FAILURE() << "no setting " << name;
    return {};
  }

  const std::string project = dir / ".tyer/config.toml";
  const std::string user = home / ".config/tyer/config.toml";
};

TEST_F(Config, ComesFromDefaultsThenUserThenProjectThenEnvironmentThenFlags) {
  EXPECT_EQ(setting("durability"),
            Json({{"name", "durability"}, {"value", "full"}, {"from", "default"}}));

  write_file(user, "space = 'x'\ndurability = 'normal'\n");
  EXPECT_EQ(setting("durability")["from"], user + ":2");
  EXPECT_EQ(setting("durability")["value"], "normal");

  write_file(project, "\n\ndurability = 'full'");
  EXPECT_EQ(setting("durability")["from"], project + ":3");
  EXPECT_EQ(setting("space")["from"], user + ":1");

  environment["TYER_DURABILITY"] = "normal";
  EXPECT_EQ(setting("durability")["from"], "TYER_DURABILITY");

  EXPECT_EQ(setting("durability", "--durability full")["from"], "--durability");
  EXPECT_EQ(setting("durability", "--durability full")["value"], "full");
}

TEST_F(Config, TheUsersFileIsWhereXdgSays) {
  environment["XDG_CONFIG_HOME"] = dir / "elsewhere";
  write_file("elsewhere/tyer/config.toml", "space = 'xdg'");

  EXPECT_EQ(setting("space")["value"], "xdg");
}

TEST_F(Config, AnEmptyVariableIsNoValue) {
  environment["TYER_SPACE"] = "";

  EXPECT_EQ(setting("space")["from"], "default");
}

TEST_F(Config, ANamedFileIsTheOnlyOneRead) {
  write_file(user, "space = 'user'");
  write_file("other.toml", "durability = 'normal'");

  EXPECT_EQ(setting("space", "--config other.toml")["value"], "main");
  EXPECT_EQ(setting("durability", "--config other.toml")["from"], (dir / "other.toml") + ":1");
}

TEST_F(Config, TheStoreIsFoundUpward) {
  write_file(".tyer/config.toml", "");
  write_file("deep/down/file", "");
  ProgramCall below = call({"config", "show", "--json"});
  below.directory = dir / "deep/down";

  const ProgramResult result = run_program(below);

  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(parse_json(result.out).value_or(Json())["settings"][0]["value"],
            "sqlite:" + (dir / ".tyer/tyer.db"));
}

TEST_F(Config, ARelativePathIsRelativeToTheFileItStandsIn) {
  write_file(project, "store = 'sqlite:other.db'");
  EXPECT_EQ(setting("store")["value"], "sqlite:" + (dir / ".tyer/other.db"));

  environment["TYER_STORE"] = "files:plain";
  EXPECT_EQ(setting("store")["value"], "files:" + (dir / "plain"));
}

TEST_F(Config, PasswordsAreMasked) {
  environment["TYER_STORE"] = "postgres://me:hunter2@host/db?sslpassword=hunter2&x=1";

  EXPECT_EQ(setting("store")["value"], "postgres://me:***@host/db?sslpassword=***&x=1");
  EXPECT_FALSE(tyer("config show").out.contains("hunter2"));
}

TEST_F(Config, HoldLimitsOfCommandsAreAddedAndReplaced) {
  write_file(project, "[lease.hold_by_command]\n'/wf:build' = '2h'\n'make test' = '10m'\n");

  EXPECT_EQ(setting("lease.hold_by_command./wf:build")["value"], "2h");
  EXPECT_EQ(setting("lease.hold_by_command.make test")["from"], project + ":3");
  EXPECT_EQ(setting("lease.hold_by_command./wf:review")["value"], "20m");
}

TEST_F(Config, ShowsAnAlignedTable) {
  const ProgramResult result = tyer("config show");

  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with("SETTING ")) << result.out;
  EXPECT_TRUE(is_trimmed(result.out));
  const auto lines = split_lines(result.out);
  for (const std::string& line : lines) EXPECT_EQ(line[lines[0].find("VALUE") - 1], ' ') << line;
}

struct Wrong {
  std::string file;
  std::string says;
};

TEST_F(Config, WhatIsWrongIsNamedWithItsFileAndLine) {
  const std::vector<Wrong> wrongs{
      {"durabilty = 'full'", ":1: there is no setting 'durabilty'; did you mean 'durability'?"},
      {"\n[lease]\nheartbeats = '1m'",
       ":3: there is no setting 'lease.heartbeats'; did you mean "
       "'lease.heartbeat'?"},
      {"durability = 'half'", ":1: durability is 'half', but must be full or normal"},
      {"space = 'a b'", ":1: space is 'a b', but must be"},
      {"store = 'mysql:x'", ":1: 'mysql:x' is not a store"},
      {"[lease]\nhold = '5'", ":2: lease.hold '5' is not a duration: its unit is missing"},
      {"[lease]\nhold = 5", ":2: lease.hold must be a text in quotes"},
      {"[lease]\nhold = '0s'", ":2: lease.hold must be longer than nothing"},
      {"[lease]\nhold = '9999d'", ":2: lease.hold must be at most 366 d"},
      {"[lease.hold_by_command]\nx = 'soon'",
       ":2: lease.hold_by_command.x 'soon' is not a duration"},
      {"[lease]\nsilence = '90s'", "silence must be at least twice the heartbeat"},
      {"[leases]", ":1: there is no setting 'leases'"},
      {"a = 'x'\na = 'y'", ":2: "},
      {"not toml at all", ":1: "},
  };
  for (const Wrong& wrong : wrongs) {
    write_file(project, wrong.file);
    const ProgramResult result = tyer("config show");

    EXPECT_EQ(result.code, 2) << wrong.file;
    EXPECT_TRUE(result.err.contains(wrong.says)) << result.err;
    EXPECT_TRUE(result.err.contains(project)) << result.err;
    EXPECT_EQ(split_lines(result.err).size(), 1U) << result.err;
  }
}

TEST_F(Config, AWrongVariableIsNamed) {
  environment["TYER_LEASE_HEARTBEAT"] = "often";

  const ProgramResult result = tyer("config show");

  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.err.contains("TYER_LEASE_HEARTBEAT: lease.heartbeat 'often' is not"))
      << result.err;
}

TEST_F(Config, AFileBeyondItsLimitIsRefused) {
  write_file(project, std::string(100'000, '#'));

  EXPECT_EQ(tyer("config show").code, 5);
}

TEST_F(Config, OldHomesWithoutAHomeWork) {
  environment.erase("HOME");

  EXPECT_EQ(tyer("config show").code, 0);
}

}  // namespace
}  // namespace tyer::testing
