// Ids of new things (H4, H5): they grow as the log does, and no two are the same.

#include "feed/ids.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "feed/feeds.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::must;

constexpr RandomBits low_bits{};
constexpr RandomBits high_bits{255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

TEST(FeedIds, ArePrefixedAndSortable) {
  FeedWorld world;
  world.read([&](const core::View& view) -> Result<> {
    TYER_TRY(Ids ids, Ids::of(view, world.time.now, high_bits));
    EXPECT_TRUE(std::regex_match(ids.next("cm_"), std::regex("cm_[0-9a-hjkmnp-tv-z]{26}")));
    return {};
  });
  EXPECT_EQ(sortable_part("cm_01j8"), "01j8");
}

TEST(FeedIds, GrowWithinOneChange) {
  FeedWorld world;
  world.read([&](const core::View& view) -> Result<> {
    TYER_TRY(Ids ids, Ids::of(view, world.time.now, high_bits));
    std::string before = ids.next("ss_");
    for (int i = 0; i < 1'000; ++i) {
      const std::string next = ids.next("ss_");
      EXPECT_LT(before, next);
      before = next;
    }
    return {};
  });
}

// Makes a feed, and adds its id to `made`. Every other one has the lower chance bits than the one
// before, so that only the log can decide.
FeedWorld::Decision adding(std::vector<std::string>& made) {
  return [&made](const core::View& view, const Ids&, Time now) -> Result<core::Change> {
    TYER_TRY(Ids ids, Ids::of(view, now, made.size() % 2 == 0 ? high_bits : low_bits));
    TYER_TRY(NewFeed feed, decide_add_feed(view, {}, fmt::format("f{}", made.size()), ids, now));
    made.push_back(feed.id);
    return std::move(feed.change);
  };
}

void expect_growing(const std::vector<std::string>& ids) {
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(FeedIds, GrowFromChangeToChangeAtOneTime) {
  FeedWorld world;
  std::vector<std::string> made;

  for (int i = 0; i < 4; ++i) must(world.decide(adding(made)));

  expect_growing(made);
}

TEST(FeedIds, GrowFromChangeToChangeInOneTransaction) {
  FeedWorld world;
  std::vector<std::string> made;

  must(world.decide_together({4, adding(made)}));

  expect_growing(made);
}

// An item is named after its source without the prefix: that part alone must be enough.
TEST(FeedIds, OfAllThingsDifferInThePartThatSorts) {
  FeedWorld world;
  world.agent("bot");
  world.agent("two");
  for (int i = 0; i < 5; ++i) {
    const std::string post = world.post(world.human(), "@bot/a @two/b @bot/c 해줘");
    world.comment(world.human(), post, "@two/d 이것도");
    if (i % 2 == 0) world.pass(Span(1));
    world.comment(world.bot("bot"), post, "네 @two");
  }

  std::vector<std::string> made;
  for (const core::Event& event : world.events()) {
    if (!event.type.ends_with(".created")) continue;
    made.emplace_back(sortable_part(event.key.substr(event.key.find('/') + 1)));
  }
  EXPECT_EQ(made.size(), 1U + 4U + 4U + 15U);
  std::ranges::sort(made);
  EXPECT_EQ(std::ranges::adjacent_find(made), made.end());
}

}  // namespace
}  // namespace tyer::feed
