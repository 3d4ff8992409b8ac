// What agents and sessions may be called (H3, H9).

#include "feed/names.h"

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "base/text.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

std::string repeat(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(SessionName, IsLettersDigitsHangulUnderscoreAndHyphen) {
  for (const std::string name : {"리팩토링", "배포", "새작업", "여섯번째", "Deploy", "deploy", "a",
                                 "0", "_", "-", "가", "힣", "a-b_C9가힣", "default"}) {
    EXPECT_TRUE(check_session_name(name)) << name;
  }
  for (const std::string name :
       {"", "문서 정리", "a/b", "a.b", "@a", "é", "日本", "ㄱ", "ㅏ", "a\n", "😀", "a\u00a0b",
        "\u1100", "\xff", "\xea\xb0", "\uabff", "\ud7a4"}) {
    EXPECT_FALSE(check_session_name(name)) << printable(name);
  }
}

TEST(SessionName, HasUpToTwentyCodePoints) {
  for (const std::string piece : {"a", "힣"}) {
    EXPECT_TRUE(check_session_name(repeat(piece, 20))) << piece;
    EXPECT_FALSE(check_session_name(repeat(piece, 21))) << piece;
  }
  EXPECT_EQ(check_session_name(repeat("힣", 21)).error().what,
            "the session's name has 21 characters, 1 to 20 are possible");
}

TEST(SessionName, ThatIsRefusedSaysWhatIsPossible) {
  const auto refused = check_session_name("문서 정리");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the session's name '문서 정리' has ' '; letters a to z, digits, 가 to 힣, '_' and '-' "
            "are possible");
}

TEST(AgentName, IsOneLineWithoutWhatMentionsNeed) {
  for (const std::string name :
       {"research-bot", "code-helper", "연구봇", "Bot 2", "a.b", "é", "😀"}) {
    EXPECT_TRUE(check_agent_name(name)) << name;
  }
  for (const std::string name :
       {"",        " ",      " a",        "a ",        "a/b",    "/",    "@a",
        "a@b",     "a\nb",   "a\tb",      "\x7f",      "\u0085", "\xff", "a\u3000",
        "\u00a0a", "\u2003", "bo\u200bt", "\u202etob", "admin",  "Admin"}) {
    EXPECT_FALSE(check_agent_name(name)) << printable(name);
  }
}

TEST(AgentName, HasUpToAHundredCodePoints) {
  EXPECT_TRUE(check_agent_name(repeat("힣", 100)));
  EXPECT_FALSE(check_agent_name(repeat("힣", 101)));
}

TEST(Name, IsTheSameWhateverItsCase) {
  EXPECT_EQ(fold_name("Deploy"), fold_name("deploy"));
  EXPECT_EQ(fold_name("DEPLOY-배포_9"), "deploy-배포_9");
  EXPECT_NE(fold_name("deploy"), fold_name("deploy-"));
  EXPECT_EQ(fold_name("[@`{"), "[@`{");
}

TEST(Title, IsOneLineOfSoManyCharacters) {
  EXPECT_TRUE(check_title("it", "", 0));
  EXPECT_TRUE(check_title("it", "가나", 2));
  EXPECT_FALSE(check_title("it", "가나다", 2));
  EXPECT_FALSE(check_title("it", "a\nb", 9));
  EXPECT_FALSE(check_title("it", "\xff", 9));
}

TEST(Char, IsReadWithItsBytes) {
  const std::string text = "a\u00e9가😀";
  std::vector<std::pair<char32_t, std::size_t>> read;
  for (std::size_t at = 0; at < text.size();) {
    const Char one = char_at(text, at);
    read.emplace_back(one.code, one.bytes);
    at += one.bytes;
  }

  EXPECT_EQ(read, (std::vector<std::pair<char32_t, std::size_t>>{
                      {U'a', 1}, {U'\u00e9', 2}, {U'가', 3}, {U'😀', 4}}));
  EXPECT_EQ(count_chars(text), 4U);
}

TEST(NameProperty, HoldsForAnyBytes) {
  EXPECT_TRUE(rc::check("a possible session name has a possible form and folds to one", [] {
    const auto name = *rc::gen::arbitrary<std::string>();
    RC_ASSERT(fold_name(fold_name(name)) == fold_name(name));
    RC_ASSERT(check_session_name(name).has_value() ==
              check_session_name(fold_name(name)).has_value());
    if (!check_session_name(name)) return;
    RC_ASSERT(is_utf8(name));
    RC_ASSERT(count_chars(name) >= 1 && count_chars(name) <= limits::session_name_chars_max);
    RC_ASSERT(check_agent_name(name).has_value());
  }));
  EXPECT_TRUE(rc::check("names of possible characters are possible", [] {
    const auto codes = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "Z", "0", "_", "-", "가", "각", "힣"));
    std::string name;
    for (const std::string& code : codes) name += code;
    RC_ASSERT(check_session_name(name).has_value() == (!codes.empty() && codes.size() <= 20));
  }));
}

}  // namespace
}  // namespace tyer::feed
