#include "base/id.h"

#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tyer {
namespace {

RandomBits draw(std::mt19937_64& dice) {
  RandomBits bits{};
  for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(dice());
  return bits;
}

constexpr RandomBits zeros{};
constexpr RandomBits ones{255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

// The example of RFC 9562, appendix A.6: 2022-02-22T19:22:22Z.
TEST(Uuid, IsTheExampleOfTheStandard) {
  const Time at = from_micros(0x017F22E279B0 * 1000);

  EXPECT_EQ(uuid7(at, {0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F}),
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(Uuid, KeepsItsVersionAndVariantWhateverTheChance) {
  EXPECT_EQ(uuid7(from_micros(0), zeros), "00000000-0000-7000-8000-000000000000");
  EXPECT_EQ(uuid7(from_micros(0), ones), "00000000-0000-7fff-bfff-ffffffffffff");

  const std::regex layout("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::mt19937_64 dice(1);
  for (int i = 0; i < 200; ++i) {
    const std::string id = uuid7(from_micros(static_cast<std::int64_t>(dice() >> 12U)), draw(dice));
    EXPECT_TRUE(std::regex_match(id, layout)) << id;
  }
}

TEST(SortableId, HasAPrefixTenCharactersOfTimeAndSixteenOfChance) {
  EXPECT_EQ(sortable_id("cm_", from_micros(0), zeros), "cm_00000000000000000000000000");
  EXPECT_EQ(sortable_id("cm_", from_micros(1000), ones), "cm_0000000001zzzzzzzzzzzzzzzz");
  EXPECT_EQ(sortable_id("", from_micros(32'000), {0, 0, 0, 0, 1, 0, 0, 0, 0, 2}),
            "00000000100000000100000002");
}

TEST(SortableId, UsesCrockfordsAlphabet) {
  std::mt19937_64 dice(2);
  std::set<char> seen;

  for (int i = 0; i < 200; ++i) {
    for (const char c :
         sortable_id("", from_micros(static_cast<std::int64_t>(dice() >> 14U)), draw(dice))) {
      seen.insert(c);
    }
  }

  EXPECT_EQ(std::string(seen.begin(), seen.end()), "0123456789abcdefghjkmnpqrstvwxyz");
}

TEST(Ids, SortByTimeToTheMillisecond) {
  std::mt19937_64 dice(3);

  for (int i = 0; i < 500; ++i) {
    const auto first = static_cast<std::int64_t>(dice() % 4'000'000'000'000'000);
    const auto later = first + 1000 + static_cast<std::int64_t>(dice() % 1'000'000'000'000);
    SCOPED_TRACE(first);
    // The earlier one has the highest chance bits, so that only time can decide.
    EXPECT_LT(uuid7(from_micros(first), ones), uuid7(from_micros(later), zeros));
    EXPECT_LT(sortable_id("p_", from_micros(first), ones),
              sortable_id("p_", from_micros(later), zeros));
  }
}

TEST(Ids, DifferByChanceAlone) {
  std::mt19937_64 dice(4);
  std::set<std::string> ids;

  for (int i = 0; i < 1000; ++i) {
    const RandomBits bits = draw(dice);
    ids.insert(uuid7(from_micros(0), bits));
    ids.insert(sortable_id("x_", from_micros(0), bits));
  }

  EXPECT_EQ(ids.size(), 2000U);
}

TEST(Ids, HaveAPlaceForTimesBefore1970) {
  EXPECT_EQ(uuid7(from_micros(-5'000'000), zeros), uuid7(from_micros(0), zeros));
  EXPECT_EQ(sortable_id("a_", from_micros(-1), zeros), sortable_id("a_", from_micros(0), zeros));
}

}  // namespace
}  // namespace tyer
