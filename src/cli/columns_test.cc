#include "cli/columns.h"

#include <gtest/gtest.h>

namespace tyer::cli {
namespace {

TEST(Columns, CountWhatATerminalShows) {
  EXPECT_EQ(display_width("lock/a"), 6U);
  EXPECT_EQ(display_width("리팩토링"), 8U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("🚂"), 2U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(Columns, AreCutBetweenCharacters) {
  EXPECT_EQ(clip("abcdef", 6), "abcdef");
  EXPECT_EQ(clip("abcdef", 4), "abc…");
  EXPECT_EQ(clip("리팩토링", 4), "리…");
  EXPECT_EQ(clip("리팩토링", 1), "…");
  EXPECT_EQ(clip("abc", 0), "");
}

TEST(Columns, AlignWithoutTrailingSpaces) {
  EXPECT_EQ(table({{"a", "b"}, {"리", "c"}, {"long", ""}}), "a     b\n리    c\nlong\n");
  EXPECT_EQ(table({{"a"}}, "  "), "  a\n");
  EXPECT_EQ(pad_left("7", 3), "  7");
  EXPECT_EQ(pad_right("리", 3), "리 ");
}

TEST(Columns, CountInSingularAndPlural) {
  EXPECT_EQ(count(0, "event"), "0 events");
  EXPECT_EQ(count(1, "event"), "1 event");
  EXPECT_EQ(count(999, "event"), "999 events");
  EXPECT_EQ(count(1'234'567, "event"), "1,234,567 events");
}

TEST(Columns, ListAlternatives) {
  EXPECT_EQ(alternatives("one"), "one");
  EXPECT_EQ(alternatives("a|b"), "a or b");
  EXPECT_EQ(alternatives("a|b|c"), "a, b or c");
}

TEST(Columns, WrapAtSpaces) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("unbreakable x", 4), (std::vector<std::string>{"unbreakable", "x"}));
}

}  // namespace
}  // namespace tyer::cli
