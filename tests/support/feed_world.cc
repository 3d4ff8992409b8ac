#include "support/feed_world.h"

#include "base/json.h"
#include "core/run.h"
#include "engine/limits.h"
#include "engine/pump.h"
#include "engine/sweeper.h"
#include "engine/timers.h"
#include "feed/names.h"
#include "sim/laws.h"
#include "store/sqlite_store.h"

namespace tyer::testing {
namespace {

// "bot" and "배포" of "bot/배포".
std::pair<std::string, std::string> split(const std::string& session) {
  const std::size_t slash = session.find('/');
  return {session.substr(0, slash), session.substr(slash + 1)};
}

// Runs of workers leave a trace of their own in a store that they share with the hub.
std::vector<core::Kind> kinds_of_a_hub() {
  std::vector<core::Kind> kinds = feed::kinds();
  kinds.push_back(core::run_kind());
  return kinds;
}

}  // namespace

FeedWorld::FeedWorld()
    : catalog(kinds_of_a_hub(), {feed::end_lost_shift()}),
      store(must(store::open_sqlite(":memory:", env_, {}))),
      engine(env_, *store, catalog),
      main_feed(feed("main")) {}

FeedWorld::~FeedWorld() {
  const sim::Broken broken = sim::Laws(*store, catalog).check_all();
  EXPECT_FALSE(broken) << *broken;
}

Result<> FeedWorld::decide(const Decision& decision, const feed::Actor& actor) {
  TYER_TRY_OK(
      engine.apply({actor.key()}, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, random_.bits()));
        return decision(view, ids, now);
      }));
  return {};
}

Result<> FeedWorld::decide_together(const std::vector<Decision>& decisions) {
  return engine.write([&](store::Txn& txn) -> Result<> {
    for (const Decision& decision : decisions) {
      TYER_TRY(feed::Ids ids, feed::Ids::of(txn, txn.now(), random_.bits()));
      TYER_TRY(core::Change change, decision(txn, ids, txn.now()));
      TYER_TRY_OK(engine::apply(txn, catalog, std::move(change), {"tester"}));
    }
    return {};
  });
}

void FeedWorld::strike() {
  engine::Timers timers(engine);
  run(timers, time.now);
}

void FeedWorld::sweep() {
  engine::Sweeper sweeper(engine);
  run(sweeper, time.now);
  pass(limits::silence_confirm);  // A silence is seen twice before it convicts.
  run(sweeper, time.now);
  pump();
}

void FeedWorld::pump() {
  engine::Pump pump(engine);
  run(pump, time.now);
}

void FeedWorld::read(const std::function<Result<>(const core::View&)>& reader) {
  must(store->read(reader));
}

feed::Actor FeedWorld::human() const {
  return {.id = "admin", .name = "Ada"};
}

feed::Actor FeedWorld::bot(const std::string& agent) {
  return {.is_agent = true, .id = agent_id(agent), .name = agent};
}

feed::Actor FeedWorld::run_of(const std::string& session, const std::string& run) {
  feed::Actor actor = bot(split(session).first);
  actor.session = session_id(session);
  actor.run = run;
  return actor;
}

std::string FeedWorld::agent(const std::string& name) {
  return must(try_agent(name));
}

std::string FeedWorld::feed(const std::string& name) {
  std::string id;
  must(decide([&](const core::View& view, feed::Ids& ids, Time now) -> Result<core::Change> {
    TYER_TRY(feed::NewFeed made, feed::decide_add_feed(view, human(), name, ids, now));
    id = made.id;
    return std::move(made.change);
  }));
  return id;
}

std::string FeedWorld::add_session(const std::string& session) {
  return must(try_session(session));
}

std::string FeedWorld::post(const feed::Actor& actor, const std::string& content) {
  return must(try_write({.actor = actor, .feed = main_feed, .title = "", .content = content}));
}

std::string FeedWorld::comment(const feed::Actor& actor, const std::string& post,
                               const std::string& content, const Texts& answers) {
  return must(try_write({.actor = actor, .post = post, .content = content, .answers = answers}));
}

Result<std::string> FeedWorld::try_agent(const std::string& name) {
  std::string id;
  TYER_TRY_OK(decide([&](const core::View& view, feed::Ids& ids, Time now) -> Result<core::Change> {
    TYER_TRY(feed::NewAgent made, feed::decide_add_agent(view, {.name = name}, ids, now));
    id = made.agent.id;
    return std::move(made.change);
  }));
  return id;
}

