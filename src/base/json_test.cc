#include "base/json.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tyer {
namespace {

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

// A value as another tool could have written it, at most `depth` deep.
Json draw(std::mt19937_64& dice, int depth) {
  switch (dice() % (depth > 0 ? 8 : 6)) {
    case 0: return nullptr;
    case 1: return dice() % 2 == 0;
    case 2: return static_cast<std::int64_t>(dice());
    case 3: return dice();
    case 4: return static_cast<double>(static_cast<std::int64_t>(dice())) / 1e5;
    case 5:
      return std::vector<std::string>{"", "a", "\"\\/\n\t", "리팩토링",
                                      "\xF0\x9F\x9A\x82"}[dice() % 5];
    case 6: {
      Json array = Json::array();
      for (std::uint64_t n = dice() % 4; n > 0; --n) array.push_back(draw(dice, depth - 1));
      return array;
    }
    default: {
      Json object = Json::object();
      for (std::uint64_t n = dice() % 4; n > 0; --n) {
        object[std::string(1, static_cast<char>('a' + dice() % 5))] = draw(dice, depth - 1);
      }
      return object;
    }
  }
}

TEST(Json, ReadsEveryKindOfValue) {
  const auto json = parse_json(R"( {"n":null,"b":true,"i":-3,"u":18446744073709551615,
      "f":1.5e3,"s":"\u00e9\ud83d\ude82\u0000","a":[1,[]],"o":{"":0}} )");

