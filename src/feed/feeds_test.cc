// Feeds (H4): made, renamed, put in order, deleted.

#include "feed/feeds.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::member;
using testing::must;
using testing::Texts;

class FeedTest : public ::testing::Test {
 protected:
  Texts names() {
    Texts names;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto feeds, list_feeds(view));
      for (const core::Subject& feed : feeds) names.push_back(member(feed.state, "name"));
      return {};
    });
    return names;
  }

  Result<> rename(const std::string& id, const std::string& name,
                  std::optional<std::uint64_t> rev = {}) {
    return world.decide([&](const core::View& view, const Ids&, Time) {
      return decide_rename_feed(view, id, name, rev);
    });
  }

  Result<> remove(const std::string& id, std::optional<std::uint64_t> rev = {}) {
    return world.decide([&](const core::View& view, const Ids&, Time now) {
      return decide_delete_feed(view, id, rev, now);
    });
  }

  Result<> order(const Texts& ids) {
    return world.decide(
        [&](const core::View& view, const Ids&, Time) { return decide_order_feeds(view, ids); });
  }

  Result<> add(const std::string& name) {
    return world.decide([&](const core::View& view, Ids& ids, Time now) -> Result<core::Change> {
      TYER_TRY(NewFeed made, decide_add_feed(view, world.human(), name, ids, now));
      return std::move(made.change);
    });
  }

  FeedWorld world;  // It has a feed "main".
};

using Feed = FeedTest;

TEST_F(Feed, SaysWhoMadeItAndWhenToTheMicrosecond) {
  world.pass(Span(123'456));
  const std::string id = world.feed("릴리스");

  EXPECT_TRUE(id.starts_with("fd_"));
  const std::string key = "feed/" + id;
  EXPECT_EQ(world.state(key, "name"), "릴리스");
  EXPECT_EQ(world.state(key, "author_type"), "human");
  EXPECT_EQ(world.state(key, "created_by"), "admin");
  EXPECT_EQ(world.state(key, "author_name"), "Ada");
  EXPECT_EQ(world.state(key, "created_at"), "2026-01-02T03:04:05.123456Z");
}

TEST_F(Feed, NeedsANameOfOneLine) {
  for (const std::string name : {"", "  ", "a\nb", "\xff", "a\u200bb", "a\u202eb"}) {
    EXPECT_EQ(fault_of(add(name)), "invalid") << name;
    EXPECT_EQ(fault_of(rename(world.main_feed, name)), "invalid") << name;
  }
  EXPECT_EQ(fault_of(add(std::string(101, 'a'))), "invalid");
  EXPECT_EQ(fault_of(add(std::string(100, 'a'))), "none");
}

TEST_F(Feed, IsRenamedUnlessSomebodyElseWasSooner) {
  must(rename(world.main_feed, "first", 1));

  EXPECT_EQ(fault_of(rename(world.main_feed, "second", 1)), "conflict");
  EXPECT_EQ(fault_of(rename("fd_none", "x")), "not_found");
  EXPECT_EQ(names(), (Texts{"first"}));
}

TEST_F(Feed, HasANameOfItsOwn) {
  const std::string other = world.feed("other");

  EXPECT_EQ(fault_of(add("MAIN")), "conflict");
  EXPECT_EQ(fault_of(rename(other, "Main")), "conflict");
  EXPECT_EQ(fault_of(rename(other, "Other")), "none") << "its own";
  must(remove(world.main_feed));
  EXPECT_EQ(fault_of(add("main")), "none") << "it is free again";
}

TEST_F(Feed, ThatHasTheNameOfAnotherFromBeforeStaysInUse) {
  must(world.decide([](const core::View&, const Ids&, Time) -> Result<core::Change> {
    return core::Change{.events = {{"feed/fd_old", "feed.created", R"({"name":"main"})"}}};
  }));

  must(world.try_write({.actor = world.human(), .feed = "fd_old", .title = "", .content = "x"}));
  must(order({"fd_old"}));
  must(rename("fd_old", "second"));
  EXPECT_EQ(names(), (Texts{"second", "main"}));
}

TEST_F(Feed, ComesLastAndIsPutInOrder) {
  const std::string b = world.feed("b");
  const std::string c = world.feed("c");
  EXPECT_EQ(names(), (Texts{"main", "b", "c"}));

  must(order({c}));
  EXPECT_EQ(names(), (Texts{"c", "main", "b"}));
  must(order({b, world.main_feed, c, b}));
  EXPECT_EQ(names(), (Texts{"b", "main", "c"}));
  EXPECT_EQ(fault_of(order({b, "fd_none"})), "not_found");
  world.feed("d");
  EXPECT_EQ(names(), (Texts{"b", "main", "c", "d"}));
}

TEST_F(Feed, ThatIsInOrderIsLeftAlone) {
  const std::string b = world.feed("b");
  must(order({b}));
  const std::size_t before = world.events().size();

  must(order({b}));

  EXPECT_EQ(world.events().size(), before);
}

TEST_F(Feed, ThatIsDeletedTakesItsPostsOutOfReach) {
  const std::string post = world.post(world.human(), "글");
  must(remove(world.main_feed));

  EXPECT_EQ(names(), Texts{});
  const auto fault = [&](const Writing& writing) { return fault_of(world.try_write(writing)); };
  EXPECT_EQ(fault({.actor = world.human(), .feed = world.main_feed, .content = "x"}), "not_found");
  EXPECT_EQ(fault({.actor = world.human(), .post = post, .content = "x"}), "not_found");
  EXPECT_EQ(fault_of(world.try_delete(world.human(), "post", post)), "not_found");
  EXPECT_EQ(fault_of(remove(world.main_feed)), "not_found");
  EXPECT_EQ(fault_of(rename(world.main_feed, "x")), "not_found");
  EXPECT_EQ(fault_of(order({world.main_feed})), "not_found");
}

}  // namespace
}  // namespace tyer::feed
