#include "core/key.h"

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

TEST(Key, IsAKindAndParts) {
  const std::vector<std::string> keys{
      "lock/TSK-01-01",
      "session/research-bot/리팩토링",
      "task/fix-ts/3",
      "k/x",
      "kind_2/x",
      "lock/a b",
      "lock/a%2Fb",
      "lock/...",
      "lock/.hidden",
      "lock/-rf",
      "lock/src\\auth",
      "lock/*",
      "lock/Ünïcode ✓ \xF0\x9F\x9A\x82",
      "lock/a/b/c/d/e/f",
      "lock/" + std::string(limits::key_bytes_max - 5, 'x'),
  };

  for (const std::string& key : keys) {
    const Result<> result = check_key(key);
    EXPECT_TRUE(result) << result.error().what;
  }
}

TEST(Key, SaysWhatIsWrongWithIt) {
  struct Row {
    std::string key;
    std::string_view reason;
  };
  const std::vector<Row> rows{
      {"", "must not be empty"},
      {"lock", "has no kind"},
      {"TSK-01-01", "has no kind"},
      {"/a", "does not start with a kind"},
      {"Lock/a", "does not start with a kind"},
      {"2lock/a", "does not start with a kind"},
      {"_lock/a", "does not start with a kind"},
      {"lo-ck/a", "does not start with a kind"},
      {"lo ck/a", "does not start with a kind"},
      {"락/a", "does not start with a kind"},
      {"../a", "does not start with a kind"},
      {"lock/", "has an empty part"},
      {"lock//a", "has an empty part"},
      {"lock/a/", "has an empty part"},
      {"lock/a//b", "has an empty part"},
      {"lock/.", "has a part that is a dot name"},
      {"lock/..", "has a part that is a dot name"},
      {"lock/../etc", "has a part that is a dot name"},
      {"lock/a/../b", "has a part that is a dot name"},
      {"lock/a/./b", "has a part that is a dot name"},
      {"lock/a\nb", "has a control character"},
      {"lock/a\x7f", "has a control character"},
      {"lock/\xC2\x85", "has a control character"},
      {std::string("lock/a\0b", 8), "has a control character"},
      {"lo\tck/a", "has a control character"},
      {"lock/\xFF", "is not UTF-8"},
      {"lock/\xED\xA0\x80", "is not UTF-8"},
      {"lock/" + std::string(limits::key_bytes_max - 4, 'x'), "has 241 bytes, the limit is 240"},
      {std::string(1'000'000, '/'), "has 1000000 bytes"},
  };

  for (const Row& row : rows) {
    const Result<> result = check_key(row.key);
    ASSERT_FALSE(result) << row.reason;
    EXPECT_EQ(result.error().fault, Fault::invalid);
    EXPECT_TRUE(result.error().what.contains(row.reason)) << result.error().what;
    EXPECT_FALSE(has_control_characters(result.error().what)) << result.error().what;
    EXPECT_LT(result.error().what.size(), 200U);
  }
}

// L: a key that people give may have 200 bytes; every kind of ours leaves room for it.
TEST(Key, HasRoomForTheLongestNameThatPeopleMayGive) {
  EXPECT_TRUE(check_key("lock/" + std::string(200, 'x')));
}

TEST(Key, FallsIntoItsKindAndItsRest) {
  EXPECT_EQ(kind_of("session/a/b"), "session");
  EXPECT_EQ(rest_of("session/a/b"), "a/b");
  EXPECT_EQ(kind_of("lock/TSK-01-01"), "lock");
  EXPECT_EQ(rest_of("lock/TSK-01-01"), "TSK-01-01");
}

TEST(Key, CoversItselfAndWhatLiesBelow) {
  struct Row {
    std::string_view root;
    std::string_view key;
    bool covered;
  };
  const std::vector<Row> rows{
      {"lock/a", "lock/a", true},    {"lock/a", "lock/a/b", true}, {"lock/a", "lock/a/b/c", true},
      {"lock", "lock/a", true},      {"lock/a", "lock/ab", false}, {"lock/a", "lock/a.b", false},
      {"lock/a/b", "lock/a", false}, {"lock/a", "locks/a", false}, {"lo", "lock/a", false},
      {"lock/a", "lock/A", false},
  };

  for (const Row& row : rows) {
    EXPECT_EQ(covers(row.root, row.key), row.covered) << row.root << " and " << row.key;
  }
}

TEST(Key, IsJudgedWithoutHarmWhateverTheBytes) {
  const std::string_view pieces = "lock/..a\xC2\x85\xFF\x00z";
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937_64 dice(seed);
    std::string key = seed % 2 == 0 ? "lock/" : "";
    for (std::uint64_t length = dice() % 16; length > 0; --length)
      key += pieces[dice() % pieces.size()];
    SCOPED_TRACE(seed);
    if (!check_key(key)) continue;
    EXPECT_EQ(std::string(kind_of(key)) + "/" + std::string(rest_of(key)), key);
    EXPECT_TRUE(covers(kind_of(key), key));
    EXPECT_TRUE(is_utf8(key));
    EXPECT_FALSE(("/" + key + "/").contains("/../"));
    EXPECT_FALSE(key.contains("//"));
  }
}

// The table in the document is this test's table: | `key` | yes | … or | `key` | no | … .
TEST(Key, IsAsItsDocumentSays) {
  std::ifstream document(TYER_SOURCE "/docs/formats/keys.md");
  int rows = 0;
  for (std::string line; std::getline(document, line);) {
    const bool valid = line.contains("` | yes |");
    if (!line.starts_with("| `") || (!valid && !line.contains("` | no |"))) continue;
    const std::string key = line.substr(3, line.find("` |") - 3);
    EXPECT_EQ(check_key(key).has_value(), valid) << key;
    ++rows;
  }
  EXPECT_GE(rows, 10);
}

}  // namespace
}  // namespace tyer::core
