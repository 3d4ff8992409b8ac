#include "work/assignment.h"

#include "base/json.h"

namespace tyer::work {
namespace {

const Json& member(const Json& object, const char* name) {
  static const Json none = Json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : none;
}

Said read_said(const Json& json) {
  return {.id = text_or(json, "id"),
          .title = text_or(json, "title"),
          .text = text_or(json, "content"),
          .author = text_or(json, "author_name"),
          .by_agent = text_or(json, "author_type") == "bot",
          .at = text_or(json, "created_at")};
}

std::vector<Said> read_list(const Json& object, const char* name) {
  std::vector<Said> all;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return all;
  for (const Json& one : *found) {
    if (one.is_object()) all.push_back(read_said(one));
  }
  return all;
}

}  // namespace

std::vector<std::string> texts_of(const Json& object, const char* name) {
  std::vector<std::string> all;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return all;
  for (const Json& one : *found) {
    if (one.is_string()) all.push_back(one.get<std::string>());
  }
  return all;
}

Result<Assignment> read_assignment(const Json& begun) {
  const Json& agent = member(begun, "agent");
  const Json& session = member(begun, "session");
  const Json& lease = member(begun, "lease");
  Assignment given{.run = text_or(begun, "run"),
                   .token = text_or(begun, "token"),
                   .skill = text_or(begun, "skill"),
                   .lease_key = text_or(lease, "key"),
                   .lease_token = static_cast<std::uint64_t>(int_or(lease, "token")),
                   .agent = text_or(agent, "name"),
                   .agent_id = text_or(agent, "id"),
                   .backend = text_or(agent, "type"),
                   .directory = text_or(agent, "working_directory"),
                   .model = text_or(agent, "model"),
                   .permission = text_or(agent, "permission_mode"),
                   .command = texts_of(agent, "command"),
                   .environment = texts_of(agent, "environment"),
                   .worktree = agent.value("worktree", Json()) == Json(true),
                   .minutes_max = int_or(agent, "minutes_max"),
                   .session = text_or(session, "name"),
                   .session_id = text_or(session, "id"),
                   .conversation = text_or(session, "claude_session_id"),
                   .feed = text_or(member(begun, "feed"), "name"),
                   .post = read_said(member(begun, "post")),
                   .items = read_list(begun, "items"),
                   .comments = read_list(begun, "comments")};
  if (const auto titles = begun.find("titles"); titles != begun.end() && titles->is_array()) {
    for (const Json& one : *titles) given.titles.push_back(text_or(one, "title"));
  }
  const bool is_whole = !given.run.empty() && !given.token.empty() && !given.lease_key.empty() &&
                        !given.backend.empty() && !given.items.empty();
  if (!is_whole) return fail(Fault::broken, "the hub's answer is not that of a run that begins");
  return given;
}

}  // namespace tyer::work