Result<std::string> FeedWorld::try_session(const std::string& session) {
  const auto [agent, name] = split(session);
  const std::string owner = agent_id(agent);
  std::string id;
  TYER_TRY_OK(decide([&](const core::View& view, feed::Ids& ids, Time now) -> Result<core::Change> {
    TYER_TRY(feed::NewSession made,
             feed::decide_add_session(view, owner, split(session).second, rules, ids, now));
    id = made.id;
    return std::move(made.change);
  }));
  return id;
}

Result<std::string> FeedWorld::try_write(const feed::Writing& given) {
  feed::Writing writing = given;
  writing.serves = [this](const feed::Agent& one, const std::string& session) {
    return one.is_online || (is_served && !unserved.contains(session));
  };
  feed::Written written;
  const auto decision = [&](const core::View& view, const feed::Ids& ids,
                            Time now) -> Result<core::Change> {
    TYER_TRY(written, writing.post.empty() ? feed::decide_post(view, writing, rules, ids, now)
                                           : feed::decide_comment(view, writing, rules, ids, now));
    return written.change;
  };
  TYER_TRY_OK(decide(decision, writing.actor));
  notices = written.notices;
  return written.key.substr(written.key.find('/') + 1);
}

Result<> FeedWorld::try_delete(const feed::Actor& actor, const std::string& kind,
                               const std::string& id) {
  return decide([&](const core::View& view, const feed::Ids&, Time now) {
    return feed::decide_delete(view, {.actor = actor, .kind = kind, .id = id}, now);
  });
}

Result<> FeedWorld::try_delete_session(const std::string& session) {
  const std::string id = session_id(session);
  return decide([&](const core::View& view, const feed::Ids&, Time now) {
    return feed::decide_delete_session(view, id, now, rules);
  });
}

Result<> FeedWorld::try_edit_session(const std::string& session, const feed::SessionEdit& edit) {
  const std::string id = session_id(session);
  return decide([&](const core::View& view, feed::Ids& ids, Time now) {
    return feed::decide_edit_session(view, id, edit, rules, ids, now);
  });
}

Result<feed::Woken> FeedWorld::try_wake(const feed::Wake& wake) {
  feed::Woken woken;
  TYER_TRY_OK(
      decide([&](const core::View& view, const feed::Ids&, Time now) -> Result<core::Change> {
        TYER_TRY(woken, feed::decide_wake(view, wake, rules, now));
        return woken.change;
      }));
  return woken;
}

Result<> FeedWorld::try_retry(const std::string& session, const std::string& source) {
  const std::string id = session_id(session);
  return decide([&](const core::View& view, const feed::Ids&, Time) {
    return feed::decide_retry(view, id, source);
  });
}

feed::Woken FeedWorld::wake(const std::string& session, const std::string& run) {
  return must(try_wake({.session = session_id(session), .run = run, .sources = pending(session)}));
}

Result<feed::Begun> FeedWorld::try_begin(const std::string& session, const std::string& run,
                                         bool all) {
  feed::Begin wanted{
      .session = session_id(session), .run = run, .all = all, .mark = "mark of " + run};
  wanted.grant = {.holder = {.place = {host, "boot", "ns"}, .pid = 7, .run = run},
                  .silence_max = limits::silence_max,
                  .hold_max = limits::hold_max};
  wanted.credential = {.id = "cr_" + run, .kind = "run", .name = run, .hash = "h", .prefix = "p"};
  feed::Begun begun;
  TYER_TRY_OK(
      decide([&](const core::View& view, const feed::Ids&, Time now) -> Result<core::Change> {
        TYER_TRY(begun, feed::decide_begin(view, processes_, wanted, rules, now));
        return begun.change;
      }));
  return begun;
}

feed::Begun FeedWorld::begin(const std::string& session, const std::string& run, bool all) {
  return must(try_begin(session, run, all));
}

Result<> FeedWorld::try_finish(const feed::Finish& finish) {
  return decide([&](const core::View& view, const feed::Ids& ids, Time now) {
    return feed::decide_finish(view, finish, rules, ids, now);
  });
}

