// What the search knows follows from what happens, in the same commit: shown with posts and
// comments (H7).

#include <gtest/gtest.h>

#include "core/search.h"
#include "engine/audit.h"
#include "support/feed_world.h"

namespace tyer::engine {
namespace {

using testing::FeedWorld;
using testing::Texts;

Texts find(FeedWorld& world, const std::string& kind, const std::string& query) {
  Texts ids;
  world.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto words, core::read_words(query));
    TYER_TRY(const auto found, view.search({.kind = kind, .words = words}));
    ids.clear();
    for (const std::string& key : found.keys) ids.push_back(key.substr(kind.size() + 1));
    return {};
  });
  return ids;
}

std::vector<std::string> problems(FeedWorld& world) {
  std::vector<std::string> all;
  world.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const Audit found, audit(view, world.catalog, [](auto, auto) {}));
    all = found.problems;
    return {};
  });
  return all;
}

TEST(FeedSearch, FindsTitlesAndContents) {
  FeedWorld world;
  const auto post = world.try_write({.actor = world.human(),
                                     .feed = world.main_feed,
                                     .title = "배포 계획",
                                     .content = "On Friday"});
  ASSERT_TRUE(post);
  const std::string comment = world.comment(world.human(), *post, "배포는 금요일");

  EXPECT_EQ(find(world, "post", "배포"), Texts{*post});
  EXPECT_EQ(find(world, "post", "friday 계획"), Texts{*post});
  EXPECT_EQ(find(world, "comment", "배포"), Texts{comment});
  EXPECT_EQ(find(world, "feed", "main"), Texts());
  EXPECT_EQ(problems(world), Texts());
}

TEST(FeedSearch, ForgetsWhatIsChangedOrDeleted) {
  FeedWorld world;
  const std::string post = world.post(world.human(), "before");
  const std::string comment = world.comment(world.human(), post, "before");
  ASSERT_TRUE(world.decide([&](const core::View& view, feed::Ids&, Time now) {
    return feed::decide_edit(
        view, {.actor = world.human(), .kind = "post", .id = post, .content = "after"}, now);
  }));
  ASSERT_TRUE(world.try_delete(world.human(), "comment", comment));

  EXPECT_EQ(find(world, "post", "before"), Texts());
  EXPECT_EQ(find(world, "post", "after"), Texts{post});
  EXPECT_EQ(find(world, "comment", "before"), Texts());
  EXPECT_EQ(problems(world), Texts());
}

TEST(FeedSearch, IsAuditedAgainstWhatTheSubjectsSay) {
  FeedWorld world;
  const std::string post = world.post(world.human(), "true");
  ASSERT_TRUE(store::write(*world.store, [&](store::Txn& txn) -> Result<> {
    txn.put_text("post/" + post, "false");
    return {};
  }));

  const std::vector<std::string> found = problems(world);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found.front().contains("post/" + post)) << found.front();
  EXPECT_TRUE(found.front().contains("search")) << found.front();
}

TEST(FeedSearch, CostsNothingWhereNothingIsSaidAnew) {
  FeedWorld world;
  const std::string post = world.post(world.human(), "said once");
  std::size_t texts = 1;
  ASSERT_TRUE(store::write(*world.store, [&](store::Txn& txn) -> Result<> {
    TYER_TRY_OK(apply(txn, world.catalog,
                      {.events = {{"thread/" + post, "thread.noticed", "{}"},
                                  {"post/" + post, "post.updated", R"({"x":1})"}}},
                      {.actor = "tester"}));
    texts = txn.writes().texts.size();
    return {};
  }));
  EXPECT_EQ(texts, 0U);
}

}  // namespace
}  // namespace tyer::engine
