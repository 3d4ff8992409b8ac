// Posts and comments (H4, H6): what is stored, what is refused, who may change it.

#include "feed/writing.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;
using testing::Texts;

class WritingTest : public ::testing::Test {
 protected:
  WritingTest() { world.agent("bot"); }

  std::string fault(const std::string& content, const std::string& title = "") {
    return std::string(fault_of(world.try_write(
        {.actor = me, .feed = world.main_feed, .title = title, .content = content})));
  }

  Result<> edit(const Actor& actor, const std::string& kind, const std::string& id,
                const std::string& content, std::optional<std::uint64_t> rev = {}) {
    return world.decide([&](const core::View& view, const Ids&, Time now) {
      const Edit edit{
          .actor = actor, .kind = kind, .id = id, .content = content, .expected_rev = rev};
      return decide_edit(view, edit, now);
    });
  }

  std::string content(const std::string& key) { return world.state(key, "content"); }

  FeedWorld world;
  const Actor me = world.human();
};

using WrittenText = WritingTest;
using Post = WritingTest;
using Comment = WritingTest;

TEST_F(Post, SaysWhatWhoWhereAndWhen) {
  const std::string id = must(
      world.try_write({.actor = me, .feed = world.main_feed, .title = "제목", .content = "내용"}));

  EXPECT_TRUE(id.starts_with("ps_"));
  const auto post = world.subject("post/" + id);
  ASSERT_TRUE(post);
  EXPECT_EQ(post->parent, "feed/" + world.main_feed);
  EXPECT_EQ(must(parse_json(post->state)), (Json{{"title", "제목"},
                                                 {"content", "내용"},
                                                 {"feed_id", world.main_feed},
                                                 {"author_type", "human"},
                                                 {"created_by", "admin"},
                                                 {"author_name", "Ada"},
                                                 {"created_at", "2026-01-02T03:04:05.000000Z"},
                                                 {"targets", Json::array()}}));
}

TEST_F(Comment, SaysWhatWhoWhereAndWhen) {
  world.add_session("bot/a");
  const std::string post = world.post(me, "글");
  const std::string id = world.comment(world.run_of("bot/a"), post, "답");

  EXPECT_TRUE(id.starts_with("cm_"));
  const auto comment = world.subject("comment/" + id);
  ASSERT_TRUE(comment);
  EXPECT_EQ(comment->parent, "post/" + post);
  EXPECT_EQ(must(parse_json(comment->state)), (Json{{"content", "답"},
                                                    {"post_id", post},
                                                    {"feed_id", world.main_feed},
                                                    {"author_type", "bot"},
                                                    {"created_by", world.agent_id("bot")},
                                                    {"author_name", "bot"},
                                                    {"session_id", world.session_id("bot/a")},
                                                    {"answers", Json::array()},
                                                    {"created_at", "2026-01-02T03:04:05.000000Z"},
                                                    {"targets", Json::array()}}));
}

TEST_F(WrittenText, HasABound) {
  EXPECT_EQ(fault(std::string(limits::content_bytes_max, 'a')), "none");
  EXPECT_EQ(fault(std::string(limits::content_bytes_max, '"')), "none");
  EXPECT_EQ(fault(std::string(limits::content_bytes_max + 1, 'a')), "limit");
  EXPECT_EQ(fault("x", std::string(300, 'a')), "none");
  EXPECT_EQ(fault("x", std::string(301, 'a')), "invalid");
}

TEST_F(WrittenText, IsSomethingAndUtf8) {
  for (const std::string& bad :
       {std::string(), std::string(" \t\r\n"), std::string("\xff"), std::string("a\0b", 3)}) {
    EXPECT_EQ(fault(bad), "invalid") << bad;
  }
  EXPECT_EQ(fault("x", "two\nlines"), "invalid");
  EXPECT_EQ(fault("한글 😀\n`code`"), "none");
}

TEST_F(WrittenText, NeedsAPlace) {
  const auto fault_at = [&](const std::string& feed, const std::string& post) {
    return fault_of(world.try_write({.actor = me, .feed = feed, .post = post, .content = "x"}));
  };

  for (const std::string id : {"none", "fd_0", "../x", "a//b", "한글"}) {
    EXPECT_EQ(fault_at(id, ""), "not_found") << id;
    EXPECT_EQ(fault_at("", id), "not_found") << id;
  }
  EXPECT_EQ(fault_at("", ""), "not_found");
}