void FeedWorld::break_lease(const std::string& session_id) {
  const auto held = lease(feed::key_of("session", session_id));
  if (!held) return;
  must(decide([&](const core::View&, const feed::Ids&, Time) -> Result<core::Change> {
    return core::Change{.endings = {ending_of(*held, core::End::broken)}};
  }));
}

Texts FeedWorld::ready(const Texts& agents, bool all) {
  Texts labels;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto sessions, feed::list_ready(view, agents, all, time.now));
    for (const feed::Session& session : sessions) labels.push_back(label(view, session.id));
    return {};
  });
  return labels;
}

std::optional<core::Lease> FeedWorld::lease(const std::string& key) {
  std::optional<core::Lease> found;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.lease(key));
    return {};
  });
  return found;
}

std::string FeedWorld::agent_id(const std::string& name) {
  std::string id;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto agents, feed::list_agents(view));
    for (const feed::Agent& agent : agents) {
      if (agent.name == name) id = agent.id;
    }
    return {};
  });
  return id;
}

std::string FeedWorld::session_id(const std::string& session) {
  const std::string agent = agent_id(split(session).first);
  const std::string name = feed::fold_name(split(session).second);
  std::string id;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto sessions, feed::list_sessions(view, agent));
    for (const feed::Session& one : sessions) {
      if (feed::fold_name(one.name) == name) id = one.id;
    }
    return {};
  });
  return id;
}

Texts FeedWorld::sessions(const std::string& agent) {
  const std::string id = agent_id(agent);
  Texts names;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto sessions, feed::list_sessions(view, id));
    for (const feed::Session& one : sessions) names.push_back(one.name);
    return {};
  });
  return names;
}

Texts FeedWorld::followed(const std::string& session) {
  const std::string key = feed::key_of("session", session_id(session));
  Texts posts;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto found, view.subject(key));
    if (!found) return {};
    TYER_TRY(const feed::Session read, feed::read_session(*found));
    posts = read.followed;
    return {};
  });
  return posts;
}

std::string FeedWorld::label(const core::View& view, const std::string& session) const {
  const auto found = view.subject(feed::key_of("session", session));
  if (!found || !*found) return "nobody";
  const std::string agent = member((*found)->state, "agent_id");
  const auto owner = view.subject(feed::key_of("agent", agent));
  if (!owner || !*owner) return "nobody";
  return member((*owner)->state, "name") + "/" + member((*found)->state, "name");
}

Texts FeedWorld::targets(const std::string& source) {
  const std::string kind = source.starts_with("ps_") ? "post" : "comment";
  const auto listed = parse_json(state(feed::key_of(kind, source), "targets"));
  if (!listed) return {"unknown"};
  Texts labels;
  read([&](const core::View& view) -> Result<> {
    for (const Json& target : *listed) {
      labels.push_back(label(view, text_or(target, "session_id")) + " " +
                       text_or(target, "reason"));
    }
    return {};
  });
  return labels;
}

Texts FeedWorld::pending(const std::string& session) {
  const std::string id = session_id(session);
  Texts sources;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto items, feed::list_open_items(view, id));
    for (const feed::Item& item : items) sources.push_back(item.source);
    return {};
  });
  return sources;
}

Texts FeedWorld::thread_notices(const std::string& post) {
  Texts texts;
  for (const core::Event& event : events(feed::key_of("thread", post))) {
    if (event.type == "thread.noticed" || event.type == "thread.troubled")
      texts.push_back(member(member(event.body, "notice"), "text"));
  }
  return texts;
}

std::optional<core::Subject> FeedWorld::subject(const std::string& key) {
  std::optional<core::Subject> found;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.subject(key));
    return {};
  });
  return found;
}

std::string FeedWorld::status(const std::string& key) {
  return subject(key).value_or(core::Subject{}).status;
}

std::string FeedWorld::state(const std::string& key, const std::string& name) {
  return member(subject(key).value_or(core::Subject{}).state, name);
}

std::vector<core::Event> FeedWorld::events(const std::string& root) {
  std::vector<core::Event> events;
  read([&](const core::View& view) -> Result<> {
    TYER_TRY(events, view.events({.after = 0, .root = root}));
    return {};
  });
  return events;
}

}  // namespace tyer::testing