  ASSERT_TRUE(json) << json.error().what;
  EXPECT_TRUE((*json)["n"].is_null());
  EXPECT_EQ((*json)["b"], true);
  EXPECT_EQ((*json)["i"], -3);
  EXPECT_EQ((*json)["u"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ((*json)["f"], 1500.0);
  EXPECT_EQ((*json)["s"], std::string("\xC3\xA9\xF0\x9F\x9A\x82\0", 7));
  EXPECT_EQ((*json)["a"], Json::parse("[1,[]]"));
  EXPECT_EQ((*json)["o"][""], 0);
}

// Long because it is a table.
TEST(Json, RefusesWhatIsNotExactlyOneValue) {
  const std::vector<std::string> texts{
      "",
      " ",
      "{",
      "}",
      "[1,]",
      "[,1]",
      "[1 2]",
      R"({"a":1,})",
      R"({"a" 1})",
      R"({a:1})",
      R"({'a':1})",
      R"({1:1})",
      R"({"a":1}{"b":2})",
      "1 2",
      "[1] // comment",
      "/* comment */ 1",
      "nul",
      "True",
      "NaN",
      "-Infinity",
      "01",
      "+1",
      ".5",
      "1.",
      "1e",
      "0x10",
      "-",
      R"("a)",
      R"("\x41")",
      R"("\u12")",
      "\"tab\tin a string\"",
      "\"line\nin a string\"",
      "\xEF\xBB\xBF{}",  // A byte order mark.
      "\xFF\xFE{\0}",
      "\"\xFF\"",              // Invalid UTF-8:
      "\"\xC0\x80\"",          //   overlong,
      "\"\xE2\x82\"",          //   cut short,
      "\"\xED\xA0\x80\"",      //   a surrogate,
      "\"\xF4\x90\x80\x80\"",  //   beyond U+10FFFF.
      R"("\ud800")",           // Lone surrogates.
      R"("\udc00")",
      R"("\ud800\u0041")",
      R"("\ud800\ud800")",
      "1e400",  // Beyond double.
      "-1e400",
      std::string("{}\0", 3),  // The parser underneath would stop at the zero byte.
      std::string("{}\0{\"a\":1}", 10),
      std::string("\0", 1),
      std::string("[1,\0 2]", 7),
      std::string("\"a\0b\"", 5),
  };

  for (const std::string& text : texts) {
    const auto json = parse_json(text);
    ASSERT_FALSE(json) << text;
    EXPECT_EQ(json.error().fault, Fault::invalid) << text;
    EXPECT_FALSE(json.error().what.empty()) << text;
  }
}

// What two readers could understand differently is not understood at all.
TEST(Json, RefusesAKeyThatStandsTwice) {
  EXPECT_FALSE(parse_json(R"({"pid":1,"pid":2})"));
  EXPECT_FALSE(parse_json(R"({"a":{"b":1,"c":2,"b":1}})"));
  EXPECT_FALSE(parse_json(R"({"a":1,"\u0061":1})"));
  EXPECT_FALSE(parse_json(R"([{"a":1},{"a":1,"a":1}])"));
  EXPECT_EQ(parse_json(R"({"pid":1,"pid":2})").error().what, "the key 'pid' stands twice");

  EXPECT_TRUE(parse_json(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})"));
}

TEST(Json, QuotesAHostileKeyOnlyInPart) {
  const std::string key = "\\u001b[2J" + std::string(10'000, 'x');

  const auto json = parse_json("{\"" + key + "\":1,\"" + key + "\":2}");

  ASSERT_FALSE(json);
  EXPECT_LT(json.error().what.size(), 200U);
  EXPECT_FALSE(json.error().what.contains('\x1b'));
}

// P15: depth and size have a bound, and over it memory stays flat.
TEST(Json, IsBoundedInDepth) {
  EXPECT_TRUE(parse_json(nested(limits::json_depth_max, "[", "]")));
  EXPECT_TRUE(parse_json(nested(limits::json_depth_max, "{\"a\":", "}")));

  EXPECT_FALSE(parse_json(nested(limits::json_depth_max + 1, "[", "]")));
  EXPECT_FALSE(parse_json(nested(limits::json_depth_max + 1, "{\"a\":", "}")));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
  EXPECT_EQ(parse_json(nested(1000, "[", "]")).error().what, "it is nested deeper than 64");
}

TEST(Json, IsBoundedInSize) {
  const std::string text = "[1,2,3]";

  EXPECT_TRUE(parse_json(text, text.size()));
  EXPECT_EQ(parse_json(text, text.size() - 1).error().fault, Fault::limit);
  EXPECT_TRUE(parse_json(std::string(limits::json_bytes_max - 1, ' ') + "1"));
  EXPECT_EQ(parse_json(std::string(limits::json_bytes_max, ' ') + "1").error().fault, Fault::limit);
}

TEST(Json, KeepsNumbersAsLongAsADoubleCan) {
  EXPECT_EQ(*parse_json("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(*parse_json("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*parse_json("18446744073709551616"), 18446744073709551616.0);
  EXPECT_EQ(*parse_json("1e308"), 1e308);
  EXPECT_EQ(*parse_json("1e-400"), 0.0);
  EXPECT_TRUE(parse_json(std::string(300, '9')));
  EXPECT_FALSE(parse_json(std::string(400, '9')));
}

TEST(Json, MustBeAnObjectWhereOneIsAskedFor) {
  EXPECT_TRUE(parse_json_object("{}"));
  for (const std::string_view text : {"[]", "1", "null", "\"{}\"", "true"}) {
    EXPECT_EQ(parse_json_object(text).error().fault, Fault::invalid) << text;
  }
  EXPECT_EQ(parse_json_object("{\"a\":1}", 3).error().fault, Fault::limit);
}

TEST(Json, IsWrittenOnOneLineAndAlwaysAsUtf8) {
  EXPECT_EQ(dump_json(Json{{"b", "x\ny"}, {"a", Json::array({1, nullptr})}}),
            R"({"a":[1,null],"b":"x\ny"})");
  EXPECT_EQ(dump_json("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(dump_json("리팩토링"), "\"리팩토링\"");
}

TEST(Json, ReadsBackWhatItWrote) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 dice(seed);
    const Json value = draw(dice, 5);
    const std::string text = dump_json(value);
    SCOPED_TRACE(seed);
    ASSERT_TRUE(parse_json(text)) << text;
    EXPECT_EQ(*parse_json(text), value) << text;
    EXPECT_FALSE(text.contains('\n'));
  }
}

// P16: broken at a random place, or nothing but noise, it is refused or read, never worse.
TEST(Json, SurvivesGarbage) {
  const std::string_view pieces = "{}[]:,\"\\u0d8ae-+. \n\tntf1\x00\xEF\xBB\xBF\xFF\x80";
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    std::mt19937_64 dice(seed);
    std::string text = seed % 2 == 0 ? dump_json(draw(dice, 4)) : std::string();
    for (std::uint64_t edits = 1 + dice() % 16; edits > 0; --edits) {
      const std::size_t place = dice() % (text.size() + 1);
      const char piece =
          dice() % 4 == 0 ? static_cast<char>(dice()) : pieces[dice() % pieces.size()];
      if (dice() % 3 == 0 && place < text.size()) {
        text.erase(place, 1 + dice() % 4);
      } else {
        text.insert(place, 1, piece);
      }
    }
    SCOPED_TRACE(seed);
    if (const auto json = parse_json(text)) {
      EXPECT_EQ(*parse_json(dump_json(*json)), *json);
    } else {
      EXPECT_FALSE(json.error().what.empty());
    }
  }
}

// The examples of RFC 7396, appendix A.
TEST(MergePatch, DoesWhatTheStandardSays) {
  struct Row {
    std::string_view target;
    std::string_view patch;
    std::string_view result;
  };
  const std::vector<Row> rows{
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };

  for (const Row& row : rows) {
    Json target = *parse_json(row.target);
    merge_patch(target, *parse_json(row.patch));
    EXPECT_EQ(target, *parse_json(row.result)) << row.target << " + " << row.patch;
  }
}

TEST(MergePatch, TwiceIsTheSameAsOnce) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 dice(seed);
    Json once = draw(dice, 4);
    const Json patch = draw(dice, 4);
    merge_patch(once, patch);
    Json twice = once;
    merge_patch(twice, patch);
    EXPECT_EQ(once, twice) << "seed " << seed;
  }
}

TEST(Json, GivesAMemberOfTheWantedTypeOrTheFallback) {
  const Json json =
      *parse_json(R"({"s":"x","i":-7,"u":18446744073709551615,"f":1.0,"n":null,"b":true})");

  EXPECT_EQ(text_or(json, "s"), "x");
  EXPECT_EQ(int_or(json, "i"), -7);
  for (const char* name : {"i", "f", "n", "b", "missing"})
    EXPECT_EQ(text_or(json, name, "?"), "?") << name;
  for (const char* name : {"s", "f", "n", "b", "missing"})
    EXPECT_EQ(int_or(json, name, 42), 42) << name;
  EXPECT_EQ(int_or(json, "u", 42), 42) << "a number that does not fit is not a number";
  EXPECT_EQ(text_or(*parse_json("[1]"), "a", "?"), "?");
  EXPECT_EQ(int_or(*parse_json("\"a\""), "a", 42), 42);
}

}  // namespace
}  // namespace tyer
