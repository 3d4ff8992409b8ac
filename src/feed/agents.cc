#include "feed/agents.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "core/limits.h"
#include "feed/account.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/names.h"
#include "feed/routing.h"
#include "feed/writing.h"

namespace tyer::feed {
namespace {

constexpr std::array<std::string_view, 5> agent_types{"claude", "codex", "gemini", "command",
                                                      "demo"};
constexpr std::size_t setting_chars_max = 1'000;
// Each takes two events of one change; there must be room for the session's follows and its end.
constexpr std::size_t moved_items_max = limits::change_items_max / 4;
constexpr std::size_t handed_over_max = limits::change_items_max / 4;

Result<> check_type(const std::string& type) {
  if (std::ranges::find(agent_types, type) != agent_types.end()) return {};
  return fail(Fault::invalid, fmt::format("there is no agent type '{}'; there are claude, codex, "
                                          "gemini, command and demo",
                                          printable(type, 40)));
}

Result<> add_words(Json& body, const char* name,
                   const std::optional<std::vector<std::string>>& words) {
  if (!words) return {};
  if (words->size() > limits::agent_setting_words_max) {
    return fail(Fault::limit, fmt::format("{} has {} words, at most {} are possible", name,
                                          words->size(), limits::agent_setting_words_max));
  }
  for (const std::string& word : *words) {
    TYER_TRY_OK(check_title(name, word, setting_chars_max));
  }
  body[name] = *words;
  return {};
}

// What of `input` is given, checked.
Result<Json> agent_body(const AgentInput& input) {
  Json body = Json::object();
  if (input.name) {
    TYER_TRY_OK(check_agent_name(*input.name));
    body["name"] = *input.name;
  }
  if (input.type) {
    TYER_TRY_OK(check_type(*input.type));
    body["type"] = *input.type;
  }
  const std::array<std::pair<const char*, const std::optional<std::string>*>, 3> settings{
      {{"working_directory", &input.directory},
       {"model", &input.model},
       {"permission_mode", &input.permission}}};
  for (const auto& [name, value] : settings) {
    if (!*value) continue;
    TYER_TRY_OK(check_title(name, **value, setting_chars_max));
    body[name] = **value;
  }
  TYER_TRY_OK(add_words(body, "command", input.command));
  TYER_TRY_OK(add_words(body, "environment", input.environment));
  if (input.worktree) body["worktree"] = *input.worktree;
  const std::array<std::pair<const char*, const std::optional<std::int64_t>*>, 5> numbers{
      {{"minutes_max", &input.minutes_max},
       {"runs_per_day", &input.runs_per_day},
       {"cents_per_day", &input.cents_per_day},
       {"session_runs_per_day", &input.session_runs_per_day},
       {"session_cents_per_day", &input.session_cents_per_day}}};
  for (const auto& [name, value] : numbers) {
    if (!*value) continue;
    if (**value < 0 || **value > limits::budget_max) {
      return fail(Fault::invalid,
                  fmt::format("{} is a number from 0 to {}", name, limits::budget_max));
    }
    body[name] = **value;
  }
  return body;
}

Result<> check_free(const std::vector<Agent>& agents, const std::string& name,
                    const std::string& but) {
  for (const Agent& agent : agents) {
    if (agent.id != but && fold_name(agent.name) == fold_name(name)) {
      return fail(Fault::conflict,
                  fmt::format("there is an agent '{}' already ({})", agent.name, agent.id));
    }
  }
  return {};
}

// What a session that goes has followed is the default session's from now on. It follows no more
// than it may, and gives up none of its own for them. Each thread learns of it.
Result<> hand_over_follows(const core::View& view, const Session& from, const std::string& heir,
                           const limits::FeedRules& rules, core::Change& change) {
  TYER_TRY(const core::Subject subject, find(view, "session", heir));
  TYER_TRY(const Session to, read_session(subject));
  std::vector<std::string> followed = to.followed;
  // The newest come first here, so that the oldest find no room.
  for (const std::string& post : std::views::reverse(from.followed)) {
    if (followed.size() >= std::min(rules.followed_max, handed_over_max + to.followed.size()))
      break;
    TYER_TRY(const auto grown, view.subject(key_of("thread", post)));
    if (to.follows(post) || !grown || grown->status == "closed") continue;
    TYER_TRY(Thread thread, read_thread(*grown));
    if (std::ranges::find(thread.followers, from.id) == thread.followers.end()) continue;
    std::erase(thread.followers, heir);
    std::ranges::replace(thread.followers, from.id, heir);
    change.events.push_back(
        {grown->key, "thread.grown", dump_json({{"followers", thread.followers}})});
    followed.insert(followed.begin(), post);
  }
  if (followed != to.followed) {
    change.events.push_back({subject.key, "session.updated",
                             dump_json({{"agent_id", to.agent}, {"followed_posts", followed}})});
  }
  return {};
}

}  // namespace

Result<Credential> read_credential(const core::Subject& subject) {
  TYER_TRY(const Json state, parse_json_object(subject.state));
  return Credential{.id = id_of(subject),
                    .kind = text_or(state, "kind"),
                    .name = text_or(state, "name"),
                    .agent = text_or(state, "agent_id"),
                    .session = text_or(state, "session_id"),
                    .run = text_or(state, "run"),
                    .hash = text_or(state, "hash"),
                    .csrf_hash = text_or(state, "csrf_hash"),
                    .prefix = text_or(state, "prefix"),
                    .expires_at = subject.due_at};
}

core::Draft make_credential(const Credential& credential, Time now) {
  std::vector<JsonPart> body{{"kind", credential.kind},
                             {"name", credential.name},
                             {"hash", credential.hash},
                             {"prefix", credential.prefix},
                             {"created_at", format_time(now)}};
  if (!credential.agent.empty()) {
    body.emplace_back("parent", key_of("agent", credential.agent));
    body.emplace_back("agent_id", credential.agent);
  } else {
    body.emplace_back("parent", account_key);
  }
  if (!credential.session.empty()) body.emplace_back("session_id", credential.session);
  if (!credential.run.empty()) body.emplace_back("run", credential.run);
  if (!credential.csrf_hash.empty()) body.emplace_back("csrf_hash", credential.csrf_hash);
  if (credential.expires_at) body.emplace_back("due_at", to_micros(*credential.expires_at));
  return {key_of("credential", credential.id), "credential.created", json_object(std::move(body))};
}

core::Draft make_revocation(const core::Subject& credential, const std::string& why) {
  return {credential.key, "credential.revoked", dump_json({{"due_at", nullptr}, {"why", why}})};
}

Result<NewAgent> decide_add_agent(const core::View& view, const AgentInput& input, Ids& ids,
                                  Time now) {
  TYER_TRY(Json body, agent_body(input));
  if (!input.name) return fail(Fault::invalid, "an agent needs a name");
  TYER_TRY(const std::vector<Agent> agents, list_agents(view));
  TYER_TRY_OK(check_free(agents, *input.name, ""));
  if (agents.size() >= limits::agents_max) {
    return fail(Fault::limit, fmt::format("there are {} agents already, the limit is {}",
                                          agents.size(), limits::agents_max));
  }
  NewAgent made{.agent = {.id = ids.next("ag_"),
                          .name = *input.name,
                          .type = input.type.value_or("claude"),
                          .default_session = ids.next("ss_")}};
  body["type"] = made.agent.type;
  body["default_session"] = made.agent.default_session;
  body["created_at"] = format_time(now);
  made.change.events.push_back({key_of("agent", made.agent.id), "agent.created", dump_json(body)});
  made.change.events.push_back(make_session({.id = made.agent.default_session,
                                             .agent = made.agent.id,
                                             .name = "default",
                                             .is_default = true},
                                            now));
  return made;
}

Result<core::Change> decide_edit_agent(const core::View& view, const std::string& id,
                                       const AgentInput& input,
                                       std::optional<std::uint64_t> expected_rev) {
  TYER_TRY(const core::Subject subject, find(view, "agent", id));
  TYER_TRY(const Json body, agent_body(input));
  if (body.empty()) return fail(Fault::invalid, "nothing to change was given");
  if (input.name) {
    TYER_TRY(const std::vector<Agent> agents, list_agents(view));
    TYER_TRY_OK(check_free(agents, *input.name, id));
  }
  return core::Change{.events = {{subject.key, "agent.updated", dump_json(body), expected_rev}}};
}

Result<std::vector<core::Subject>> list_credentials(const core::View& view,
                                                    const std::string& agent) {
  return list_all(view, {.parent = key_of("agent", agent), .kind = "credential"},
                  limits::page_rows_max);
}

Result<core::Change> decide_delete_agent(const core::View& view, const std::string& id, Time now) {
  TYER_TRY(const core::Subject subject, find(view, "agent", id));
  const std::string body = dump_json({{"deleted_at", format_time(now)}, {"due_at", nullptr}});
  core::Change change;
  TYER_TRY(const auto credentials,
           list_all(view, {.parent = subject.key, .kind = "credential", .status = "active"},
                    limits::change_items_max / 2));
  for (const core::Subject& one : credentials) {
    change.events.push_back(make_revocation(one, "the agent was deleted"));
  }
  TYER_TRY(const std::vector<Session> sessions, list_sessions(view, id));
  for (const Session& session : sessions) {
    change.events.push_back({key_of("session", session.id), "session.deleted", body});
  }
  change.events.push_back({subject.key, "agent.deleted", body});
  return change;
}

Result<core::Change> decide_revoke(const core::View& view, const std::string& id,
                                   const std::string& why) {
  TYER_TRY(const core::Subject subject, find(view, "credential", id));
  if (subject.status == "revoked") return core::Change{};
  return core::Change{.events = {make_revocation(subject, why)}};
}

Result<NewSession> decide_add_session(const core::View& view, const std::string& agent,
                                      const std::string& name, const limits::FeedRules& rules,
                                      Ids& ids, Time now) {
  TYER_TRY_OK(check_session_name(name));
  TYER_TRY_OK(find(view, "agent", agent));
  TYER_TRY(const std::vector<Session> sessions, list_sessions(view, agent));
  for (const Session& session : sessions) {
    if (fold_name(session.name) == fold_name(name)) {
      return fail(Fault::conflict,
                  fmt::format("there is a session '{}' already ({})", session.name, session.id));
    }
  }
  if (sessions.size() >= rules.sessions_max) {
    return fail(Fault::limit,
                fmt::format("session limit reached: the agent has {} of {}; delete one",
                            sessions.size(), rules.sessions_max));
  }
  NewSession made{.id = ids.next("ss_")};
  made.change.events.push_back(make_session({.id = made.id, .agent = agent, .name = name}, now));
  return made;
}

Result<core::Change> decide_edit_session(const core::View& view, const std::string& id,
                                         const SessionEdit& edit, const limits::FeedRules& rules,
                                         Ids& ids, Time now) {
  TYER_TRY(const core::Subject subject, find(view, "session", id));
  TYER_TRY(const Session session, read_session(subject));
  Json body = Json::object();
  if (edit.conversation) {
    TYER_TRY_OK(check_conversation(*edit.conversation));
    body["claude_session_id"] = *edit.conversation;
  }
  if (edit.status) {
    if (*edit.status != "idle" && *edit.status != "running") {
      return fail(Fault::invalid, "status is idle or running");
    }
    body["status"] = *edit.status;
  }
  core::Change change;
  const bool follows = edit.followed || !edit.follow.empty() || !edit.unfollow.empty();
  if (follows) {
    const Actor nobody;
    // Each post learns of its new reader, so that its comments find the way back.
    std::vector<std::string> kept = session.followed;
    const std::vector<std::string>& wanted = edit.followed ? *edit.followed : edit.follow;
    if (wanted.size() > rules.followed_max) {
      return fail(Fault::limit, fmt::format("a session follows at most {} posts, not {}",
                                            rules.followed_max, wanted.size()));
    }
    if (edit.followed) kept.clear();
    const auto drop = [&](const std::string& post) { std::erase(kept, post); };
    std::ranges::for_each(edit.unfollow, drop);
    for (const std::string& post : wanted) {
      TYER_TRY_OK(find_post(view, post));
      TYER_TRY(const auto grown, view.subject(key_of("thread", post)));
      if (!grown) return fail(Fault::broken, key_of("thread", post) + " is missing");
      TYER_TRY(Thread thread, read_thread(*grown));
      Routing routing(view, nobody, rules, ids, now, post, thread);
      const std::vector<std::string> before = thread.followers;
      TYER_TRY_OK(routing.follow(id));
      if (thread.followers != before) {
        change.events.push_back(
            {grown->key, "thread.grown", dump_json({{"followers", thread.followers}})});
      }
      drop(post);
      kept.push_back(post);
    }
    if (kept.size() > rules.followed_max) {
      kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(rules.followed_max));
    }
    body["followed_posts"] = kept;
  }
  if (body.empty()) return fail(Fault::invalid, "nothing to change was given");
  body["agent_id"] = session.agent;
  change.events.push_back({subject.key, "session.updated", dump_json(body), edit.expected_rev});
  return change;
}

