#include "base/json_fields.h"

#include <gtest/gtest.h>

namespace tyer {
namespace {

// As we write it, and as others do.
class JsonFieldsOf : public ::testing::TestWithParam<const char*> {};

TEST_P(JsonFieldsOf, AreReadByNameAndType) {
  const auto fields = JsonFields::read(GetParam());
  ASSERT_TRUE(fields) << fields.error().what;

  EXPECT_EQ(fields->text("name"), "one \"two\"\n");
  EXPECT_EQ(fields->text("plain"), "text");
  EXPECT_EQ(fields->text("count"), "");
  EXPECT_EQ(fields->text("none"), "");
  EXPECT_EQ(fields->number("count"), -42);
  EXPECT_EQ(fields->number("plain", 7), 7);
  EXPECT_EQ(fields->number("half", 7), 7);
  EXPECT_EQ(fields->number("none", 7), 7);
  EXPECT_TRUE(fields->flag("on"));
  EXPECT_FALSE(fields->flag("off"));
  EXPECT_FALSE(fields->flag("count"));
  EXPECT_FALSE(fields->flag("none"));
  EXPECT_EQ(fields->texts("list"), (std::vector<std::string>{"a", "b\""}));
  EXPECT_EQ(fields->numbers("list"), (std::vector<std::int64_t>{3}));
  EXPECT_TRUE(fields->texts("empty").empty());
  EXPECT_TRUE(fields->texts("plain").empty());
  EXPECT_TRUE(fields->texts("none").empty());
  EXPECT_TRUE(fields->has("off"));
  EXPECT_FALSE(fields->has("none"));
  EXPECT_EQ(fields->object("inner").text("id"), "x");
  EXPECT_EQ(fields->object("plain").text("id"), "");
  EXPECT_EQ(fields->object("none").number("id", 7), 7);
  ASSERT_EQ(fields->objects("all").size(), 2U);
  EXPECT_EQ(fields->objects("all")[1].text("id"), "b");
  EXPECT_TRUE(fields->objects("inner").empty());
  EXPECT_TRUE(fields->objects("none").empty());
}

INSTANTIATE_TEST_SUITE_P(
    Json, JsonFieldsOf,
    ::testing::Values(
        R"({"inner":{"id":"x"},"all":[{"id":"a"},{"n":1,"id":"b"},3],"count":-42,"empty":[],"half":0.5,"list":["a",3,"b\"",null],"name":"one \"two\"\n","off":false,"on":true,"plain":"text"})",
        R"({ "name": "one \u0022two\"\n", "plain": "text", "count": -42, "half": 0.5,
             "on": true, "off": false, "list": ["a", 3, "b\"", null], "empty": [],
             "inner": {"id": "x"}, "all": [{"id": "a"}, {"n": 1, "id": "b"}, 3]})"));

TEST(JsonFields, RefusesWhatIsNoObject) {
  for (const char* text : {"", "[]", "7", "{", R"({"a":1,"a":2})"}) {
    EXPECT_FALSE(JsonFields::read(text)) << text;
  }
}

}  // namespace
}  // namespace tyer
