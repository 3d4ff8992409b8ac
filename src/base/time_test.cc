#include "base/time.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tyer {
namespace {

constexpr Time at(int year, unsigned month, unsigned day, Span clock = {}) {
  return Time{std::chrono::sys_days{std::chrono::year(year) / std::chrono::month(month) /
                                    std::chrono::day(day)}} +
         clock;
}

constexpr std::int64_t year_9999_micros = 253'402'300'799'999'999;

TEST(Time, IsReadFromIso8601) {
  struct Row {
    std::string_view text;
    Time time;
  };
  const std::vector<Row> rows{
      {"1970-01-01T00:00:00Z", from_micros(0)},
      {"2026-01-02T03:04:05Z", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2026-01-02t03:04:05z", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2026-01-02 03:04:05Z", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2025-12-15T10:30:00.000Z", at(2025, 12, 15, 10h + 30min)},
      {"2026-01-02T03:04:05.1Z", at(2026, 1, 2, 3h + 4min + 5s + 100ms)},
      {"2026-01-02T03:04:05.123456Z", at(2026, 1, 2, 3h + 4min + 5s + 123456us)},
      {"2026-01-02T03:04:05.123456789Z", at(2026, 1, 2, 3h + 4min + 5s + 123456us)},
      {"2026-01-02T03:04:05.000000999Z", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2026-01-02T12:04:05+09:00", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2026-01-02T12:04:05+0900", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2026-01-01T22:34:05-04:30", at(2026, 1, 2, 3h + 4min + 5s)},
      {"2026-01-01T00:30:00+01:00", at(2025, 12, 31, 23h + 30min)},
      {"2024-02-29T00:00:00Z", at(2024, 2, 29)},
      {"2000-02-29T00:00:00Z", at(2000, 2, 29)},
      {"1969-12-31T23:59:59.999999Z", from_micros(-1)},
      {"2016-12-31T23:59:60Z", at(2017, 1, 1)},  // A leap second is the next one.
      {"0000-01-01T00:00:00Z", at(0, 1, 1)},
      {"9999-12-31T23:59:59.999999Z", from_micros(year_9999_micros)},
  };

  for (const Row& row : rows) {
    const auto time = parse_time(row.text);
    ASSERT_TRUE(time) << row.text << ": " << time.error().what;
    EXPECT_EQ(*time, row.time) << row.text;
  }
}

TEST(Time, RefusesWhatIsNoTimeOrHasNoZone) {
  const std::vector<std::string> texts{
      "",
      "now",
      "2026-01-02",
      "2026-01-02T03:04:05",     // No zone: whose clock?
      "2026-01-02T03:04Z",       // No seconds.
      "2026-01-02T03:04:05.Z",   // A dot without digits.
      "2026-01-02T03:04:05,5Z",  // A comma.
      "2026-01-02T03:04:05.1234567890Z",
      "2026-01-02T03:04:05Z ",  // Something behind it.
      " 2026-01-02T03:04:05Z",
      "2026-01-02T03:04:05ZZ",
      "2026-01-02T03:04:05+",
      "2026-01-02T03:04:05+9",
      "2026-01-02T03:04:05+24:00",
      "2026-01-02T03:04:05+09:60",
      "2026-01-02T03:04:05+-9:00",
      "2026-00-02T03:04:05Z",
      "2026-13-02T03:04:05Z",
      "2026-01-00T03:04:05Z",
      "2026-01-32T03:04:05Z",
      "2026-04-31T03:04:05Z",
      "2026-02-29T00:00:00Z",  // 2026 is no leap year,
      "1900-02-29T00:00:00Z",  // nor was 1900.
      "2026-01-02T24:00:00Z",
      "2026-01-02T03:60:05Z",
      "2026-01-02T03:04:61Z",
      "26-01-02T03:04:05Z",
      "12026-01-02T03:04:05Z",
      "-026-01-02T03:04:05Z",
      "2026-1-2T03:04:05Z",
      "2026-01-02T03:04:0\x35\xFFZ",
      std::string("2026-01-02T03:04:05Z\0", 21),
      "1767323045",
  };

  for (const std::string& text : texts) {
    const auto time = parse_time(text);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().fault, Fault::invalid) << text;
  }
}

TEST(Time, QuotesAHostileTextOnlyInPart) {
  const auto time = parse_time("\x1b[2J" + std::string(100'000, 'x'));

  ASSERT_FALSE(time);
  EXPECT_LT(time.error().what.size(), 200U);
  EXPECT_FALSE(time.error().what.contains('\x1b'));
}

TEST(Time, IsWrittenWithThreeOrSixDigits) {
  const Time time = at(2026, 1, 2, 3h + 4min + 5s + 123456us);

  EXPECT_EQ(format_time(time), "2026-01-02T03:04:05.123456Z");
  EXPECT_EQ(format_time(time, 3), "2026-01-02T03:04:05.123Z");
  EXPECT_EQ(format_time(from_micros(0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_time(from_micros(-1)), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_time(from_micros(-1), 3), "1969-12-31T23:59:59.999Z");
}

TEST(Time, ReadsBackWhatItWrote) {
  std::mt19937_64 dice(5);
  const std::int64_t least = to_micros(at(0, 1, 1));

  for (int i = 0; i < 2000; ++i) {
    const auto reach = static_cast<std::uint64_t>(year_9999_micros - least);
    const Time time = from_micros(least + static_cast<std::int64_t>(dice() % reach));
    SCOPED_TRACE(to_micros(time));
    EXPECT_EQ(*parse_time(format_time(time)), time);
    EXPECT_EQ(*parse_time(format_time(time, 3)),
              std::chrono::floor<std::chrono::milliseconds>(time));
  }
}

TEST(Time, SortsAsText) {
  std::mt19937_64 dice(6);

  for (int i = 0; i < 500; ++i) {
    const Time a = from_micros(static_cast<std::int64_t>(dice() % year_9999_micros));
    const Time b = from_micros(static_cast<std::int64_t>(dice() % year_9999_micros));
    EXPECT_EQ(a < b, format_time(a) < format_time(b));
  }
}

TEST(Span, IsReadWithItsUnits) {
  struct Row {
    std::string_view text;
    Span span;
  };
  const std::vector<Row> rows{
      {"90s", 90s},
      {"5m", 5min},
      {"5min", 5min},
      {"1h30m", 90min},
      {"500ms", 500ms},
      {"2d", 48h},
      {"7us", 7us},
      {"0s", 0s},
      {"1m1s", 61s},
      {"007s", 7s},
      {"1s1ms1us", 1001001us},
      {"9223372036854775807us", Span::max()},
  };

  for (const Row& row : rows) {
    const auto span = parse_span(row.text);
    ASSERT_TRUE(span) << row.text << ": " << span.error().what;
    EXPECT_EQ(*span, row.span) << row.text;
  }
}

TEST(Span, RefusesWhatIsAGuessOrAbsurd) {
  struct Row {
    std::string text;
    std::string_view reason;
  };
  const std::vector<Row> rows{
      {"", "is not a duration"},
      {"s", "is not a duration"},
      {"abc", "is not a duration"},
      {"90", "its unit is missing"},
      {"1h30", "its unit is missing"},
      {"1.5h", "its unit is missing"},
      {"5 m", "its unit is missing"},
      {" 5m", "is not a duration"},
      {"5m ", "is not a duration"},
      {"5M", "its unit is missing"},
      {"5x", "is not a duration"},
      {"5mins", "is not a duration"},
      {"5w", "is not a duration"},
      {"+5m", "is not a duration"},
      {"0x5m", "is not a duration"},
      {"-5m", "it is negative"},
      {"-0s", "it is negative"},
      {"1h-30m", "it is negative"},
      {"-9223372036854775808us", "it is negative"},
      {"9223372036854775808us", "it is too long"},
      {"99999999999999999999999s", "it is too long"},
      {"106751992d", "it is too long"},
      {"106751991d106751991d", "it is too long"},
      {"9223372036854775807us1us", "it is too long"},
      {"5\xC2\xB5s", "its unit is missing"},
      {std::string("5s\0", 3), "is not a duration"},
  };

  for (const Row& row : rows) {
    const auto span = parse_span(row.text);
    ASSERT_FALSE(span) << row.text;
    EXPECT_EQ(span.error().fault, Fault::invalid) << row.text;
    EXPECT_TRUE(span.error().what.contains(row.reason)) << span.error().what;
  }
}

TEST(Span, IsWrittenInUnitsThatAPersonWouldUse) {
  EXPECT_EQ(format_span(0s), "0s");
  EXPECT_EQ(format_span(90min), "1h30m");
  EXPECT_EQ(format_span(1500ms), "1500ms");
  EXPECT_EQ(format_span(1000001us), "1000001us");
  EXPECT_EQ(format_span(60s), "1m");
  EXPECT_EQ(format_span(61s), "1m1s");
  EXPECT_EQ(format_span(48h), "2d");
  EXPECT_EQ(format_span(48h + 500ms), "2d500ms");
  EXPECT_EQ(format_span(-90min), "-1h30m");
}

TEST(Span, ReadsBackWhatItWrote) {
  std::mt19937_64 dice(7);

  for (int i = 0; i < 2000; ++i) {
    // Of every magnitude, round ones as well.
    const Span span(static_cast<std::int64_t>(dice() >> (1 + dice() % 63)));
    const Span seconds = std::chrono::floor<std::chrono::seconds>(span);
    SCOPED_TRACE(span.count());
    EXPECT_EQ(*parse_span(format_span(span)), span);
    EXPECT_EQ(*parse_span(format_span(seconds)), seconds);
  }
  EXPECT_EQ(*parse_span(format_span(Span::max())), Span::max());
}

TEST(Span, CanBeWrittenEvenIfItIsTheLeastOne) {
  EXPECT_EQ(format_span(Span::min()), "-106751991d4h54775808us");
}

TEST(Span, IsDescribedForPeople) {
  struct Row {
    Span span;
    std::string_view text;
  };
  const std::vector<Row> rows{
      {0s, "0 ms"},          {250ms, "250 ms"}, {999999us, "999 ms"},
      {12s, "12 s"},         {89s, "89 s"},     {90s, "1 min"},
      {4min + 10s, "4 min"}, {89min, "89 min"}, {3h + 5min, "3 h 5 min"},
      {47h, "47 h 0 min"},   {48h, "2 d"},      {24h * 366, "366 d"},
  };

  for (const Row& row : rows) EXPECT_EQ(describe_span(row.span), row.text);
}

TEST(Parsers, SurviveGarbage) {
  std::mt19937_64 dice(8);
  const std::string_view pieces = "0123456789:-+.TZ dhmsu\xFF";

  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::uint64_t length = dice() % 32; length > 0; --length)
      text += pieces[dice() % pieces.size()];
    SCOPED_TRACE(text);
    if (const auto time = parse_time(text)) {
      EXPECT_EQ(*parse_time(format_time(*time)), *time);
    }
    if (const auto span = parse_span(text)) {
      EXPECT_EQ(*parse_span(format_span(*span)), *span);
    }
  }
}

}  // namespace
}  // namespace tyer