Result<core::Change> decide_delete_session(const core::View& view, const std::string& id, Time now,
                                           const limits::FeedRules& rules) {
  TYER_TRY(const core::Subject subject, find(view, "session", id));
  TYER_TRY(const Session session, read_session(subject));
  if (session.is_default) {
    return fail(Fault::conflict, "the default session of an agent cannot be deleted");
  }
  TYER_TRY(const core::Subject owner, find(view, "agent", session.agent));
  TYER_TRY(const Agent agent, read_agent(owner));
  core::Change change;
  // What was not answered yet still waits for an answer.
  TYER_TRY(const std::vector<Item> open, list_open_items(view, id));
  if (open.size() > moved_items_max) {
    return fail(Fault::limit,
                fmt::format("the session has {} open items, at most {} can go to the default "
                            "session; have some answered or skipped first",
                            open.size(), moved_items_max));
  }
  for (const Item& item : open) {
    change.events.push_back(
        {item.key, "item.moved", dump_json({{"moved_to", agent.default_session}})});
    TYER_TRY(const auto there, view.subject(item_key(agent.default_session, item.source)));
    if (there) continue;
    change.events.push_back(open_item({agent.default_session, agent.id, "moved"}, item.source,
                                      item.post, item.feed, now, id));
  }
  TYER_TRY_OK(hand_over_follows(view, session, agent.default_session, rules, change));
  change.events.push_back({subject.key, "session.deleted",
                           dump_json({{"agent_id", session.agent},
                                      {"followed_posts", Json::array()},
                                      {"due_at", nullptr},
                                      {"deleted_at", format_time(now)}})});
  return change;
}

}  // namespace tyer::feed
