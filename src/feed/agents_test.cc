// Agents, their sessions and what proves who one is (H2, H3, H9, H10, H13, H14).

#include "feed/agents.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;
using testing::Texts;

class AgentTest : public ::testing::Test {
 protected:
  Result<> edit(const std::string& id, const AgentInput& input,
                std::optional<std::uint64_t> rev = {}) {
    return world.decide([&](const core::View& view, const Ids&, Time) {
      return decide_edit_agent(view, id, input, rev);
    });
  }

  Result<> remove(const std::string& id) {
    return world.decide([&](const core::View& view, const Ids&, Time now) {
      return decide_delete_agent(view, id, now);
    });
  }

  Result<> revoke(const std::string& id) {
    return world.decide(
        [&](const core::View& view, const Ids&, Time) { return decide_revoke(view, id, "lost"); });
  }

  // Makes an agent "bot" with an API key; returns the key's id.
  std::string key(const std::string& id, std::optional<Time> expires_at = {}) {
    if (world.agent_id("bot").empty()) world.agent("bot");
    const Credential made{.id = id,
                          .kind = "key",
                          .name = "laptop",
                          .agent = world.agent_id("bot"),
                          .hash = "5ec2e7",
                          .prefix = "ty_ab",
                          .expires_at = expires_at};
    must(world.decide([&](const core::View&, const Ids&, Time now) -> Result<core::Change> {
      return core::Change{.events = {make_credential(made, now)}};
    }));
    return id;
  }

  FeedWorld world;
  const Actor me = world.human();
};

using AnAgent = AgentTest;
using ASession = AgentTest;
using ACredential = AgentTest;
using Hidden = AgentTest;

TEST_F(AnAgent, HasADefaultSessionFromBirth) {
  const std::string id = world.agent("research-bot");

  EXPECT_TRUE(id.starts_with("ag_"));
  const std::string session = world.session_id("research-bot/default");
  EXPECT_TRUE(session.starts_with("ss_"));
  EXPECT_EQ(world.state("agent/" + id, "default_session"), session);
  EXPECT_EQ(world.subject("session/" + session)->parent, "agent/" + id);
  EXPECT_EQ(must(parse_json(world.subject("session/" + session)->state)),
            (Json{{"agent_id", id},
                  {"name", "default"},
                  {"is_default", true},
                  {"claude_session_id", ""},
                  {"followed_posts", Json::array()},
                  {"created_at", "2026-01-02T03:04:05.000000Z"}}));
}

TEST_F(AnAgent, HasANameOfItsOwnWhateverTheCase) {
  const std::string id = world.agent("Research-Bot");

  EXPECT_EQ(fault_of(world.try_agent("research-bot")), "conflict");
  EXPECT_EQ(fault_of(world.try_agent("a/b")), "invalid");
  EXPECT_EQ(fault_of(world.try_agent("")), "invalid");
  const std::string other = world.agent("other");
  EXPECT_EQ(fault_of(edit(other, {.name = "RESEARCH-BOT"})), "conflict");
  EXPECT_EQ(fault_of(edit(id, {.name = "research-bot"})), "none");
  EXPECT_EQ(world.state("agent/" + id, "name"), "research-bot");
}

TEST_F(AnAgent, IsOfAKnownType) {
  const std::string id = world.agent("bot");
  EXPECT_EQ(world.state("agent/" + id, "type"), "claude");

  for (const char* type : {"claude", "codex", "gemini", "command"}) {
    EXPECT_EQ(fault_of(edit(id, {.type = type})), "none") << type;
  }
  EXPECT_EQ(fault_of(edit(id, {.type = "hal"})), "invalid");
  must(edit(id, {.directory = "/home/ada/일", .model = "opus", .permission = "plan"}));
  EXPECT_EQ(world.state("agent/" + id, "working_directory"), "/home/ada/일");
  EXPECT_EQ(world.state("agent/" + id, "model"), "opus");
  EXPECT_EQ(world.state("agent/" + id, "permission_mode"), "plan");
  EXPECT_EQ(world.state("agent/" + id, "type"), "command");
}

