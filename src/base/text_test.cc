#include "base/text.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tyer {
namespace {

std::string utf8(char32_t c) {
  const auto byte = [](char32_t bits) {
    return static_cast<char>(static_cast<unsigned char>(bits));
  };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)),
          byte(0x80 | (c & 63))};
}

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDFFF;
}

// Valid UTF-8 with what file names care about more often than chance would.
std::string draw_text(std::mt19937_64& dice) {
  static const std::vector<std::string> pieces{".",     "..",   "/",  "%",  "%2E", "%2f", ".json",
                                               ".lock", ".tmp", "\\", "\n", "~",   " ",   "-"};
  std::string text;
  for (std::uint64_t length = 1 + dice() % 12; length > 0; --length) {
    const std::uint64_t choice = dice() % 4;
    auto c = static_cast<char32_t>(choice == 0   ? dice() % 0x80
                                   : choice == 1 ? dice() % 0x800
                                                 : dice() % 0x110000);
    if (is_surrogate(c)) c = U'?';
    text += choice == 3 ? pieces[dice() % pieces.size()] : utf8(c);
  }
  return text;
}

TEST(Utf8, IsEveryScalarValueAndNothingElse) {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 0x101) {
    EXPECT_EQ(is_utf8(utf8(c)), !is_surrogate(c)) << std::hex << static_cast<std::uint32_t>(c);
  }
  for (const char32_t edge :
       {0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    EXPECT_TRUE(is_utf8(utf8(edge))) << std::hex << static_cast<std::uint32_t>(edge);
  }
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8(std::string("a\0b", 3)));
}

TEST(Utf8, RefusesWhatOnlyLooksLikeIt) {
  const std::vector<std::string> texts{
      "\x80",  // A tail without a head.
      "\xBF",
      "a\x80",
      "\xC0\x80",  // Overlong.
      "\xC1\xBF",
      "\xE0\x80\x80",
      "\xE0\x9F\xBF",
      "\xF0\x80\x80\x80",
      "\xF0\x8F\xBF\xBF",
      "\xED\xA0\x80",  // Surrogates.
      "\xED\xBF\xBF",
      "\xF4\x90\x80\x80",  // Beyond U+10FFFF.
      "\xF5\x80\x80\x80",
      "\xFE",
      "\xFF",
      "\xC3",  // Cut short.
      "\xE2\x82",
      "\xF0\x9F\x9A",
      "\xC3(",  // A head without its tail.
      "\xE2(\xAC",
      "\xE2\x82(",
      "\xF0\x9F\x9A(",
      "ok \xFF ok",
  };

  for (const std::string& text : texts) EXPECT_FALSE(is_utf8(text)) << to_hex(text);
}

TEST(Text, KnowsItsControlCharacters) {
  for (char32_t c = 0; c < 0x300; ++c) {
    const bool control = c < 0x20 || c == 0x7F || (c >= 0x80 && c <= 0x9F);
    EXPECT_EQ(has_control_characters("a" + utf8(c) + "b"), control)
        << static_cast<std::uint32_t>(c);
  }
  EXPECT_FALSE(has_control_characters(""));
  EXPECT_FALSE(has_control_characters("리팩토링 é \xF0\x9F\x9A\x82"));
}

// L2: a key that is not a plain file name is percent-encoded.
TEST(FileName, IsTheTextItselfWhereThatIsPlain) {
  struct Row {
    std::string text;
    std::string_view name;
  };
  const std::vector<Row> rows{
      {"TSK-01-01", "TSK-01-01"},
      {"a_b.c-d", "a_b.c-d"},
      {"리팩토링", "리팩토링"},
      {"v1.2.json.x", "v1.2.json.x"},
      {"jsonx", "jsonx"},
      {"json", "json"},
      {"a/b", "a%2Fb"},
      {"a b", "a%20b"},
      {"100%", "100%25"},
      {"a%2Fb", "a%252Fb"},
      {"~", "%7E"},
      {"a\\b", "a%5Cb"},
      {std::string("a\0b", 3), "a%00b"},
      {".", "%2E"},
      {"..", "%2E."},
      {"../x", "%2E.%2Fx"},
      {".hidden", "%2Ehidden"},
      {"a.json", "a%2Ejson"},
      {"a.lock", "a%2Elock"},
      {"a.tmp", "a%2Etmp"},
      {"a.lock.json", "a.lock%2Ejson"},
      {".json", "%2Ejson"},
  };

  for (const Row& row : rows) {
    EXPECT_EQ(encode_file_name(row.text), row.name);
    ASSERT_TRUE(decode_file_name(row.name)) << row.name;
    EXPECT_EQ(*decode_file_name(row.name), row.text);
  }
}