TEST_F(WrittenText, IsChangedByItsAuthorAndByPeople) {
  world.agent("two");
  const std::string post = world.post(world.bot("bot"), "글");
  const std::string comment = world.comment(me, post, "말");

  EXPECT_EQ(fault_of(edit(world.bot("bot"), "post", post, "bot의 글")), "none");
  EXPECT_EQ(fault_of(edit(world.bot("two"), "post", post, "two")), "denied");
  EXPECT_EQ(fault_of(edit(world.bot("bot"), "comment", comment, "bot")), "denied");
  EXPECT_EQ(content("post/" + post), "bot의 글");
  EXPECT_EQ(fault_of(edit(me, "post", post, "사람의 글")), "none");
  EXPECT_EQ(content("post/" + post), "사람의 글");
  EXPECT_EQ(content("comment/" + comment), "말");
  EXPECT_EQ(fault_of(world.try_delete(world.bot("two"), "post", post)), "denied");
  EXPECT_EQ(fault_of(world.try_delete(world.bot("bot"), "comment", comment)), "denied");
}

TEST_F(WrittenText, ThatIsChangedWakesNobody) {
  const std::string post = world.post(me, "글");

  must(edit(me, "post", post, "@bot/새것 이제는?"));

  EXPECT_EQ(world.targets(post), Texts{});
  EXPECT_EQ(world.sessions("bot"), (Texts{"default"}));
  EXPECT_EQ(world.pending("bot/default"), Texts{});
}

TEST_F(WrittenText, IsChangedUnlessSomebodyElseWasSooner) {
  const std::string post = world.post(me, "글");
  must(edit(me, "post", post, "하나", 1));

  EXPECT_EQ(fault_of(edit(me, "post", post, "둘", 1)), "conflict");
  EXPECT_EQ(fault_of(edit(me, "post", post, "")), "invalid");
  EXPECT_EQ(fault_of(edit(me, "post", post, std::string(200'000, 'a'))), "limit");
  const auto nothing = world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_edit(view, {.actor = me, .kind = "post", .id = post}, now);
  });
  EXPECT_EQ(fault_of(nothing), "invalid");
  EXPECT_EQ(content("post/" + post), "하나");
}

TEST_F(Post, ThatIsDeletedIsOutOfReachWithAllBelowIt) {
  const std::string post = world.post(me, "글");
  const std::string comment = world.comment(me, post, "말");
  must(world.try_delete(me, "post", post));

  EXPECT_EQ(world.status("post/" + post), "deleted");
  EXPECT_EQ(world.status("thread/" + post), "closed");
  EXPECT_EQ(fault_of(world.try_write({.actor = me, .post = post, .content = "x"})), "not_found");
  EXPECT_EQ(fault_of(edit(me, "post", post, "x")), "not_found");
  EXPECT_EQ(fault_of(edit(me, "comment", comment, "x")), "not_found");
  EXPECT_EQ(fault_of(world.try_delete(me, "post", post)), "not_found");
  EXPECT_EQ(fault_of(world.try_delete(me, "comment", comment)), "not_found");
}

TEST_F(Comment, IsCountedUntilItIsDeleted) {
  const std::string post = world.post(me, "글");
  const auto count = [&] { return world.state("thread/" + post, "comment_count"); };
  EXPECT_EQ(count(), "0");

  const std::string first = world.comment(me, post, "하나");
  world.comment(world.bot("bot"), post, "둘");
  EXPECT_EQ(count(), "2");
  must(world.try_delete(me, "comment", first));
  EXPECT_EQ(count(), "1");
  EXPECT_EQ(fault_of(world.try_delete(me, "comment", first)), "not_found");
  EXPECT_EQ(count(), "1");
}

TEST_F(Comment, ByAnAgentMakesTheThreadUnread) {
  const std::string mine = world.post(me, "글");
  const std::string theirs = world.post(world.bot("bot"), "글");
  EXPECT_EQ(world.status("thread/" + mine), "read");
  EXPECT_EQ(world.status("thread/" + theirs), "unread");

  world.comment(me, mine, "내 말");
  EXPECT_EQ(world.status("thread/" + mine), "read");
  world.comment(world.bot("bot"), mine, "봇의 말");
  EXPECT_EQ(world.status("thread/" + mine), "unread");
}

// A notice of one session must not look like one of another.
TEST_F(Comment, NoticeSaysNothingOfTheNoticeBefore) {
  const std::string post = world.post(me, "@bot");
  for (int i = 0; i < 4; ++i) world.wake("bot/default");
  EXPECT_TRUE(world.state("thread/" + post, "notice").contains("session_id"));

  world.comment(me, post, "@bot/日本");

  const std::string notice = world.state("thread/" + post, "notice");
  EXPECT_TRUE(notice.contains("not a possible session name"));
  EXPECT_FALSE(notice.contains("session_id"));
}

TEST_F(Comment, ThatIsRefusedLeavesNothing) {
  const std::size_t before = world.events().size();

  EXPECT_EQ(fault("@bot/새것 " + std::string(limits::content_bytes_max, 'a')), "limit");

  EXPECT_EQ(world.events().size(), before);
  EXPECT_EQ(world.sessions("bot"), (Texts{"default"}));
}

}  // namespace
}  // namespace tyer::feed