TEST_F(AnAgent, IsChangedUnlessSomebodyElseWasSooner) {
  const std::string id = world.agent("bot");
  must(edit(id, {.model = "a"}, 1));

  EXPECT_EQ(fault_of(edit(id, {.model = "b"}, 1)), "conflict");
  EXPECT_EQ(fault_of(edit(id, {})), "invalid");
  EXPECT_EQ(fault_of(edit(id, {.model = "two\nlines"})), "invalid");
  EXPECT_EQ(fault_of(edit("ag_none", {.model = "b"})), "not_found");
}

TEST_F(AnAgent, GoesWithItsSessionsAndKeysAndLeavesItsName) {
  const std::string credential = key("cr_1");
  const std::string id = world.agent_id("bot");
  const std::string session = world.add_session("bot/a");

  must(remove(id));

  EXPECT_EQ(world.status("agent/" + id), "deleted");
  EXPECT_EQ(world.status("session/" + session), "deleted");
  EXPECT_EQ(world.status("credential/" + credential), "revoked");
  EXPECT_EQ(fault_of(remove(id)), "not_found");
  EXPECT_NE(world.agent("BOT"), id);
}

TEST_F(ASession, IsMadeByNameWithinTheLimit) {
  world.agent("bot");
  world.add_session("bot/리팩토링");
  world.add_session("bot/Deploy");

  EXPECT_EQ(world.sessions("bot"), (Texts{"default", "리팩토링", "Deploy"}));
  EXPECT_EQ(fault_of(world.try_session("bot/deploy")), "conflict");
  EXPECT_EQ(fault_of(world.try_session("bot/DEFAULT")), "conflict");
  EXPECT_EQ(fault_of(world.try_session("bot/문서 정리")), "invalid");
  EXPECT_EQ(fault_of(world.try_session("none/a")), "not_found");
  world.add_session("bot/c");
  world.add_session("bot/d");
  EXPECT_EQ(fault_of(world.try_session("bot/e")), "limit");
}

TEST_F(ASession, ThatIsTheDefaultCannotBeDeleted) {
  world.agent("bot");

  EXPECT_EQ(fault_of(world.try_delete_session("bot/default")), "conflict");
  EXPECT_EQ(fault_of(world.try_delete_session("bot/none")), "not_found");
  EXPECT_EQ(world.sessions("bot"), (Texts{"default"}));
}

TEST_F(ASession, ThatIsDeletedLeavesItsOpenItemsToTheDefaultOne) {
  world.agent("bot");
  const std::string both = world.post(me, "@bot @bot/a");
  const std::string named = world.post(me, "@bot/a 이거");
  const std::string comment = world.comment(me, named, "이것도");
  const std::string done = world.post(me, "@bot/a 그거");
  world.comment(world.run_of("bot/a", ""), done, "했습니다");
  const std::string id = world.session_id("bot/a");

  must(world.try_delete_session("bot/a"));

  EXPECT_EQ(world.pending("bot/default"), (Texts{both, named, comment}));
  EXPECT_EQ(world.state("session/" + id, "followed_posts"), "[]");
  EXPECT_EQ(world.status(item_key(id, named)), "moved");
  EXPECT_EQ(world.status(item_key(id, done)), "answered");
  EXPECT_EQ(world.targets(world.comment(me, named, "누가?")), (Texts{"bot/default follow"}));
  EXPECT_EQ(world.targets(world.comment(me, both, "누가?")), (Texts{"bot/default follow"}));
  // The name is free, for a session that knows nothing of the old one.
  world.post(me, "@bot/a 다시");
  EXPECT_NE(world.session_id("bot/a"), id);
  EXPECT_EQ(world.followed("bot/a").size(), 1U);
}