TEST(FileName, IsReversibleAndHarmlessForEveryText) {
  std::set<std::string> texts;
  std::set<std::string> names;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937_64 dice(seed);
    const std::string text = draw_text(dice);
    const std::string name = encode_file_name(text);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + name);
    ASSERT_TRUE(is_utf8(text));
    ASSERT_TRUE(decode_file_name(name));
    EXPECT_EQ(*decode_file_name(name), text);
    EXPECT_FALSE(name.empty());
    EXPECT_FALSE(name.starts_with('.'));
    EXPECT_FALSE(name.contains('/'));
    EXPECT_FALSE(name.contains('\0'));
    for (const char* suffix : {".json", ".lock", ".tmp"}) EXPECT_FALSE(name.ends_with(suffix));
    EXPECT_TRUE(is_utf8(name));
    texts.insert(text);
    names.insert(name);
  }
  EXPECT_EQ(texts.size(), names.size()) << "two texts never share a name";
}

TEST(FileName, RefusesAPercentSignWithoutItsDigits) {
  for (const std::string_view name :
       {"%", "%2", "a%", "a%2", "%zz", "%2g", "%%41", "%-1", "a% 41"}) {
    EXPECT_EQ(decode_file_name(name).error().fault, Fault::invalid) << name;
  }
  EXPECT_EQ(*decode_file_name("%41%2f"), "A/") << "other tools write small hex digits";
}

TEST(Printable, ShowsWhatAPersonCanReadAndEscapesTheRest) {
  EXPECT_EQ(printable("lock/리팩토링 ✓"), "lock/리팩토링 ✓");
  EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m")
      << "an escape sequence in one character";
  EXPECT_EQ(printable("a\xFFz\xE2\x82"), "a\\xffz\\xe2\\x82");
  EXPECT_EQ(printable(""), "");
}

// Each shows a text as another one, or as nothing.
TEST(HiddenCharacters, AreThoseThatNobodySeesAndThoseThatTurnText) {
  for (const char* const text :
       {"bo\u200bt", "\u200dbot", "bot\u2060", "\ufeffbot", "bot\u00ad", "gpj\u202eexe", "a\u2066b",
        "\u061ca", "a\u200fb", "a\u3164b", "bot\ufe0f", "a\u2028b", "a\U000e0041b"}) {
    EXPECT_TRUE(has_hidden_characters(text)) << printable(text);
    EXPECT_TRUE(printable(text).contains("\\x")) << printable(text);
  }
}

TEST(HiddenCharacters, AreNotWhatPeopleWriteNamesWith) {
  for (const char* const text :
       {"", "bot", "리팩토링 ✓", "ナナ", "שלום", "مرحبا", "नमस्ते", "é e\u0301", "👩\u200d💻",
        "❤\ufe0f", "🏳\ufe0f\u200d🌈", "👍🏽"}) {
    EXPECT_FALSE(has_hidden_characters(text)) << text;
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ShowsNoMoreThanItsBound) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 5), "abcde…");
  EXPECT_EQ(printable("abc리", 5), "abc…") << "a character is shown whole or not at all";
  EXPECT_EQ(printable("abc\n", 6), "abc…");

  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    std::mt19937_64 dice(seed);
    std::string bytes(dice() % 40, ' ');
    for (char& c : bytes) c = static_cast<char>(dice());
    const std::size_t max = dice() % 40;
    std::string shown = printable(bytes, max);
    SCOPED_TRACE(seed);
    EXPECT_TRUE(is_utf8(shown));
    EXPECT_FALSE(has_control_characters(shown));
    if (shown.ends_with("…")) shown.resize(shown.size() - std::string_view("…").size());
    EXPECT_LE(shown.size(), max);
  }
}

TEST(Hex, IsTwoSmallDigitsAByte) {
  EXPECT_EQ(to_hex(std::string("\x00\x7f\x80\xff", 4)), "007f80ff");
  EXPECT_EQ(to_hex(""), "");
}

}  // namespace
}  // namespace tyer
