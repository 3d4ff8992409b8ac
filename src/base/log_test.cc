#include "base/log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"

namespace tyer {
namespace {

struct Said {
  std::vector<std::string> lines;

  Log log(Log::Form form, Level least = Level::debug) {
    return {form, least, [] { return from_micros(1'500'000); },
            [this](std::string_view line) { lines.emplace_back(line); }};
  }
};

TEST(Log, SaysOneLineForPeople) {
  Said said;

  said.log(Log::Form::text).info("lease granted", {{"key", "lock/a"}, {"token", "7"}});

  EXPECT_EQ(said.lines, std::vector<std::string>{
                            "1970-01-01T00:00:01.500000Z info lease granted key=lock/a token=7"});
}

TEST(Log, SaysOneObjectForMachines) {
  Said said;

  said.log(Log::Form::json)
      .warn("lease lapsed", {{"key", "lock/리팩토링"}, {"why", "no\nprocess"}});

  ASSERT_EQ(said.lines.size(), 1U);
  EXPECT_EQ(*parse_json_object(said.lines[0]), (Json{{"at", "1970-01-01T00:00:01.500000Z"},
                                                     {"level", "warn"},
                                                     {"what", "lease lapsed"},
                                                     {"key", "lock/리팩토링"},
                                                     {"why", "no\nprocess"}}));
  EXPECT_FALSE(said.lines[0].contains('\n'));
}

// P11: secrets are masked; P14: what agents write cannot forge a line or paint the terminal.
TEST(Log, MasksWhatIsNamedASecret) {
  for (const char* name :
       {"password", "secret", "key_secret", "authorization", "Authorization", "db_password",
        "client_secret", "api_key", "X-Api-Key", "Set-Cookie", "passphrase"}) {
    for (const Log::Form form : {Log::Form::text, Log::Form::json}) {
      Said said;
      said.log(form).info("login", {{name, "hunter2"}});
      ASSERT_EQ(said.lines.size(), 1U);
      EXPECT_FALSE(said.lines[0].contains("hunter2")) << said.lines[0];
      EXPECT_TRUE(said.lines[0].contains("***")) << said.lines[0];
    }
  }
}

TEST(Log, ShowsKeysAndTokensOfLeases) {
  Said said;

  said.log(Log::Form::text).info("renewed", {{"key", "lock/a"}, {"token", "12"}, {"session", "s"}});

  EXPECT_TRUE(said.lines.at(0).ends_with("key=lock/a token=12 session=s"));
}

TEST(Log, KeepsHostileTextOnItsLine) {
  const std::string hostile = "x\n1970-01-01T00:00:02Z error forged\x1b[2J\xFF";
  for (const Log::Form form : {Log::Form::text, Log::Form::json}) {
    Said said;
    said.log(form).error(hostile, {{"value", hostile}});
    ASSERT_EQ(said.lines.size(), 1U);
    EXPECT_FALSE(said.lines[0].contains('\n'));
    EXPECT_FALSE(said.lines[0].contains('\x1b'));
    EXPECT_FALSE(said.lines[0].contains('\xFF'));
  }
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const std::vector<Level> levels{Level::debug, Level::info, Level::warn, Level::error};
  for (std::size_t least = 0; least < levels.size(); ++least) {
    Said said;
    const Log log = said.log(Log::Form::text, levels[least]);
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
    EXPECT_EQ(said.lines.size(), levels.size() - least);
    EXPECT_TRUE(said.lines.back().ends_with(" error e"));
  }
}

TEST(Log, SaysNothingWithoutASink) {
  const Log silent;

  silent.error("nobody hears this", {{"a", "b"}});

  SUCCEED();
}

}  // namespace
}  // namespace tyer
