// What holds of a hub whatever people and agents do (H5, H10, H11, H12, H13, H16).

#include <algorithm>
#include <map>
#include <set>

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::FeedWorld;
using testing::must;
using testing::Texts;

// One thing that somebody does; what the numbers choose from is there by then.
struct Act {
  enum Kind { post, comment, wake, answer, follow, unfollow, retry, end_session, erase, pass };
  Kind kind = post;
  unsigned who = 0;
  unsigned what = 0;
  std::string text;
};

rc::Gen<Act> any_act() {
  return rc::gen::build<Act>(
      rc::gen::set(&Act::kind, rc::gen::weightedElement<Act::Kind>({{6, Act::post},
                                                                    {10, Act::comment},
                                                                    {6, Act::wake},
                                                                    {4, Act::answer},
                                                                    {3, Act::follow},
                                                                    {2, Act::unfollow},
                                                                    {1, Act::retry},
                                                                    {3, Act::end_session},
                                                                    {2, Act::erase},
                                                                    {1, Act::pass}})),
      rc::gen::set(&Act::who, rc::gen::inRange(0U, 1'000U)),
      rc::gen::set(&Act::what, rc::gen::inRange(0U, 1'000U)),
      rc::gen::set(&Act::text, rc::gen::element<std::string>(
                                   "그냥 글", "@bot", "@BOT/배포 이거", "@bot/a @bot/b @두번째/A",
                                   "@두번째/b @bot", "`@bot/c`", "@bot/c @bot/d", "@bot/日本",
                                   "@두번째 @두번째/c @두번째/d @bot/e")));
}

std::ostream& operator<<(std::ostream& out, const Act& act) {
  return out << act.kind << " " << act.who << " " << act.what << " " << act.text;
}

// A hub with two agents, small limits, and a reader who pages through the comments meanwhile.
class Hub {
 public:
  Hub() {
    world.rules.sessions_max = 3;
    world.rules.followed_max = 4;
    world.rules.wakes_max = 2;
    world.agent("bot");
    world.agent("두번째");
    posts.push_back(world.post(world.human(), "처음"));
  }

  // Refused or not, what it leaves must be in order.
  void do_one(const Act& act) {
    const std::vector<Session> all = sessions();
    const Session& session = all[act.who % all.size()];
    const std::string& post = posts[act.what % posts.size()];
    const Actor actor = act.who % 3 == 0 ? actor_of(session) : world.human();
    switch (act.kind) {
      case Act::post: posts.push_back(world.post(actor, act.text)); return;
      case Act::comment: return write({.actor = actor, .post = post, .content = act.text});
      case Act::answer:
        return write({.actor = actor_of(session), .post = post, .content = act.text});
      case Act::wake: (void)world.try_wake({session.id, "run-1", open_of(session)}); return;
      case Act::follow: return edit(session, {.follow = {post}});
      case Act::unfollow: return edit(session, {.unfollow = {post}});
      case Act::retry: return retry(session);
      case Act::end_session: return end(session);
      case Act::erase: return erase(act.what);
      case Act::pass: world.pass(Span(act.what)); return;
    }
  }

  // The next page of comments, as a reader who remembers the last id sees it.
  void read_on() {
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto page, view.subjects({.kind = "comment", .after = last_seen, .limit = 2}));
      for (const core::Subject& comment : page) seen.push_back(id_of(comment));
      if (!page.empty()) last_seen = page.back().key;
      return {};
    });
  }

  std::vector<Session> sessions() {
    std::vector<Session> all;
    for (const char* agent : {"bot", "두번째"}) {
      const std::string id = world.agent_id(agent);
      world.read([&](const core::View& view) -> Result<> {
        TYER_TRY(const auto some, list_sessions(view, id));
        all.insert(all.end(), some.begin(), some.end());
        return {};
      });
    }
    return all;
  }

  std::vector<core::Subject> all_of(const std::string& kind) {
    std::vector<core::Subject> all;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(all, list_all(view, {.kind = kind}, 10'000));
      return {};
    });
    return all;
  }

  FeedWorld world;
  Texts posts;
  Texts seen;  // Comments, by the reader.
  std::string last_seen;

 private:
  static Actor actor_of(const Session& session) {
    return {true, session.agent, "bot", session.id, "run-1"};
  }

  Texts open_of(const Session& session) {
    Texts open;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto items, list_open_items(view, session.id));
      for (const Item& item : items) open.push_back(item.source);
      return {};
    });
    return open;
  }

  void write(const Writing& writing) { (void)world.try_write(writing); }

  void edit(const Session& session, const SessionEdit& edit) {
    (void)world.decide([&](const core::View& view, Ids& ids, Time now) {
      return decide_edit_session(view, session.id, edit, world.rules, ids, now);
    });
  }

  void end(const Session& session) {
    (void)world.decide([&](const core::View& view, const Ids&, Time now) {
      return decide_delete_session(view, session.id, now, world.rules);
    });
  }

  void retry(const Session& session) {
    (void)world.decide([&](const core::View& view, const Ids&, Time) -> Result<core::Change> {
      TYER_TRY(
          const auto items,
          list_all(view,
                   {.parent = key_of("session", session.id), .kind = "item", .status = "skipped"},
                   1));
      if (items.empty()) return core::Change{};
      TYER_TRY(const Item item, read_item(items.front()));
      return decide_retry(view, session.id, item.source);
    });
  }

  void erase(unsigned what) {
    const std::vector<core::Subject> comments = all_of("comment");
    if (what % 4 == 0 || comments.empty()) {
      (void)world.try_delete(world.human(), "post", posts[what % posts.size()]);
    } else {
      (void)world.try_delete(world.human(), "comment", id_of(comments[what % comments.size()]));
    }
  }
};

