#include <csignal>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/time.h"
#include "support/demo.h"

namespace tyer::testing {
namespace {

class LogCommand : public ProgramTest {
 protected:
  LogCommand() { make_store(); }

  // The numbers of the events that a call shows.
  [[nodiscard]] std::vector<int> shown(const std::string& options) const {
    const ProgramResult result = tyer("log --json " + options);
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<int> numbers;
    for (const std::string& line : split_lines(result.out))
      numbers.push_back(parse_json(line).value_or(Json())["seq"]);
    return numbers;
  }
};

TEST_F(LogCommand, ShowsEveryEventInAlignedColumns) {
  const ProgramResult result = tyer("log");

  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 6U) << result.out;
  EXPECT_TRUE(lines[0].starts_with("1  20")) << lines[0];
  EXPECT_TRUE(
      lines[0].contains("Z  run/1           1  run.created     tester  {\"argv\":[\"make\"]}"))
      << lines[0];
  EXPECT_TRUE(lines[2].contains("lock/TSK-01-01  -  lease.granted   tester  {")) << lines[2];
  EXPECT_TRUE(lines[5].contains("lock/리팩토링   -  lease.released  tester  {")) << lines[5];
  EXPECT_TRUE(is_trimmed(result.out));
  EXPECT_FALSE(result.out.contains('\x1b')) << "colour outside of a terminal";
}

TEST_F(LogCommand, NeverShowsWhatAKindHides) {
  EXPECT_FALSE(tyer("log").out.contains("hunter2"));
  EXPECT_FALSE(tyer("log --json").out.contains("hunter2"));
  EXPECT_FALSE(tyer("log --json").out.contains("API_KEY"));
}

TEST_F(LogCommand, PrintsOneJsonObjectPerLine) {
  const Json first = parse_json(split_lines(tyer("log --json").out).front()).value_or(Json());

  EXPECT_EQ(first["seq"], 1);
  EXPECT_EQ(first["key"], "run/1");
  EXPECT_EQ(first["rev"], 1);
  EXPECT_EQ(first["type"], "run.created");
  EXPECT_EQ(first["actor"], "tester");
  EXPECT_EQ(first["body"], Json({{"argv", {"make"}}}));
  EXPECT_TRUE(parse_time(first["at"].get<std::string>()));
}

TEST_F(LogCommand, ShowsAKeyAndWhatIsBelowIt) {
  EXPECT_EQ(shown("run/1"), (std::vector{1, 2, 4}));
  EXPECT_EQ(shown("lock/TSK-01-01"), (std::vector{3}));
  EXPECT_EQ(shown("lock"), (std::vector{3, 5, 6}));
  EXPECT_EQ(shown("lock/TSK"), (std::vector<int>{}));
}

TEST_F(LogCommand, StartsAfterANumberOrAtATime) {
  EXPECT_EQ(shown("--since 4"), (std::vector{5, 6}));
  EXPECT_EQ(shown("--since 0"), (std::vector{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shown("--since 99"), (std::vector<int>{}));
  EXPECT_EQ(shown("--since 2001-01-01T00:00:00Z").size(), 6U);
  EXPECT_EQ(shown("--since 2999-01-01T00:00:00Z").size(), 0U);
  EXPECT_EQ(shown("--since 1h").size(), 6U);

  const Json fifth = parse_json(split_lines(tyer("log --json").out)[4]).value_or(Json());
  EXPECT_EQ(shown("--since " + fifth["at"].get<std::string>()).back(), 6);
  EXPECT_GE(shown("--since " + fifth["at"].get<std::string>()).size(), 2U);

  EXPECT_EQ(tyer("log --since yesterday").code, 2);
}

TEST_F(LogCommand, ShowsOnlyTheNewest) {
  EXPECT_EQ(shown("--limit 2"), (std::vector{5, 6}));
  EXPECT_EQ(shown("--limit 0"), (std::vector<int>{}));
  EXPECT_EQ(shown("--limit 100").size(), 6U);
  EXPECT_EQ(shown("run/1 --limit 2"), (std::vector{2, 4}));
  EXPECT_EQ(shown("run/1 --limit 2 --since 2"), (std::vector{4}));
}

TEST_F(LogCommand, IsColouredOnlyWhenAsked) {
  EXPECT_TRUE(tyer("log --color always").out.contains("\x1b["));
  EXPECT_FALSE(tyer("log --color never").out.contains("\x1b["));
  EXPECT_FALSE(tyer("log --color always --json").out.contains("\x1b["));
}

TEST_F(LogCommand, MakesNothingWhereThereIsNoStore) {
  ProgramCall elsewhere = call({"log"});
  elsewhere.directory = home.path();

  const ProgramResult result = run_program(elsewhere);

  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.err.contains("there is no store here or above (" + home.path() + ")"));
  EXPECT_TRUE(result.err.contains("\n  hint: ")) << result.err;
  EXPECT_EQ(tyer("log --store sqlite:none.db").code, 1);
  EXPECT_FALSE(has_file("none.db"));
}

TEST_F(LogCommand, FollowsWhatOthersWriteUntilItIsTold) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Program follower(call({"log", "--follow", "--json"}));
    ASSERT_TRUE(follower.wait_for("\"seq\":6,"));

    const std::string name = signal == SIGTERM ? "7" : "8";
    add_run(store_url(), name);
    EXPECT_TRUE(follower.wait_for("\"key\":\"run/" + name + "\""));
    follower.signal(signal);
    const ProgramResult result = follower.finish();

    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(LogCommand, FollowsOneKeyOnly) {
  Program follower(call({"log", "run/9", "--follow", "--json", "--since", "0"}));
  add_run(store_url(), "8");
  add_run(store_url(), "9");

  ASSERT_TRUE(follower.wait_for("\"key\":\"run/9\""));
  follower.signal(SIGTERM);
  const ProgramResult result = follower.finish();

  EXPECT_EQ(split_lines(result.out).size(), 1U) << result.out;
}

TEST_F(LogCommand, EndsWhenItsReaderIsGone) {
  Program follower(call({"log", "--follow"}));
  ASSERT_TRUE(follower.wait_for("lease.released"));

  follower.close_output();
  const ProgramResult result = follower.finish();

  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(LogCommand, WorksOnPlainFiles) {
  fill_demo("files:" + (dir / "plain"));

  EXPECT_EQ(shown("--store files:plain run/1"), (std::vector{1, 2, 4}));
}

}  // namespace
}  // namespace tyer::testing
