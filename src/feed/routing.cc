#include "feed/routing.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "feed/kinds.h"
#include "feed/mention.h"
#include "feed/names.h"

namespace tyer::feed {
namespace {

// Of what somebody took for the name of a session: any length can be written.
constexpr std::size_t shown_name_bytes_max = 4 * limits::session_name_chars_max;

}  // namespace

core::Draft make_session(const Session& session, Time now) {
  return {key_of("session", session.id), "session.created",
          dump_json({{"parent", key_of("agent", session.agent)},
                     {"agent_id", session.agent},
                     {"name", session.name},
                     {"is_default", session.is_default},
                     {"claude_session_id", ""},
                     {"followed_posts", session.followed},
                     {"created_at", format_time(now)}})};
}

Result<> Routing::to_mentioned(const std::string& text) {
  if (!text.contains('@')) return {};
  TYER_TRY(const std::vector<Agent> agents, list_agents(view_));
  std::vector<std::string> names;
  for (const Agent& agent : agents) names.push_back(agent.name);
  for (const Mention& mention : find_mentions(text, names)) {
    const Agent& agent = agents[mention.agent];
    // Nobody calls himself; a chain of calls has an end.
    TYER_TRY(const bool calls_itself, is_actor(agent, mention.session));
    if (calls_itself) continue;
    TYER_TRY(const bool may, may_wake());
    if (!may) break;
    TYER_TRY(const std::string session, session_of(agent, mention.session, mention.usable));
    if (session == actor_.session) continue;
    if (actor_.is_agent) {
      thread_.bot_mentions.push_back(to_micros(now_));
      usage_->mentions.push_back(to_micros(now_));
    }
    aim(session, agent.id, "mention");
    TYER_TRY_OK(follow(session));
  }
  tell_strangers(text, names);
  return {};
}

Result<> Routing::tell_unserved(const Serves& serves) {
  std::vector<std::string>& told = thread_.unserved;
  for (const Target& target : targets_) {
    TYER_TRY(const auto subject, view_.subject(key_of("agent", target.agent)));
    if (!subject) continue;
    TYER_TRY(const Agent agent, read_agent(*subject));
    // One that workers do not start looks for its work itself, and we do not see it.
    const bool is_served =
        !agent.is_started || (serves ? serves(agent, target.session) : agent.is_online);
    const bool was_told = std::ranges::find(told, target.session) != told.end();
    if (is_served) std::erase(told, target.session);
    if (is_served || was_told || told.size() >= limits::unserved_told_max) continue;
    told.push_back(target.session);
    TYER_TRY(const Known* known, know(target.session));
    const bool is_named = known != nullptr && target.session != agent.default_session;
    notices_.push_back(fmt::format("nobody serves @{}{} now; it answers when a worker does",
                                   agent.name, is_named ? "/" + known->session.name : ""));
  }
  return {};
}

Result<> Routing::to_readers(const Author& author) {
  bool author_reads = false;
  for (const std::string& follower : thread_.followers) {
    TYER_TRY(const Known* known, know(follower));
    if (known == nullptr || !known->session.follows(post_)) continue;
    author_reads |= known->session.agent == author.id;
    aim(follower, known->session.agent, "follow");
  }
  if (!author.is_agent || author_reads) return {};
  TYER_TRY(const auto subject, view_.subject(key_of("agent", author.id)));
  if (!subject || subject->status != "active") return {};
  TYER_TRY(const Agent agent, read_agent(*subject));
  aim(agent.default_session, agent.id, "own_post");
  return {};
}

Result<> Routing::follow(const std::string& session) {
  TYER_TRY(Known * known, know(session));
  if (known == nullptr || known->session.follows(post_)) return {};
  std::vector<std::string>& followed = known->session.followed;
  followed.push_back(post_);
  if (followed.size() > rules_.followed_max) {
    followed.erase(followed.begin(),
                   followed.end() - static_cast<std::ptrdiff_t>(rules_.followed_max));
  }
  known->is_changed = true;
  std::vector<std::string>& followers = thread_.followers;
  if (followers.size() >= limits::followers_max) {
    // Those who have stopped make room, then the oldest.
    std::vector<std::string> still;
    for (const std::string& one : followers) {
      TYER_TRY(const Known* other, know(one));
      if (other != nullptr && other->session.follows(post_)) still.push_back(one);
    }
    if (still.size() >= limits::followers_max) still.erase(still.begin());
    followers = std::move(still);
  }
  if (std::ranges::find(followers, session) == followers.end()) followers.push_back(session);
  return {};
}

void Routing::write_made(core::Change& change) const {
  for (const auto& [id, known] : known_) {
    if (known.is_made) change.events.push_back(make_session(known.session, now_));
  }
}

void Routing::write_changed(core::Change& change) const {
  if (usage_ && !usage_->mentions.empty()) change.events.push_back(count_usage(actor_.id, *usage_));
  for (const auto& [id, known] : known_) {
    if (!known.is_changed || known.is_made) continue;
    change.events.push_back({key_of("session", id), "session.updated",
                             dump_json({{"agent_id", known.session.agent},
                                        {"followed_posts", known.session.followed}})});
  }
}

// Nothing if it is gone.
Result<Routing::Known*> Routing::know(const std::string& session) {
  if (const auto found = known_.find(session); found != known_.end()) return &found->second;
  TYER_TRY(const auto subject, view_.subject(key_of("session", session)));
  if (!subject || subject->status != "active") return nullptr;
  TYER_TRY(Session read, read_session(*subject));
  return &known_.emplace(session, Known{std::move(read)}).first->second;
}

// Whether that session is the one that writes; without one, every session of the agent is.
Result<bool> Routing::is_actor(const Agent& agent, const std::string& name) {
  if (!actor_.is_agent || agent.id != actor_.id) return false;
  if (actor_.session.empty()) return true;
  if (name.empty()) return actor_.session == agent.default_session;
  TYER_TRY(const Known* own, know(actor_.session));
  return own != nullptr && fold_name(own->session.name) == fold_name(name);
}

// The session of that name, which is made if it has to be, or the default one.
Result<std::string> Routing::session_of(const Agent& agent, const std::string& name, bool usable) {
  if (name.empty()) return agent.default_session;
  if (!usable) return fall_back(agent, name, "not a possible session name");
  if (!sessions_.contains(agent.id)) {
    TYER_TRY(std::vector<Session> all, list_sessions(view_, agent.id));
    std::vector<std::string>& ids = sessions_[agent.id];
    for (Session& session : all) {
      const std::string& id = ids.emplace_back(session.id);
      known_.try_emplace(id, Known{std::move(session)});
    }
  }
  std::vector<std::string>& ids = sessions_[agent.id];
  for (const std::string& id : ids) {
    if (fold_name(known_.at(id).session.name) == fold_name(name)) return id;
  }
  if (ids.size() >= rules_.sessions_max) return fall_back(agent, name, "session limit reached");
  Session made{.id = ids_.next("ss_"), .agent = agent.id, .name = name};
  ids.push_back(made.id);
  const std::string id = made.id;
  known_.emplace(id, Known{std::move(made), true, false});
  return id;
}

std::string Routing::fall_back(const Agent& agent, const std::string& name,
                               const std::string& why) {
  notices_.push_back(fmt::format("@{}/{}: {}, handled by the default session", agent.name,
                                 printable(name, shown_name_bytes_max), why));
  if (fallback_.empty()) fallback_ = agent.default_session;
  return agent.default_session;
}

// Whether agents have not called each other too often of late, here (H15) or by this one anywhere.
Result<bool> Routing::may_wake() {
  if (!actor_.is_agent) return true;
  if (!usage_) {
    TYER_TRY(usage_, read_usage(view_, actor_.id));
  }
  if (!may_mention(*usage_, rules_, now_)) {
    notices_.push_back(fmt::format(
        "{} has mentioned agents {} times within {}, under all posts: nobody more was woken; wait, "
        "or let people ask",
        actor_.name, usage_->mentions.size(), describe_span(rules_.bot_window)));
    return false;
  }
  const std::int64_t since = to_micros(now_ - rules_.bot_window);
  std::erase_if(thread_.bot_mentions, [&](std::int64_t at) { return at <= since; });
  if (thread_.bot_mentions.size() < rules_.bot_mentions_max) return true;
  notices_.push_back(fmt::format(
      "agents have mentioned agents {} times here within {}: the chain stops, nobody was woken",
      thread_.bot_mentions.size(), describe_span(rules_.bot_window)));
  return false;
}

void Routing::tell_strangers(const std::string& text, const std::vector<std::string>& names) {
  for (const Stranger& stranger : find_strangers(text, names)) {
    // People are no agents, and know that they were meant.
    if (fold_name(stranger.name) == owner_name) continue;
    const std::string hint =
        stranger.nearest ? fmt::format("; did you mean @{}?", names[*stranger.nearest]) : "";
    notices_.push_back(fmt::format("there is no agent @{}{}",
                                   printable(stranger.name, shown_name_bytes_max), hint));
  }
}

// Each session once, for the first reason.
void Routing::aim(const std::string& session, const std::string& agent, const char* reason) {
  const auto is_same = [&](const Target& target) { return target.session == session; };
  if (std::ranges::none_of(targets_, is_same)) targets_.push_back({session, agent, reason});
}

}  // namespace tyer::feed
