// What every store finds by words (H7): the same as one that reads every text, whatever was written
// and whatever is looked for.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "core/search.h"
#include "store/conformance.h"

namespace tyer::testing {
namespace {

using store::Txn;
using Keys = std::vector<std::string>;

// A subject that says `text`, as the files store reads it and the others index it.
std::string said(const core::Subject& subject) {
  const auto state = parse_json_object(subject.state);
  return state ? text_or(*state, "says") : "";
}

class SearchIn : public AnyStore {
 protected:
  void say(const std::string& key, const std::string& text) {
    ASSERT_OK(store::write(*store, [&](Txn& txn) { return put(txn, key, text); }));
  }

  static Result<> put(Txn& txn, const std::string& key, const std::string& text) {
    core::Subject row = subject(key);
    row.state = dump_json({{"says", text}});
    txn.put_text(key, core::clean_text(said(row)));
    txn.put(std::move(row));
    return {};
  }

  static Keys search(const core::View& view, const std::string& query,
                     const std::string& kind = "note", std::size_t limit = 100) {
    const auto words = core::read_words(query);
    EXPECT_TRUE(words) << query;
    core::TextQuery wanted{.kind = kind, .words = *words, .text = said, .limit = limit};
    Keys all;
    for (int pages = 0; pages < 1'000; ++pages) {
      const auto found = view.search(wanted);
      EXPECT_TRUE(found) << found.error().what;
      if (!found) return all;
      EXPECT_LE(found->keys.size(), limit);
      all.insert(all.end(), found->keys.begin(), found->keys.end());
      if (found->next.empty()) break;
      wanted.before = found->next;
    }
    return all;
  }

  Keys find(const std::string& query, const std::string& kind = "note", std::size_t limit = 100) {
    Keys keys;
    const auto read = store->read([&](const core::View& view) -> Result<> {
      keys = search(view, query, kind, limit);
      return {};
    });
    EXPECT_TRUE(read) << read.error().what;
    return keys;
  }
};

TYER_ON_EVERY_STORE(SearchIn);

TEST_P(SearchIn, FindsTheNewestFirstByEveryWord) {
  say("note/1", "The deploy of Friday");
  say("note/2", "자동배포를 시작합니다");
  say("note/3", "배포 실패: DEPLOY again");
  say("memo/4", "deploy 배포");

  EXPECT_EQ(find("deploy"), (Keys{"note/3", "note/1"}));
  EXPECT_EQ(find("배포"), (Keys{"note/3", "note/2"}));
  EXPECT_EQ(find("배"), (Keys{"note/3", "note/2"}));
  EXPECT_EQ(find("동배포를"), (Keys{"note/2"}));
  EXPECT_EQ(find("배포 deploy"), (Keys{"note/3"}));
  EXPECT_EQ(find("de"), (Keys{"note/3", "note/1"}));
  EXPECT_EQ(find("Friday deploy"), (Keys{"note/1"}));
  EXPECT_EQ(find("deploy", "memo"), (Keys{"memo/4"}));
  EXPECT_EQ(find("deploy", "not"), Keys());
  EXPECT_EQ(find("undeploy"), Keys());
}

TEST_P(SearchIn, FollowsChangesAndForgetsWhatIsTakenOut) {
  say("note/1", "one apple");
  say("note/2", "two apples");
  say("note/1", "one pear");
  EXPECT_EQ(find("apple"), (Keys{"note/2"}));
  EXPECT_EQ(find("pear"), (Keys{"note/1"}));
  EXPECT_EQ(find("one"), (Keys{"note/1"}));

  say("note/2", "");
  EXPECT_EQ(find("apple"), Keys());
  EXPECT_EQ(find("two"), Keys());
  say("note/3", "apple");
  EXPECT_EQ(find("apple"), (Keys{"note/3"}));
}

TEST_P(SearchIn, PagesWithoutSkippingOrRepeatingWhileOthersWrite) {
  for (int i = 100; i < 160; ++i) say(fmt::format("note/{}", i), i % 2 == 0 ? "even" : "odd");
  const auto words = core::read_words("even");
  ASSERT_TRUE(words);
  core::TextQuery wanted{.kind = "note", .words = *words, .text = said, .limit = 7};
  Keys seen;
  for (int pages = 0; pages < 20; ++pages) {
    core::TextFound found;
    ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(found, view.search(wanted));
      return {};
    }));
    seen.insert(seen.end(), found.keys.begin(), found.keys.end());
    if (found.next.empty()) break;
    wanted.before = found.next;
    // What is written meanwhile, and what was just read, goes or changes.
    say(fmt::format("note/{}", 200 + pages), "even newer");
    say(found.keys.back(), "");
  }
  Keys expected;
  for (int i = 158; i >= 100; i -= 2) expected.push_back(fmt::format("note/{}", i));
  EXPECT_EQ(seen, expected);
}