// What must hold between any two acts.
void check_sessions(Hub& hub) {
  std::map<std::string, std::size_t> count;
  std::map<std::string, std::size_t> defaults;
  for (const Session& session : hub.sessions()) {
    ++count[session.agent];
    defaults[session.agent] += session.is_default ? 1 : 0;
    RC_ASSERT(session.followed.size() <= hub.world.rules.followed_max);
    const std::set<std::string> distinct(session.followed.begin(), session.followed.end());
    RC_ASSERT(distinct.size() == session.followed.size());
  }
  RC_ASSERT(count.size() == 2U);
  for (const auto& [agent, sessions] : count) {
    RC_ASSERT(sessions <= hub.world.rules.sessions_max);
    RC_ASSERT(defaults[agent] == 1U);
  }
}

void check_items(Hub& hub) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const core::Subject& subject : hub.all_of("item")) {
    const Item item = must(read_item(subject));
    RC_ASSERT(seen.emplace(item.session, item.source).second);
    RC_ASSERT(subject.key == item_key(item.session, item.source));
    RC_ASSERT(subject.parent == key_of("session", item.session));
    RC_ASSERT(item.wakes <= hub.world.rules.wakes_max);
    const std::string session = hub.world.status(key_of("session", item.session));
    RC_ASSERT(session == "active" || session == "deleted");
    // What is open waits for somebody who is there, and is there itself.
    const std::string kind = item.source == item.post ? "post" : "comment";
    const std::string source = hub.world.status(key_of(kind, item.source));
    RC_ASSERT(subject.status != "open" || (session == "active" && source == "active"));
  }
}

// Each target of a text has an item, and each item stands in the targets unless it was moved.
void check_targets(Hub& hub) {
  for (const char* kind : {"post", "comment"}) {
    for (const core::Subject& text : hub.all_of(kind)) {
      const Json state = must(parse_json_object(text.state));
      std::set<std::string> sessions;
      for (const Json& target : state.at("targets")) {
        const std::string session = text_or(target, "session_id");
        RC_ASSERT(sessions.insert(session).second);
        const std::string item = hub.world.status(item_key(session, id_of(text)));
        RC_ASSERT(!item.empty());
        RC_ASSERT(text.status == "active" || (item != "open" && item != "skipped"));
      }
    }
  }
}

TEST(FeedProperty, WhateverIsDoneKeepsItInOrder) {
  EXPECT_TRUE(rc::check("sessions, items and targets agree", [] {
    const auto acts = *rc::gen::container<std::vector<Act>>(any_act());
    Hub hub;
    for (const Act& act : acts) {
      hub.do_one(act);
      check_sessions(hub);
    }
    check_items(hub);
    check_targets(hub);
  }));
}

TEST(FeedProperty, AReaderWhoPagesSeesEachCommentOnceWhileOthersWrite) {
  EXPECT_TRUE(rc::check("by id, none is missed and none comes twice", [] {
    const auto acts = *rc::gen::container<std::vector<Act>>(any_act());
    Hub hub;
    for (const Act& act : acts) {
      hub.do_one(act);
      if (act.what % 2 == 0) hub.read_on();
    }
    Texts all;
    for (const core::Subject& comment : hub.all_of("comment")) all.push_back(id_of(comment));
    for (std::size_t i = 0; i <= all.size(); ++i) hub.read_on();
    RC_ASSERT(hub.seen == all);
  }));
}

}  // namespace
}  // namespace tyer::feed
