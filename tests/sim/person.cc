#include "sim/person.h"

#include <array>

#include "feed/agents.h"
#include "feed/feeds.h"
#include "feed/kinds.h"
#include "feed/records.h"
#include "feed/writing.h"

namespace tyer::testing {
namespace {

constexpr std::size_t posts_max = 12;
constexpr std::size_t comments_max = 40;
constexpr std::array agent_names{"one", "two"};
// Whom a text is for; the last is for whoever follows.
constexpr std::array texts{"@one go", "@one/a go", "@two/b go", "@one and @two/b go", "go"};

const feed::Actor me{.id = "admin", .name = "Ada"};

}  // namespace

Result<Time> Person::step(Time now) {
  doing_ = "rests";
  if (!home_.settling) {
    TYER_TRY_OK(home_.engine.apply(
        {me.key()}, [&](const core::View& view, Time at) -> Result<core::Change> {
          TYER_TRY(feed::Ids ids, feed::Ids::of(view, at, home_.rng.bits()));
          return decide(view, ids, at);
        }));
  }
  return now + home_.rng.between(Span(100ms), Span(5s));
}

// What it draws is drawn anew if the store asks for the decision again.
Result<core::Change> Person::decide(const core::View& view, feed::Ids& ids, Time now) {
  TYER_TRY(const auto agents, feed::list_agents(view));
  TYER_TRY(const auto feeds, feed::list_feeds(view));
  if (agents.size() < agent_names.size() || feeds.empty()) return set_up(view, ids, now);
  if (home_.rng.one_in(12)) return delete_session(view, now);
  return write(view, ids, now);
}

Result<core::Change> Person::set_up(const core::View& view, feed::Ids& ids, Time now) {
  TYER_TRY(const auto agents, feed::list_agents(view));
  if (agents.size() < agent_names.size()) {
    const std::string name = agent_names[agents.size()];
    doing_ = "makes " + name;
    TYER_TRY(feed::NewAgent made,
             feed::decide_add_agent(view, {.name = name, .type = "demo"}, ids, now));
    return std::move(made.change);
  }
  doing_ = "makes a feed";
  TYER_TRY(feed::NewFeed made, feed::decide_add_feed(view, me, "work", ids, now));
  return std::move(made.change);
}

Result<core::Change> Person::write(const core::View& view, const feed::Ids& ids, Time now) {
  TYER_TRY(const auto feeds, feed::list_feeds(view));
  TYER_TRY(const auto posts, view.subjects({.kind = "post", .limit = posts_max}));
  TYER_TRY(const auto comments, view.subjects({.kind = "comment", .limit = comments_max}));
  if (comments.size() == comments_max) return core::Change{};
  const std::string text = texts[home_.rng.below(texts.size())];
  feed::Writing writing{.actor = me, .content = text};
  const bool is_post = posts.empty() || (posts.size() < posts_max && home_.rng.one_in(2));
  if (is_post) {
    writing.feed = feed::id_of(feeds.front());
    writing.title = "work";
  } else {
    writing.post = feed::id_of(posts[home_.rng.below(posts.size())]);
  }
  writing.serves = [](const feed::Agent&, const std::string&) { return true; };
  doing_ = (is_post ? "posts " : "comments ") + text;
  TYER_TRY(feed::Written written, is_post ? feed::decide_post(view, writing, {}, ids, now)
                                          : feed::decide_comment(view, writing, {}, ids, now));
  return std::move(written.change);
}

Result<core::Change> Person::delete_session(const core::View& view, Time now) {
  TYER_TRY(const auto sessions,
           view.subjects({.kind = "session", .status = "active", .limit = posts_max}));
  for (const core::Subject& subject : sessions) {
    TYER_TRY(const feed::Session session, feed::read_session(subject));
    if (session.is_default) continue;
    doing_ = "deletes " + subject.key;
    return feed::decide_delete_session(view, session.id, now);
  }
  return core::Change{};
}

}  // namespace tyer::testing
