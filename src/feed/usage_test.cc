#include "feed/usage.h"

#include <gtest/gtest.h>

namespace tyer::feed {
namespace {

constexpr Time noon = from_micros(1'700'049'600'000'000);
constexpr std::uint64_t large = 50 << 20;

TEST(Usage, CountsFilesUpToWhatMayBeSentInADay) {
  Usage usage;
  std::int64_t sent = 0;
  for (; sent + static_cast<std::int64_t>(large) <= limits::upload_bytes_of_day_max;
       sent += large) {
    ASSERT_TRUE(add_file(usage, large, noon));
  }
  const auto refused = add_file(usage, large, noon);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::limit);
  EXPECT_TRUE(refused.error().what.contains("go on tomorrow")) << refused.error().what;
  EXPECT_EQ(usage.bytes, sent) << "what is refused does not count";

  remove_file(usage, large);
  EXPECT_FALSE(add_file(usage, large, noon)) << "it was sent all the same";
  EXPECT_TRUE(add_file(usage, large, noon + 24h));
}

TEST(Usage, HasABoundForAllDays) {
  Usage usage;
  Time now = noon;
  while (usage.bytes + static_cast<std::int64_t>(large) <= limits::upload_bytes_of_agent_max) {
    now += 24h;
    ASSERT_TRUE(add_file(usage, large, now));
  }
  const auto refused = add_file(usage, large, now + 24h);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().what.contains("DELETE /api/uploads/ID")) << refused.error().what;
  remove_file(usage, large);
  EXPECT_TRUE(add_file(usage, large, now + 24h));
}

TEST(Usage, HasABoundForTheNumberOfFiles) {
  Usage usage{.files = limits::uploads_of_agent_max};
  EXPECT_FALSE(add_file(usage, 1, noon));
  remove_file(usage, 1);
  EXPECT_TRUE(add_file(usage, 1, noon));
}

TEST(Usage, OfFilesThatWereNeverCountedIsNotNegative) {
  Usage usage;
  remove_file(usage, large);
  EXPECT_EQ(usage.files, 0);
  EXPECT_EQ(usage.bytes, 0);
}

TEST(Usage, OfMentionsIsThatOfTheWindow) {
  limits::FeedRules rules;
  rules.author_mentions_max = 2;
  Usage usage{.mentions = {to_micros(noon), to_micros(noon + 1min)}};
  EXPECT_FALSE(may_mention(usage, rules, noon + 2min));
  EXPECT_TRUE(may_mention(usage, rules, noon + rules.bot_window));
  EXPECT_EQ(usage.mentions.size(), 1U);
}

}  // namespace
}  // namespace tyer::feed
