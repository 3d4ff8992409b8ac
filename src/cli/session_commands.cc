// tyer agent sessions, follow and unfollow: the conversations of agents.

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/door.h"
#include "cli/hub_lines.h"
#include "cli/hub_names.h"
#include "cli/limits.h"

namespace tyer::cli {
namespace {

Done list_sessions(World& world, const Arguments& arguments, Door& door, const std::string& path) {
  TYER_TRY(const Json rows, door.ask_all(path, {}, limits::hub_list_rows));
  std::vector<std::vector<std::string>> lines{{"ID", "NAME", "STATUS", "FOLLOWS", "CONVERSATION"}};
  for (const Json& row : rows) {
    const std::size_t follows = row.contains("followed_posts") ? row["followed_posts"].size() : 0;
    lines.push_back({shown_text(row, "id"), shown_text(row, "name"), shown_text(row, "status"),
                     std::to_string(follows), shown_text(row, "claude_session_id")});
  }
  print_rows(world, arguments, rows, lines, "No sessions.\n");
  return 0;
}

// AGENT, AGENT/NAME or an id, as the hub knows it.
Tried<Json> look_up_session(Door& door, const std::string& text) {
  if (is_id(text, "ss_")) return door.ask("GET", "/api/sessions/" + text);
  const std::size_t slash = text.find('/');
  TYER_TRY(const std::string agent, find_agent(door, text.substr(0, slash)));
  std::string session;
  if (slash == std::string::npos) {
    TYER_TRY(const Json found, door.ask("GET", "/api/agents/" + agent));
    session = text_or(found, "default_session");
  } else {
    TYER_TRY(session, find_session(door, agent, text.substr(slash + 1)));
  }
  return door.ask("GET", "/api/sessions/" + session);
}

bool follows(const Json& session, const std::string& post) {
  const auto followed = session.find("followed_posts");
  return followed != session.end() &&
         std::ranges::any_of(*followed, [&](const Json& one) { return one == post; });
}

}  // namespace

Done run_agent_sessions(World& world, const Arguments& arguments) {
  const auto added = arguments.value("--add");
  const auto removed = arguments.value("--remove");
  if (added && removed) {
    return std::unexpected(Failure{{Fault::invalid, "--add and --remove are one too many"}});
  }
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const std::string agent, find_agent(*door, *arguments.value("NAME")));
  const std::string path = "/api/agents/" + agent + "/sessions";
  if (added) {
    TYER_TRY(const std::string body, body_of({{"name", added}}));
    TYER_TRY(const Json made, door->ask("POST", path, {}, body));
    print_object(world, arguments, made, text_or(made, "id") + "\n");
    return 0;
  }
  if (!removed) return list_sessions(world, arguments, *door, path);
  TYER_TRY(const std::string session, find_session(*door, agent, *removed));
  TYER_TRY_OK(door->ask("DELETE", "/api/sessions/" + session));
  print_object(world, arguments, {{"id", session}, {"status", "deleted"}},
               session + " is deleted; what it had to answer goes to the default session\n");
  return 0;
}

Done run_agent_follow(World& world, const Arguments& arguments) {
  const std::string name = *arguments.value("SESSION");
  TYER_TRY(const std::string post, check_post(*arguments.value("POST")));
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const Json session, look_up_session(*door, name));
  TYER_TRY(const Json changed, door->ask("PATCH", "/api/sessions/" + text_or(session, "id"), {},
                                         dump_json({{"add", Json::array({post})}})));
  print_object(world, arguments, changed,
               fmt::format("{} follows {}\n", printable(name, 200), post));
  return 0;
}

Done run_agent_unfollow(World& world, const Arguments& arguments) {
  const std::string name = *arguments.value("SESSION");
  TYER_TRY(const std::string post, check_post(*arguments.value("POST")));
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const Json session, look_up_session(*door, name));
  if (!follows(session, post)) {
    return std::unexpected(Failure{
        {Fault::not_found, fmt::format("{} does not follow {}", printable(name, 200), post)},
        "comments that mention it wake it wherever they stand"});
  }
  TYER_TRY(const Json changed, door->ask("PATCH", "/api/sessions/" + text_or(session, "id"), {},
                                         dump_json({{"remove", Json::array({post})}})));
  print_object(world, arguments, changed,
               fmt::format("{} does not follow {} any more\n", printable(name, 200), post));
  return 0;
}

}  // namespace tyer::cli
