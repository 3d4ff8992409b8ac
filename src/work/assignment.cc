#include "work/assignment.h"

#include "backend/excerpt.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "work/order.h"

namespace tyer::work {
namespace {

Said read_said(const JsonFields& said) {
  return {.id = said.text("id"),
          .title = said.text("title"),
          .text = said.text("content"),
          .author = said.text("author_name"),
          .by_agent = said.text("author_type") == "bot",
          .at = said.text("created_at")};
}

std::vector<Said> read_list(const JsonFields& begun, const char* name) {
  std::vector<Said> all;
  for (const JsonFields& one : begun.objects(name)) all.push_back(read_said(one));
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

std::string item_words(const Assignment& given) {
  const Said& first = given.items.front();
  return in_a_row(first.title.empty() ? first.text : first.title, given.items.size());
}

Result<Assignment> read_assignment(std::string_view text) {
  TYER_TRY(const JsonFields begun, JsonFields::read(text));
  const JsonFields agent = begun.object("agent");
  const JsonFields session = begun.object("session");
  const JsonFields lease = begun.object("lease");
  Assignment given{.run = begun.text("run"),
                   .token = begun.text("token"),
                   .skill = begun.text("skill"),
                   .lease_key = lease.text("key"),
                   .lease_token = static_cast<std::uint64_t>(lease.number("token")),
                   .agent = agent.text("name"),
                   .agent_id = agent.text("id"),
                   .backend = agent.text("type"),
                   .directory = agent.text("working_directory"),
                   .model = agent.text("model"),
                   .permission = agent.text("permission_mode"),
                   .command = agent.texts("command"),
                   .environment = agent.texts("environment"),
                   .worktree = agent.flag("worktree"),
                   .minutes_max = agent.number("minutes_max"),
                   .session = session.text("name"),
                   .session_id = session.text("id"),
                   .conversation = session.text("claude_session_id"),
                   .usage_totals = session.text("usage_totals"),
                   .feed = begun.object("feed").text("name"),
                   .post = read_said(begun.object("post")),
                   .items = read_list(begun, "items"),
                   .comments = read_list(begun, "comments")};
  for (const JsonFields& one : begun.objects("titles")) given.titles.push_back(one.text("title"));
  for (const JsonFields& one : begun.objects("left")) {
    given.left.push_back({one.text("run"), one.text("mark")});
  }
  const bool is_one = backend::is_uuid(given.run) && !given.token.empty() &&
                      !given.backend.empty() && !given.lease_key.empty() && !given.items.empty();
  if (!is_one) return fail(Fault::broken, "the hub's answer is not that of a run that begins");
  return given;
}

}  // namespace tyer::work