TEST_F(ASession, ThatIsDeletedLeavesItsThreadsToTheDefaultOne) {
  world.agent("bot");
  world.rules.followed_max = 4;
  Texts posts;
  for (int i = 0; i < 4; ++i) posts.push_back(world.post(me, "@bot/a"));
  const std::string own = world.post(me, "@bot");
  world.comment(me, posts[3], "@bot 도");
  must(world.try_delete(me, "post", posts[2]));

  must(world.try_delete_session("bot/a"));

  EXPECT_EQ(world.followed("bot/default"), (Texts{posts[0], posts[1], own, posts[3]}));
  for (const int i : {0, 1, 3}) {
    EXPECT_EQ(world.targets(world.comment(me, posts[static_cast<std::size_t>(i)], "누가?")),
              (Texts{"bot/default follow"}));
  }
  // It gives up none of its own for the threads of another.
  for (int i = 0; i < 3; ++i) posts.push_back(world.post(me, "@bot/b"));
  must(world.try_edit_session("bot/default", {.unfollow = {posts[0]}}));
  must(world.try_delete_session("bot/b"));
  EXPECT_EQ(world.followed("bot/default"), (Texts{posts[6], posts[1], own, posts[3]}));
  EXPECT_EQ(world.targets(world.comment(me, posts[6], "누가?")), (Texts{"bot/default follow"}));
  EXPECT_EQ(world.targets(world.comment(me, posts[4], "누가?")), Texts{});
}

TEST_F(ASession, IsNotDeletedIfItsItemsWouldBeLost) {
  world.agent("bot");
  const std::string post = world.post(me, "@bot/a");
  for (std::size_t i = 1; i < 250; ++i) world.comment(me, post, "더");
  const std::string last = world.comment(me, post, "하나 더");

  EXPECT_EQ(fault_of(world.try_delete_session("bot/a")), "limit");
  EXPECT_EQ(world.pending("bot/a").size(), 251U);
  must(world.try_delete(me, "comment", last));
  must(world.try_delete_session("bot/a"));
  EXPECT_EQ(world.pending("bot/default").size(), 250U);
}

TEST_F(ASession, KeepsItsConversationAndStatus) {
  world.agent("bot");
  const std::string key = "session/" + world.session_id("bot/default");
  must(world.try_edit_session("bot/default", {.conversation = "abc", .status = "running"}));
  EXPECT_EQ(world.state(key, "claude_session_id"), "abc");
  EXPECT_EQ(world.state(key, "status"), "running");

  must(world.try_edit_session("bot/default", {.conversation = "", .status = "idle"}));
  EXPECT_EQ(world.state(key, "claude_session_id"), "");
  EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {.conversation = "-x"})), "invalid");
  EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {.status = "asleep"})), "invalid");
  EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {})), "invalid");
  EXPECT_EQ(fault_of(world.try_edit_session("bot/none", {.status = "idle"})), "not_found");
  EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {.status = "idle", .expected_rev = 1})),
            "conflict");
}

TEST_F(ASession, FollowsWhatTwoWritersAddAndRemove) {
  world.agent("bot");
  Texts posts;
  for (int i = 0; i < 4; ++i) posts.push_back(world.post(me, "글"));
  must(world.try_edit_session("bot/default", {.follow = {posts[0], posts[1]}}));

  // Neither has seen what the other did.
  must(world.try_edit_session("bot/default", {.follow = {posts[2]}, .unfollow = {posts[0]}}));
  must(world.try_edit_session("bot/default", {.follow = {posts[3]}}));

  EXPECT_EQ(world.followed("bot/default"), (Texts{posts[1], posts[2], posts[3]}));
  EXPECT_EQ(world.targets(world.comment(me, posts[0], "?")), Texts{});
  EXPECT_EQ(world.targets(world.comment(me, posts[2], "?")), (Texts{"bot/default follow"}));
  must(world.try_edit_session("bot/default", {.followed = Texts{posts[0], posts[0]}}));
  EXPECT_EQ(world.followed("bot/default"), (Texts{posts[0]}));
  EXPECT_EQ(world.targets(world.comment(me, posts[0], "?")), (Texts{"bot/default follow"}));
  EXPECT_EQ(world.targets(world.comment(me, posts[2], "?")), Texts{});
}

