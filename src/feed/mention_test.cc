// Who is spoken to in a text (H8, H9), with the examples of the mention syntax in Korean.

#include "feed/mention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

using Names = std::vector<std::string>;

// Mentions as they are written: "bot", "bot/배포"; "bot/é!" if the session cannot be one.
Names mentioned(std::string_view text, const Names& agents) {
  Names found;
  for (const Mention& mention : find_mentions(text, agents)) {
    std::string one = agents[mention.agent];
    if (!mention.session.empty()) one += "/" + mention.session;
    found.push_back(one + (mention.usable ? "" : "!"));
  }
  return found;
}

struct Row {
  std::string text;
  Names found;
};

void expect_all(const std::vector<Row>& rows, const Names& agents) {
  for (const Row& row : rows) EXPECT_EQ(mentioned(row.text, agents), row.found) << row.text;
}

TEST(Mention, NamesAnAgentOrOneOfItsSessions) {
  expect_all({{"@research-bot", {"research-bot"}},
              {"@research-bot/리팩토링", {"research-bot/리팩토링"}},
              {"@research-bot 이거 해줘", {"research-bot"}},
              {"@research-bot/배포 이거 해줘", {"research-bot/배포"}},
              {"@research-bot/새작업 이거 해줘", {"research-bot/새작업"}},
              {"@research-bot/리팩토링 이거 해줘 (멘션)", {"research-bot/리팩토링"}},
              {"@research-bot/리팩토링 이것도 해줘", {"research-bot/리팩토링"}},
              {"@research-bot/리팩토링 스키마 변경해줘 (Post A)", {"research-bot/리팩토링"}},
              {"@research-bot/여섯번째 이거 해줘", {"research-bot/여섯번째"}},
              {"인덱스도 추가해줘", {}},
              {"@code-helper 와 @research-bot", {"code-helper", "research-bot"}},
              {"@research-bot/문서 정리", {"research-bot/문서"}},  // A space ends a name.
              {"@agent-name/session", {}}},
             {"research-bot", "code-helper"});
}

TEST(Mention, OfTheLongestNameThatMatchesWins) {
  expect_all({{"@bot-two", {"bot-two"}},
              {"@bot", {"bot"}},
              {"@bot-three", {}},
              {"@bot two words", {"bot two"}},
              {"@bot twofold", {"bot"}},
              {"@Bot-Two/x and @BOT", {"bot-two/x", "bot"}},
              {"@연구봇", {"연구봇"}},
              {"@연구", {"연구"}},
              {"@연구봇에게", {}}},  // Which of the syllables would be the particle?
             {"bot", "bot-two", "bot two", "연구", "연구봇"});
}

TEST(Mention, EndsWhereAWordEnds) {
  expect_all({{"@bot, please", {"bot"}},
              {"(@bot)", {"bot"}},
              {"**@bot**", {"bot"}},
              {"@bot.", {"bot"}},
              {"@bot. And", {"bot"}},
              {"@bot?!", {"bot"}},
              {"@bot:go", {"bot"}},
              {"@bot's", {"bot"}},
              {"@bot’s", {"bot"}},
              {"@bot、頼む", {"bot"}},
              {"@bot\n", {"bot"}},
              {"@bot에게 물어봐", {"bot"}},
              {"안녕@bot", {"bot"}},
              {"@bots", {}},
              {"@bot_", {}},
              {"@bot2", {}},
              {"@boté", {}},
              {"@bot日", {}},
              {"@bot-two", {}},
              {"@bot.example", {}},
              {"@bot@example.org", {}},
              {"@bo", {}},
              {"@", {}},
              {"@ bot", {}},
              {"bot", {}}},
             {"bot"});
}

TEST(Mention, IsNotInAnAddress) {
  expect_all({{"ada@bot", {}},
              {"ada@bot.example", {}},
              {"a.d.a+x@bot", {}},
              {"ada-@bot", {}},
              {"https://example.org/@bot", {}},
              {"https://example.org/%40@bot", {}},
              {"@@bot", {}},
              {"mail ada@example.org, then @bot", {"bot"}}},
             {"bot"});
}

TEST(Mention, IsNotInCode) {
  expect_all({{"`@bot`", {}},
              {"``@bot ` @bot``", {}},
              {"`@bot` @bot/b `@bot/c`", {"bot/b"}},
              {"a ` @bot", {"bot"}},           // Nothing closes it.
              {"`` @bot `", {"bot"}},          // Another length does not.
              {"a ` b\n\n@bot ` c", {"bot"}},  // A paragraph does not go on,
              {"a ` b\n \t\n@bot ` c", {"bot"}},
              {"a ` b\r\n\r\n@bot ` c", {"bot"}},
              {"a ` b\n```\nx\n```\n@bot ` c", {"bot"}},
              {"a ` b\n@bot ` c", {}},  // a line does.
              {"```\n@bot\n```", {}},
              {"```sh\n@bot\n```\n@bot/b", {"bot/b"}},
              {"   ~~~~\n@bot\n~~~\n@bot\n~~~~~\n@bot/b", {"bot/b"}},
              {"```\n@bot\n``` x\n@bot", {}},  // What says more does not close it.
              {"```\n@bot", {}},               // The end of the text does.
              {"```\n\n@bot\n\n```\r\n@bot/b", {"bot/b"}},
              {"```x```\n@bot", {"bot"}},
              {"~~~ ` ~\n@bot\n~~~", {}}},
             {"bot"});
}

