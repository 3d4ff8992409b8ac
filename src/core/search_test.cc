// What a search finds (H7), and that an index never keeps it from being found.

#include "core/search.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/limits.h"

namespace tyer::core {
namespace {

std::vector<std::string> words_of(std::string_view query) {
  const auto words = read_words(query);
  EXPECT_TRUE(words) << query;
  return words ? *words : std::vector<std::string>();
}

bool finds(std::string_view query, std::string_view text) {
  return holds(text, words_of(query));
}

// Whether an index would show a text with these grams.
bool is_shown(std::string_view text, const std::vector<Gram>& wanted) {
  std::set<std::string> grams;
  std::string all = grams_of(text) + " ";
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find(' ', at);
    grams.insert(all.substr(at, end - at));
    at = end + 1;
  }
  for (const Gram& gram : wanted) {
    const auto found = grams.lower_bound(gram.text);
    if (found == grams.end()) return false;
    if (gram.is_prefix ? !found->starts_with(gram.text) : *found != gram.text) return false;
  }
  return true;
}

TEST(Search, FindsWordsAlsoInsideOthersWhateverTheirCaseAndOrder) {
  EXPECT_TRUE(finds("deploy", "We REDEPLOYED it"));
  EXPECT_TRUE(finds("it we", "We did it"));
  EXPECT_TRUE(finds("배포", "자동배포를 시작합니다"));
  EXPECT_TRUE(finds("배포 시작", "자동배포를 시작합니다"));
  EXPECT_TRUE(finds("배", "자동배포를"));
  EXPECT_TRUE(finds("ÉCOLE дом Ωμέγα", "l'école ДОМ ωΜέγα"));
  EXPECT_TRUE(finds("c++ ->", "in C++ p->x"));
  EXPECT_FALSE(finds("deploy undo", "We deployed it"));
  EXPECT_FALSE(finds("배포판", "배포 판"));
}

TEST(Search, NeedsAWordThatAnIndexCanFind) {
  for (const char* query : {"", "  \t\n", "a", "a b c", "é"}) {
    const auto words = read_words(query);
    ASSERT_FALSE(words) << query;
    EXPECT_EQ(words.error().fault, Fault::invalid);
  }
  EXPECT_EQ(words_of("c 언어"), (std::vector<std::string>{"c", "언어"}));
  EXPECT_EQ(words_of("Ab  aB\u3000ab"), (std::vector<std::string>{"ab"}));
}

TEST(Search, HasABoundOnWhatIsAsked) {
  EXPECT_EQ(read_words(std::string(limits::search_query_bytes_max + 1, 'x')).error().fault,
            Fault::limit);
  EXPECT_EQ(read_words("aa bb cc dd ee ff gg hh ii jj kk").error().fault, Fault::limit);
  EXPECT_EQ(read_words("\xff\xfe").error().fault, Fault::invalid);
}

TEST(Search, CutsATextThatIsTooLongAtACharacter) {
  std::string text(limits::search_text_bytes_max - 1, 'x');
  text += "가나다";
  const std::string clean = clean_text(text);
  EXPECT_LE(clean.size(), limits::search_text_bytes_max);
  EXPECT_TRUE(clean.ends_with('x'));
  EXPECT_EQ(clean_text(std::string("a\0b", 3)), "a b");
}

TEST(Search, ShowsWhereItWasFound) {
  const std::string text = "제목\n" + std::string(100, '.') + "가나다" + std::string(500, '.');
  const Excerpt shown = excerpt(text, words_of("가나다"));
  EXPECT_EQ(shown.start, 40U);
  EXPECT_EQ(shown.length, 3U);
  EXPECT_EQ(shown.text, std::string(40, '.') + "가나다" + std::string(157, '.'));

  EXPECT_EQ(excerpt("Ein HAUS", words_of("haus")),
            (Excerpt{.text = "Ein HAUS", .start = 4, .length = 4}));
  EXPECT_EQ(excerpt("nothing", words_of("haus")), (Excerpt{.text = "nothing"}));
}

using Parts = std::vector<std::string>;

std::string joined(const Parts& parts, std::size_t from, std::size_t count) {
  std::string text;
  for (std::size_t i = from; i < parts.size() && i < from + count; ++i) text += parts[i];
  return text;
}

// Letters that are likely to meet, and what query languages are made of.
rc::Gen<Parts> some_parts() {
  const Parts letters{"a", "b", "A",  "é",  "É", "가", "나",   "다",  "ab",    "\"", "'",
                      "*", " ", "\n", "\\", ":", "🙂", "\x01", "AND", "NEAR(", "-",  "^"};
  return rc::gen::container<Parts>(rc::gen::elementOf(letters));
}

TEST(Search, IsNeverKeptFromFindingByTheIndex) {
  EXPECT_TRUE(rc::check("what holds the words has the grams", [] {
    const Parts parts = *some_parts();
    const std::string text = joined(parts, 0, parts.size());
    const auto words = read_words(joined(parts, *rc::gen::inRange<std::size_t>(0, parts.size() + 1),
                                         *rc::gen::inRange<std::size_t>(1, 12)));
    if (!words) return;
    RC_ASSERT(holds(text, *words));
    RC_ASSERT(is_shown(text, grams_wanted(*words)));
    RC_ASSERT(!grams_wanted(*words).empty());
  }));
}

TEST(Search, BearsAnyBytes) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& text, const std::string& query) {
    (void)grams_of(clean_text(text));
    const auto words = read_words(query);
    if (!words) return;
    for (const std::string& word : *words) RC_ASSERT(!word.contains('\0') && !word.contains(' '));
    const Excerpt shown = excerpt(text, *words);
    RC_ASSERT(text.contains(shown.text));
  }));
}

}  // namespace
}  // namespace tyer::core
