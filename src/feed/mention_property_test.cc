// What holds of the mentions of any text (H8): nothing crashes, nobody is found who was not called.

#include <algorithm>
#include <functional>

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "base/text.h"
#include "feed/limits.h"
#include "feed/mention.h"
#include "feed/names.h"

namespace tyer::feed {
namespace {

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{"bot", "bot-two",    "Bot three", "연구봇",
                                            "b",   "에이전트 1", "é"};
  return all;
}

// Texts of pieces that mean something here, with any other bytes or characters between them.
rc::Gen<std::string> any_piece() {
  return rc::gen::weightedOneOf<std::string>(
      {{6, rc::gen::element<std::string>("@", "/", "`", "``", "```", "~~~", "\n", "\n\n", "\r\n",
                                         " ", ".", "-", "_", "@bot", "@BOT/", "@bot-two/배포",
                                         "@연구봇", "가", "힣", "리팩토링", "é", "日", "😀", "a")},
       {3, rc::gen::map(rc::gen::elementOf(names()),
                        [](const std::string& name) { return "@" + name; })},
       {1, rc::gen::arbitrary<std::string>()}});
}

rc::Gen<std::string> any_text() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(any_piece()),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& piece : pieces) text += piece;
                        return text;
                      });
}

bool holds(const std::string& what, const std::function<void(const std::string&)>& check) {
  return rc::check(what, [&] { check(*any_text()); });
}

TEST(MentionProperty, FindsOnlyWhatIsWritten) {
  EXPECT_TRUE(holds("a mention stands in the text as @name or @name/session", [](const auto& text) {
    const std::vector<Mention> found = find_mentions(text, names());
    RC_ASSERT(found.size() <= limits::mentions_max);
    RC_ASSERT(found.empty() || is_utf8(text));
    for (const Mention& mention : found) {
      RC_ASSERT(mention.agent < names().size());
      std::string written = "@" + names()[mention.agent];
      if (!mention.session.empty()) written += "/" + mention.session;
      RC_ASSERT(fold_name(text).find(fold_name(written)) != std::string::npos);
      const bool may_be = mention.session.empty() || check_session_name(mention.session);
      RC_ASSERT(mention.usable == may_be);
    }
  }));
}

TEST(MentionProperty, FindsNobodyTwice) {
  EXPECT_TRUE(holds("agents and sessions differ", [](const auto& text) {
    std::vector<std::pair<std::size_t, std::string>> seen;
    for (const Mention& mention : find_mentions(text, names())) {
      seen.emplace_back(mention.agent, fold_name(mention.session));
    }
    std::ranges::sort(seen);
    RC_ASSERT(std::ranges::adjacent_find(seen) == seen.end());
  }));
}

TEST(MentionProperty, DoesNotDependOnCase) {
  EXPECT_TRUE(holds("a text and its folded form speak to the same", [](const auto& text) {
    const auto as_written = find_mentions(text, names());
    const auto folded = find_mentions(fold_name(text), names());
    RC_ASSERT(as_written.size() == folded.size());
    for (std::size_t i = 0; i < folded.size(); ++i) {
      RC_ASSERT(folded[i].agent == as_written[i].agent);
      RC_ASSERT(folded[i].session == fold_name(as_written[i].session));
    }
  }));
}

TEST(MentionProperty, IsBlindToCode) {
  EXPECT_TRUE(holds("a block of code has no mentions", [](const auto& text) {
    std::string inside = text;
    std::ranges::replace(inside, '`', '.');
    RC_ASSERT(find_mentions("```\n" + inside + "\n```", names()).empty());
    std::ranges::replace(inside, '\n', ' ');
    std::ranges::replace(inside, '~', '.');
    RC_ASSERT(find_mentions("x `" + inside + "` y", names()).empty());
  }));
  EXPECT_TRUE(holds("what is code stays where it was", [](const auto& text) {
    const std::string plain = without_code(text);
    RC_ASSERT(plain.size() == text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      RC_ASSERT(plain[i] == text[i] || (plain[i] == ' ' && text[i] != '\n'));
    }
    RC_ASSERT(is_utf8(plain) || !is_utf8(text));
  }));
}

TEST(MentionProperty, IsFoundWhateverStandsInTheNextParagraph) {
  EXPECT_TRUE(holds("a first paragraph is read by itself", [](const auto& text) {
    RC_PRE(is_utf8(text));
    const auto found = find_mentions("@연구봇/배포 부탁해\n\n" + text, names());
    RC_ASSERT(!found.empty());
    RC_ASSERT(found.front() == (Mention{.agent = 3, .session = "배포"}));
  }));
}

// Any bytes, not only likely ones.
TEST(MentionProperty, HoldsForAnyBytes) {
  EXPECT_TRUE(rc::check("names of any bytes in any bytes", [] {
    const auto text = *rc::gen::arbitrary<std::string>();
    const auto agents = *rc::gen::arbitrary<std::vector<std::string>>();
    for (const Mention& mention : find_mentions("@" + text, agents)) {
      RC_ASSERT(mention.agent < agents.size());
    }
  }));
}

}  // namespace
}  // namespace tyer::feed
