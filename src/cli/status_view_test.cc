#include "cli/status_view.h"

#include <gtest/gtest.h>

#include "cli/columns.h"

namespace tyer::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(StatusLines, SayWhatEachSessionWorksOn) {
  const Lines lines = status_lines({{.session = "bot/default", .state = "idle", .last = "done"},
                                    {.session = "bot/리팩토링",
                                     .state = "running",
                                     .item = "add an index, too",
                                     .last = "failed: no"}},
                                   80, 24);
  EXPECT_EQ(lines, (Lines{"session       state    working on         last result",
                          "bot/default   idle                        done",
                          "bot/리팩토링  running  add an index, too  failed: no"}));
}

TEST(StatusLines, SayWhatIsWaitedForWhenItLeaves) {
  EXPECT_EQ(leaving_words(0, 5min), "Leaving.");
  EXPECT_EQ(leaving_words(1, 5min),
            "Leaving: 1 run finishes first, at most 5m. Ctrl+C again ends it now.");
  EXPECT_EQ(leaving_words(2, 90s),
            "Leaving: 2 runs finish first, at most 1m30s. Ctrl+C again ends them now.");
}

TEST(StatusLines, AreAsWideAsTheTerminalAndNoWider) {
  const work::Row row{.session = std::string(100, 's'),
                      .state = "no budget left",
                      .item = std::string(300, 'i') + "\x1b[2J",
                      .last = "failed: " + std::string(300, 'l')};
  for (const std::size_t width : {1U, 10U, 40U, 79U, 200U}) {
    const Lines lines = status_lines({row}, width, 24);
    ASSERT_EQ(lines.size(), 2U);
    for (const std::string& line : lines) EXPECT_LE(display_width(line), width) << line;
    if (width >= 40) {
      EXPECT_EQ(display_width(lines[1]), width) << lines[1];
    }
  }
}

TEST(StatusLines, LeaveWhatIsShortItsRoom) {
  const Lines lines = status_lines(
      {{.session = "a/b", .state = "running", .item = std::string(60, 'i'), .last = "done"}}, 79,
      24);
  EXPECT_TRUE(lines[1].ends_with("  " + std::string(47, 'i') + "…  done")) << lines[1];
}

TEST(StatusLines, ShowThoseThatDoSomethingIfThereAreTooMany) {
  std::vector<work::Row> rows;
  for (int i = 0; i < 25; ++i) {
    rows.push_back({.session = "bot/" + std::to_string(i), .state = i < 20 ? "idle" : "running"});
  }
  const Lines lines = status_lines(rows, 80, 10);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_TRUE(lines[1].starts_with("bot/20")) << lines[1];
  EXPECT_TRUE(lines[6].starts_with("bot/0 ")) << lines[6];
  EXPECT_EQ(lines.back(), "and 17 more");
  EXPECT_EQ(status_lines(rows, 80, 26).size(), 26U);
}

}  // namespace
}  // namespace tyer::cli