TEST(Mention, SaysWhenItsSessionCannotBeOne) {
  const std::string twenty = "가나다라마바사아자차카타파하-_aZ09";
  const std::string decomposed = "\u1107\u1162\u1111\u1169";  // 배포, as some file names write it.
  expect_all({{"@bot/" + twenty, {"bot/" + twenty}},
              {"@bot/" + twenty + "힣", {"bot/" + twenty + "힣!"}},
              {"@bot/caf\u00e9", {"bot/caf\u00e9!"}},
              {"@bot/\u00e9t\u00e9", {"bot/\u00e9t\u00e9!"}},
              {"@bot/日本", {"bot/日本!"}},
              {"@bot/" + decomposed, {"bot/" + decomposed + "!"}},
              {"@bot/", {"bot"}},
              {"@bot/ x", {"bot"}},
              {"@bot/!", {"bot"}},
              {"@bot/a.", {"bot/a"}},
              {"@bot/a.b", {"bot/a"}},
              {"@bot/a/b", {"bot/a"}},
              {"(@bot/a)", {"bot/a"}}},
             {"bot"});
}

TEST(Mention, CountsOnceHoweverOftenItIsWritten) {
  expect_all({{"@bot @bot", {"bot"}},
              {"@bot/Deploy @bot/deploy @bot/DEPLOY", {"bot/Deploy"}},
              {"@bot/a @bot @two @bot/b @two", {"bot/a", "bot", "two", "bot/b"}},
              {"@BOT/배포 @bot/배포", {"bot/배포"}}},
             {"bot", "two"});
}

TEST(Mention, IsFoundUpToALimit) {
  std::string text;
  for (std::size_t i = 0; i < 2 * limits::mentions_max; ++i)
    text += "@bot/s" + std::to_string(i) + " ";

  const Names found = mentioned(text, {"bot"});

  ASSERT_EQ(found.size(), limits::mentions_max);
  EXPECT_EQ(found.back(), "bot/s" + std::to_string(limits::mentions_max - 1));
}

TEST(Mention, IsNotInWhatIsNotUtf8) {
  expect_all({{"@bot \xff", {}}, {"\xc3@bot", {}}, {"@bot/\xed\x95", {}}, {"", {}}}, {"bot", ""});
}

TEST(Code, IsBlankedByteForByte) {
  const std::vector<std::pair<std::string, std::string>> rows{{"a `코드` b", "a          b"},
                                                              {"```\nx\n```\ny", "   \n \n   \ny"},
                                                              {"no code", "no code"},
                                                              {"", ""},
                                                              {"`", "`"},
                                                              {"\xff`\xfe`", "\xff   "}};

  for (const auto& [text, blanked] : rows) EXPECT_EQ(without_code(text), blanked) << text;
}

// None of these may take quadratic time: at 100 KB that would be minutes.
TEST(Mention, IsFoundQuicklyInTheWorstTexts) {
  Names agents;
  for (std::size_t i = 0; i < limits::agents_max; ++i) {
    agents.push_back(std::string(90, 'a') + std::to_string(i));
  }
  const auto repeat = [](std::string_view piece) {
    std::string text;
    while (text.size() + piece.size() <= limits::content_bytes_max) text += piece;
    return text;
  };
  std::string longer;  // Runs of every length, none of which is closed.
  for (std::size_t length = 1; longer.size() + length < limits::content_bytes_max - 10; ++length) {
    longer += std::string(length, '`') + " ";
  }
  const std::vector<std::string> texts{repeat("`"),     repeat("` `` "),
                                       repeat("`` ` "), repeat("`\n\n"),
                                       repeat("```\n"), repeat("~~~\n```\n"),
                                       repeat("@"),     repeat(" @"),
                                       repeat(" @a"),   repeat(" @" + std::string(90, 'a')),
                                       repeat("@/`"),   "@" + repeat("가"),
                                       longer + " @x"};

  for (const std::string& text : texts) {
    EXPECT_EQ(mentioned(text, agents), Names{}) << text.substr(0, 12);
    EXPECT_LE(find_strangers(text, agents).size(), limits::strangers_max) << text.substr(0, 12);
  }
}

TEST(Stranger, IsLookedForAmongTheFirstOnly) {
  const Names agents{"research-bot"};
  std::string text;
  for (std::size_t i = 0; i < limits::strangers_looked_at; ++i) text += fmt::format(" @word{}", i);

  EXPECT_EQ(find_strangers("x @research-bto" + text, agents).size(), 1U);
  EXPECT_EQ(find_strangers("x" + text + " @research-bto", agents).size(), 0U);
}

}  // namespace
}  // namespace tyer::feed