TEST_P(SearchIn, SeesWhatItsOwnTransactionWrote) {
  say("note/1", "before");
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    TYER_TRY_OK(put(txn, "note/2", "before and after"));
    EXPECT_EQ(search(txn, "before"), (Keys{"note/2", "note/1"}));
    return {};
  }));
}

TEST_P(SearchIn, KeepsNothingOfAWorkThatFailed) {
  ASSERT_FALSE(store::write(*store, [&](Txn& txn) -> Result<> {
    TYER_TRY_OK(put(txn, "note/1", "undone"));
    return fail(Fault::conflict, "no");
  }));
  say("note/2", "done");
  EXPECT_EQ(find("undone"), Keys());
}

TEST_P(SearchIn, HasRoomForTheLongestText) {
  std::string text;
  for (unsigned i = 0; text.size() < limits::search_text_bytes_max; ++i) {
    text += fmt::format("{:x}", 7'919U * i);
    const unsigned syllable = 0xAC00 + i % 11'000;
    text += static_cast<char>(0xE0U | (syllable >> 12U));
    text += static_cast<char>(0x80U | ((syllable >> 6U) & 0x3FU));
    text += static_cast<char>(0x80U | (syllable & 0x3FU));
    if (i == 10'000) text += " 바늘needle ";
  }
  say("note/1", text);
  EXPECT_EQ(find("늘needl"), (Keys{"note/1"}));
}

// Numbers that look thrown, the same on every machine.
class Dice {
 public:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::size_t>((state_ >> 33U) % bound);
  }

 private:
  std::uint64_t state_ = 7;
};

// Letters that meet often, and everything that means something to a query language.
std::string some_text(Dice& dice, std::size_t parts_max) {
  static const Keys parts{"a",
                          "b",
                          "ab",
                          "가",
                          "나",
                          "가나",
                          "\"",
                          "'",
                          "''",
                          "\\",
                          "*",
                          ":*",
                          "(",
                          ")",
                          "&",
                          "|",
                          "!",
                          "-",
                          "^",
                          "+",
                          "{",
                          "}",
                          "AND ",
                          "OR ",
                          "NOT ",
                          "NEAR(a b, 2)",
                          "grams:",
                          "<->",
                          " ",
                          " ",
                          "\n",
                          "%",
                          "_",
                          "é",
                          "É",
                          "🙂",
                          "--",
                          ";",
                          "\xEE\x80\x80note",
                          "$1",
                          "?",
                          "\x01",
                          "\x7f",
                          std::string(1, '\0')};
  std::string text;
  for (std::size_t i = dice.below(parts_max) + 1; i > 0; --i)
    text += parts[dice.below(parts.size())];
  return text;
}

TEST_P(SearchIn, FindsWhatReadingEverythingFindsAndTakesNoTextForAQuery) {
  Dice dice;
  std::map<std::string, std::string> texts;
  ASSERT_OK(store::write(*store, [&](Txn& txn) -> Result<> {
    for (int i = 100; i < 200; ++i) {
      const std::string key = fmt::format("note/{}", i);
      texts[key] = some_text(dice, 12);
      TYER_TRY_OK(put(txn, key, texts[key]));
    }
    return {};
  }));
  int found_some = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string query = some_text(dice, 3);
    const auto words = core::read_words(query);
    if (!words) continue;
    Keys expected;
    for (const auto& [key, text] : texts) {
      if (core::holds(text, *words)) expected.insert(expected.begin(), key);
    }
    ASSERT_EQ(find(query), expected) << query;
    found_some += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(found_some, 20);
}

TEST_P(SearchIn, TellsWhatItsIndexHas) {
  say("note/1", "한 마디");
  ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto known, view.indexed_text("note/1"));
    TYER_TRY(const auto unknown, view.indexed_text("note/2"));
    EXPECT_EQ(known.has_value(), GetParam() != "files");
    EXPECT_EQ(known.value_or("한 마디"), "한 마디");
    EXPECT_EQ(unknown.value_or(""), "");
    return {};
  }));
  const auto damage = store->check();
  ASSERT_OK(damage);
  EXPECT_EQ(*damage, Keys());
}

}  // namespace
}  // namespace tyer::testing