TEST_F(ASession, FollowsFiftyPostsAndDropsTheOldest) {
  world.agent("bot");
  Texts posts;
  for (int i = 0; i < 51; ++i) posts.push_back(world.post(me, "글"));

  EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {.followed = posts})), "limit");
  const Texts first(posts.begin(), posts.begin() + 50);
  must(world.try_edit_session("bot/default", {.followed = first}));
  EXPECT_EQ(world.followed("bot/default"), first);
  must(world.try_edit_session("bot/default", {.follow = {posts[50]}}));
  EXPECT_EQ(world.followed("bot/default"), Texts(posts.begin() + 1, posts.end()));
}

TEST_F(ASession, FollowsOnlyWhatThereIs) {
  world.agent("bot");
  const std::string deleted = world.post(me, "글");
  must(world.try_delete(me, "post", deleted));
  const std::string feed = world.feed("f");
  const std::string lost =
      must(world.try_write({.actor = me, .feed = feed, .title = "", .content = "글"}));
  must(world.decide([&](const core::View& view, const Ids&, Time now) {
    return decide_delete_feed(view, feed, {}, now);
  }));

  for (const std::string& post : {deleted, lost, std::string("ps_none"), std::string("../x")}) {
    EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {.follow = {post}})), "not_found");
    EXPECT_EQ(fault_of(world.try_edit_session("bot/default", {.unfollow = {post}})), "none");
  }
}

TEST_F(ACredential, IsReadAsItWasMade) {
  const Time expires_at = world.time.now + 1h;
  const std::string id = key("cr_1", expires_at);

  const Credential read = must(read_credential(*world.subject("credential/" + id)));

  EXPECT_EQ(read.id, "cr_1");
  EXPECT_EQ(read.kind, "key");
  EXPECT_EQ(read.name, "laptop");
  EXPECT_EQ(read.agent, world.agent_id("bot"));
  EXPECT_EQ(read.hash, "5ec2e7");
  EXPECT_EQ(read.prefix, "ty_ab");
  EXPECT_EQ(read.expires_at, expires_at);
}

TEST_F(ACredential, IsRevokedOnceAndListedStill) {
  const std::string id = key("cr_1");
  key("cr_2");
  must(revoke(id));
  const std::size_t before = world.events().size();

  must(revoke(id));

  EXPECT_EQ(world.events().size(), before);
  EXPECT_EQ(world.status("credential/" + id), "revoked");
  EXPECT_EQ(world.state("credential/" + id, "why"), "lost");
  EXPECT_EQ(fault_of(revoke("cr_none")), "not_found");
  const std::string agent = world.agent_id("bot");
  world.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto listed, list_credentials(view, agent));
    EXPECT_EQ(listed.size(), 2U);
    return {};
  });
}

TEST_F(ACredential, EndsWhenItsTimeHasCome) {
  const std::string id = key("cr_1", world.time.now + 1h);

  world.strike();
  EXPECT_EQ(world.status("credential/" + id), "active");
  world.pass(1h);
  world.strike();

  EXPECT_EQ(world.status("credential/" + id), "revoked");
  EXPECT_EQ(world.state("credential/" + id, "why"), "expired");
}

TEST_F(Hidden, AreHashesAndPasswords) {
  key("cr_1");
  must(world.decide([&](const core::View&, const Ids&, Time) -> Result<core::Change> {
    return core::Change{.events = {{"account/admin", "account.created",
                                    R"({"name":"Ada","password":"$argon2id$5ec2e7"})"}}};
  }));

  for (const core::Event& event : world.events()) {
    const core::Kind* kind = world.catalog.kind(event.key.substr(0, event.key.find('/')));
    ASSERT_TRUE(kind) << event.key;
    EXPECT_FALSE(core::shown_body(*kind, event.body).contains("5ec2e7")) << event.key;
    const std::string state = world.subject(event.key)->state;
    EXPECT_FALSE(core::shown_body(*kind, state).contains("5ec2e7")) << event.key;
  }
  EXPECT_EQ(world.state("account/admin", "password"), "$argon2id$5ec2e7");
}

}  // namespace
}  // namespace tyer::feed
