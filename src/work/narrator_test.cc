#include "work/narrator.h"

#include <charconv>
#include <latch>
#include <vector>

#include <gtest/gtest.h>

#include "work/limits.h"

namespace tyer::work {
namespace {

using Kind = backend::Note::Kind;

// How many bytes a told text stands for: its own, and those that it says are left out.
std::size_t bytes_of(std::string_view text) {
  constexpr std::string_view end = " bytes of what it said are left out here\n";
  const std::size_t at = text.find(end);
  if (!text.starts_with("! ") || at == std::string_view::npos) return text.size();
  std::size_t left_out = 0;
  std::from_chars(text.data() + 2, text.data() + at, left_out);
  return left_out + text.size() - at - end.size();
}

TEST(Narrator, SaysHowMuchOfALotItLeavesOut) {
  std::vector<std::string> told;
  std::latch has_begun(1);
  std::latch was_heard(1);
  std::latch is_told(2);
  std::size_t heard = 0;
  {
    Narrator narrator([&](const std::string& text) {
      told.push_back(text);
      if (told.size() == 1) {
        has_begun.count_down();
        was_heard.wait();
      }
      if (told.size() <= 2) is_told.count_down();
    });
    const auto say = [&](const std::string& text) {
      narrator.hear({.kind = Kind::text, .text = text});
      heard += text.size() + 1;
    };
    say("first");
    has_begun.wait();
    for (int i = 0; i < 3'000; ++i) say("말을 아주 많이 합니다 " + std::to_string(i));
    was_heard.count_down();
    is_told.wait();
  }
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], "first\n");
  EXPECT_EQ(bytes_of(told[0]) + bytes_of(told[1]), heard);
  EXPECT_LE(told[1].size(), limits::narrate_bytes + 100);
  EXPECT_TRUE(told[1].ends_with("2999\n")) << told[1].substr(told[1].size() - 50);
}

}  // namespace
}  // namespace tyer::work
