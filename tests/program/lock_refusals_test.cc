// What the lock commands do not take: names, processes, durations and texts that are
// none.

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program/lock_commands.h"

namespace tyer::testing {
namespace {

TEST_P(LockCommands, AcquireRefusesAProcessThatIsNotThere) {
  Program dead(idle());
  const std::string pid = std::to_string(dead.pid());
  dead.signal(SIGKILL);
  (void)dead.finish();

  EXPECT_EQ(tyer("lock acquire K --pid " + pid).code, 1);
  for (const char* const wrong : {"0", "-1", "x", "1.5"}) {
    EXPECT_EQ(tyer({"lock", "acquire", "K", "--pid", wrong}).code, 2) << wrong;
  }
  EXPECT_NE(tyer("lock acquire K --pid 4294967297").code, 0) << "not cut to 1";
  EXPECT_NE(tyer("lock acquire K --pid 18446744073709551615").code, 0) << "not cut to -1";
}

// L11
TEST_P(LockCommands, RefuseASilenceThatIsLessThanTwoHeartbeats) {
  environment["TYER_LEASE_HEARTBEAT"] = "10s";
  environment["TYER_LEASE_SILENCE"] = "19s";

  const ProgramResult result = tyer("lock acquire K");

  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.err.contains("silence must be at least twice the heartbeat")) << result.err;
  EXPECT_EQ(tyer("run K -- true").code, 2);
}

// L2: any UTF-8 name up to 200 bytes.
TEST_P(LockCommands, RefuseNamesThatAreNone) {
  const std::string longest(200, 'x');
  const std::vector<std::string> wrong{"",    longest + "x", "a\nb", "a\x1b[0m", "../x",
                                       "a/.", "/x",          "x/",   "\xff\xfe", "a\x7f"};
  for (const std::string& name : wrong) {
    for (const std::string verb : {"acquire", "release", "renew", "check", "break", "run"}) {
      std::vector<std::string> words{"lock", verb, name};
      if (verb == "run") words = {"run", name};
      if (verb == "release" || verb == "renew") words.insert(words.end(), {"--session", "s"});
      if (verb == "run") words.insert(words.end(), {"--", "true"});
      const ProgramResult result = tyer(words);
      EXPECT_EQ(result.code, 2) << verb << " '" << name << "'";
      EXPECT_EQ(split_lines(result.err).size(), 1U) << result.err;
      EXPECT_TRUE(result.err.starts_with("tyer: ")) << result.err;
      EXPECT_FALSE(result.err.contains('\x1b') || result.err.contains('\xff')) << result.err;
    }
  }
  EXPECT_EQ(acquire(longest).key, longest);
}

TEST_P(LockCommands, RefuseDurationsThatAreNone) {
  const std::vector<std::vector<std::string>> wrong{
      {"lock", "acquire", "K", "--wait", "-5s"},
      {"lock", "acquire", "K", "--wait=-5s"},
      {"lock", "acquire", "K", "--timeout", "abc"},
      {"lock", "acquire", "K", "--timeout", ""},
      {"lock", "acquire", "K", "--timeout", "5"},
      {"lock", "acquire", "K", "--timeout", "999999d"},
      {"run", "K", "--max", "0s", "--", "true"},
      {"run", "K", "--ttl", "999999d", "--", "true"},
      {"run", "K", "--ttl", "1us", "--", "true"},
      {"run", "K", "--wait", "9e99s", "--", "true"},
      {"run", "K", "--max=-1h", "--", "true"}};
  for (const auto& words : wrong) {
    const ProgramResult result = tyer(words);
    EXPECT_EQ(result.code, 2) << words[2] << " " << words[3];
    EXPECT_TRUE(result.err.contains("--")) << result.err;
  }
  EXPECT_EQ(has_file("store"), has_hub()) << "nothing was made, unless by the hub";
}

TEST_P(LockCommands, RefuseTextThatCouldSpoilATerminalOrARecord) {
  for (const std::string option : {"--command", "--owner", "--session"}) {
    EXPECT_EQ(tyer({"lock", "acquire", "K", option, "a\x1b[2J"}).code, 2) << option;
    EXPECT_EQ(tyer({"lock", "acquire", "K", option, "\xff"}).code, 2) << option;
    EXPECT_EQ(tyer({"lock", "acquire", "K", option, std::string(2'000, 'x')}).code, 2) << option;
  }
}

// L13: an outage is not an answer.
TEST_P(LockCommands, SayThatTheStoreIsOutOfReachAndNotThatTheLockIsHeld) {
  environment["TYER_STORE"] = "postgres://me@127.0.0.1:1/none?connect_timeout=2";
  if (has_hub()) environment["TYER_URL"] = "http://127.0.0.1:1";
  EXPECT_EQ(tyer("lock acquire K").code, 3);
  EXPECT_EQ(tyer("lock check K").code, 3);
}

}  // namespace
}  // namespace tyer::testing
