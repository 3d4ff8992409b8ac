#include "base/json_text.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace tyer {
namespace {

// A small generator of its own: the same texts in every run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % bound;
  }

 private:
  std::uint64_t state_;
};

Json any_value(Dice& dice, int depth) {
  switch (dice.below(depth > 0 ? 9 : 7)) {
    case 0: return nullptr;
    case 1: return dice.below(2) == 0;
    case 2: return static_cast<std::int64_t>(dice.below(1'000'000)) - 500'000;
    case 3: return static_cast<double>(dice.below(1'000)) / 8.0;
    case 4: return "text \" \\ \n 한국어";
    case 5: return std::string(dice.below(20), 'x');
    case 6: return 1e300;
    case 7: {
      Json array = Json::array();
      for (std::uint64_t i = dice.below(4); i > 0; --i) array.push_back(any_value(dice, depth - 1));
      return array;
    }
    default: {
      Json object = Json::object();
      for (std::uint64_t i = dice.below(4); i > 0; --i) {
        object[std::string(1, static_cast<char>('a' + dice.below(6)))] = any_value(dice, depth - 1);
      }
      return object;
    }
  }
}

Json any_object(Dice& dice) {
  Json object = Json::object();
  for (std::uint64_t i = dice.below(6); i > 0; --i) {
    object[std::string(1, static_cast<char>('a' + dice.below(8)))] = any_value(dice, 2);
  }
  return object;
}

TEST(JsonText, IsMergedAsTheLongWayWould) {
  Dice dice(1);
  int quick = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Json target = any_object(dice);
    const Json patch = any_object(dice);
    const std::string target_text = dump_json(target);
    const std::string patch_text = dump_json(patch);
    const auto old = split_object(target_text);
    const auto given = split_object(patch_text);
    if (!old || !given) continue;
    const auto merged = merge_members(*old, *given);
    if (!merged) continue;
    ++quick;
    Json expected = target;
    merge_patch(expected, patch);
    ASSERT_EQ(*merged, dump_json(expected)) << target_text << " and " << patch_text;
  }
  EXPECT_GT(quick, 2'000);
}

TEST(JsonText, IsSplitOnlyIfItIsValidAndPlain) {
  const std::vector<std::pair<std::string, bool>> rows{
      {"{}", true},
      {R"({"a":1})", true},
      {R"({"a":-0.5,"b":[1,{"c":"\n"}],"d":null})", true},
      {R"({"a":1,"a":2})", false},
      {R"({"b":1,"a":2})", false},
      {R"({"x":{"b":1,"a":2}})", false},
      {R"({ "a":1})", false},
      {R"({"a":1} )", false},
      {R"({"a":1}x)", false},
      {R"({"a":01})", false},
      {R"({"a":1e5})", false},
      {R"({"a":.5})", false},
      {R"({"a":1.})", false},
      {R"({"a":-})", false},
      {R"({"a":12345678901234567890})", false},
      {R"({"a":"\u0041"})", false},
      {R"({"a":"\x"})", false},
      {R"({"\n":1})", false},
      {R"({"a":tru})", false},
      {R"({"a"})", false},
      {R"({"a":})", false},
      {R"({"a":1,})", false},
      {R"(["a"])", false},
      {"{\"a\":\"\x01\"}", false},
      {"{\"a\":\"\xff\"}", false},
      {"{\"a\":\"open", false},
      {"", false},
      {"{\"a\":" + std::string(70, '[') + std::string(70, ']') + "}", false},
  };
  for (const auto& [text, plain] : rows) {
    EXPECT_EQ(split_object(text).has_value(), plain) << text;
    EXPECT_TRUE(!plain || parse_json_object(text)) << text;
  }
}

TEST(JsonText, IsWrittenAsTheLongWayWritesIt) {
  const std::vector<std::string> texts{"a", "b\"\n", "한국어"};
  EXPECT_EQ(json_object({{"text", "quote \" and \x7f"},
                         {"name", std::string("한국어")},
                         {"flag", true},
                         {"number", -3},
                         {"large", std::uint64_t{18'000'000'000'000'000'000U}},
                         {"texts", texts},
                         {"none", std::vector<std::string>()},
                         JsonPart::of("object", json_object({{"b", 1}, {"a", false}}))}),
            dump_json({{"text", "quote \" and \x7f"},
                       {"name", "한국어"},
                       {"flag", true},
                       {"number", -3},
                       {"large", 18'000'000'000'000'000'000U},
                       {"texts", texts},
                       {"none", Json::array()},
                       {"object", {{"b", 1}, {"a", false}}}}));
  EXPECT_EQ(json_object({}), "{}");
}

TEST(JsonText, OfAnyBytesIsNeverTakenForMoreThanTheParserTakes) {
  const std::string alphabet = "{}[]\":,0123456789.-+eEtrufalsn\\ \x01\xc3\xa9";
  Dice dice(2);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = "{\"a\":";
    for (std::uint64_t length = dice.below(8); length > 0; --length) {
      text += alphabet[dice.below(alphabet.size())];
    }
    text += "}";
    ASSERT_TRUE(!split_object(text) || parse_json_object(text)) << text;
  }
}

}  // namespace
}  // namespace tyer
