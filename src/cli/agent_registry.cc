// tyer agent add, set, list, key and remove: who may come to the hub.

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "backend/backend.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/confirm.h"
#include "cli/door.h"
#include "cli/hub_lines.h"
#include "cli/hub_names.h"
#include "cli/limits.h"
#include "env/find_program.h"

namespace tyer::cli {
namespace {

// The key alone is the answer; what to do with it is for people.
void print_key(World& world, const Arguments& arguments, const Door& door, const Json& made,
               const std::string& what) {
  print_object(world, arguments, made, text_or(made, "key") + "\n");
  if (arguments.has("--json")) return;
  const std::string url = door.url().empty() ? "where 'tyer serve' says it is" : door.url();
  world.output.warn(fmt::format(
      "{}. The key above is shown this once; only its hash is kept.\n"
      "Put it into the agent's environment as TYER_API_KEY, and the hub's address ({}) as "
      "TYER_URL.\n",
      what, url));
}

// The agent's runs start elsewhere than we did.
std::string absolute_directory(const World& world, const std::string& path) {
  std::string whole = (std::filesystem::path(world.directory) / path).lexically_normal().string();
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return whole;
}

std::string keys_path(const std::string& agent) {
  return "/api/agents/" + agent + "/keys";
}

Done list_keys(World& world, const Arguments& arguments, Door& door, const std::string& agent) {
  TYER_TRY(const Json rows, door.ask_all(keys_path(agent), {}, limits::hub_list_rows));
  std::vector<std::vector<std::string>> lines{{"ID", "PREFIX", "STATUS", "CREATED", "NAME"}};
  for (const Json& row : rows) {
    lines.push_back({shown_text(row, "id"), shown_text(row, "prefix") + "…",
                     shown_text(row, "status"), shown_text(row, "created_at"),
                     shown_text(row, "name")});
  }
  print_rows(world, arguments, rows, lines, "No keys.\n");
  return 0;
}

// One of this agent's own: an id alone would hit any key there is.
Done revoke_key(World& world, const Arguments& arguments, Door& door, const std::string& agent) {
  const std::string wanted = *arguments.value("--revoke");
  TYER_TRY(const Json rows, door.ask_all(keys_path(agent), {}, limits::hub_list_rows));
  const auto is_it = [&](const Json& row) {
    return text_or(row, "id") == wanted || text_or(row, "prefix") == wanted;
  };
  const auto found = std::ranges::find_if(rows, is_it);
  if (found == rows.end() || wanted.empty()) {
    return std::unexpected(
        Failure{{Fault::not_found, fmt::format("the agent has no key '{}'", printable(wanted, 80))},
                "--list shows those it has"});
  }
  if (std::ranges::count_if(rows, is_it) > 1) {
    return std::unexpected(Failure{
        {Fault::invalid, fmt::format("several keys begin with '{}'", printable(wanted, 80))},
        "give the id of the one that is meant"});
  }
  const std::string id = text_or(*found, "id");
  TYER_TRY_OK(door.ask("DELETE", "/api/keys/" + id));
  print_object(world, arguments, {{"id", id}, {"status", "revoked"}}, id + " is revoked\n");
  return 0;
}

// What is set with a number; 0 takes it back.
Result<> add_number(const Arguments& arguments, const std::string& option, const char* name,
                    Json& body) {
  const auto text = arguments.value(option);
  if (!text) return {};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || end != text->data() + text->size() || number < 0) {
    return fail(Fault::invalid,
                fmt::format("{} '{}' is not a number from 0 on", option, printable(*text, 80)));
  }
  body[name] = number;
  return {};
}

// The settings of an agent that the arguments name.
Result<Json> read_settings_of(const World& world, const Arguments& arguments) {
  Json body = Json::object();
  constexpr std::array<std::pair<const char*, const char*>, 3> texts{
      {{"--type", "type"}, {"--model", "model"}, {"--permission", "permission_mode"}}};
  for (const auto& [option, name] : texts) {
    if (const auto text = arguments.value(option)) body[name] = *text;
  }
  if (const auto dir = arguments.value("--dir")) {
    body["working_directory"] = absolute_directory(world, *dir);
  }
  if (const auto tree = arguments.value("--worktree")) body["worktree"] = *tree == "yes";
  if (const auto names = arguments.value("--pass-env")) {
    body["environment"] = Json::array();
    for (std::size_t at = 0; at < names->size();) {
      const std::size_t comma = std::min(names->find(',', at), names->size());
      if (comma > at) body["environment"].push_back(names->substr(at, comma - at));
      at = comma + 1;
    }
  }
  // Nothing behind the mark takes back what was there.
  if (arguments.has_mark()) body["command"] = arguments.values("CMD");
  constexpr std::array<std::pair<const char*, const char*>, 5> numbers{
      {{"--max-minutes", "minutes_max"},
       {"--runs-per-day", "runs_per_day"},
       {"--cents-per-day", "cents_per_day"},
       {"--session-runs-per-day", "session_runs_per_day"},
       {"--session-cents-per-day", "session_cents_per_day"}}};
  for (const auto& [option, name] : numbers) {
    TYER_TRY_OK(add_number(arguments, option, name, body));
  }
  const auto is_text = [](const Json& value) {
    return !value.is_string() || is_utf8(value.get_ref<const std::string&>());
  };
  for (const auto& [name, value] : body.items()) {
    const bool is_good = value.is_array() ? std::ranges::all_of(value, is_text) : is_text(value);
    if (!is_good) return fail(Fault::invalid, name + " is not UTF-8");
  }
  return body;
}

// The demo agent would take a command for a mistake, and fail at every run.
Tried<> check_command(const Json& body, const Json& before) {
  const auto setting = [&](const char* name) {
    return body.contains(name) ? body[name] : before.value(name, Json());
  };
  if (!body.contains("command") && !body.contains("type")) return {};
  if (setting("type") != "demo" || setting("command").empty()) return {};
  return std::unexpected(Failure{{Fault::invalid, "an agent of type demo takes no command"},
                                 "--type command runs it; nothing behind -- takes back one that "
                                 "was set"});
}

bool is_on_this_machine(const std::string& url) {
  const std::size_t at = url.find("://");
  const std::string_view host = std::string_view(url).substr(at == std::string::npos ? 0 : at + 3);
  return url.empty() || host.starts_with("127.") || host.starts_with("localhost") ||
         host.starts_with("[::1]");
}

// An agent whose directory or program is missing fails at every run. Where a hub on another machine
// has its workers, nobody can look from here.
Tried<> check_is_there(World& world, const Arguments& arguments, const Door& door, const Json& body,
                       const Json& before) {
  const auto setting = [&](const char* name) {
    return body.contains(name) ? body[name] : before.value(name, Json());
  };
  const bool has_command =
      setting("type") == "command" && body.contains("command") && !body["command"].empty();
  if (arguments.has("--force") || (!arguments.has("--dir") && !has_command)) return {};
  if (!is_on_this_machine(door.url())) {
    world.output.warn(
        "tyer: its directory and program are looked for where its worker runs; "
        "whether they are there cannot be seen from here\n");
    return {};
  }
  const auto refuse = [](const Error& error) {
    return std::unexpected(Failure{{Fault::invalid, error.what},
                                   "--force takes it all the same, if its worker is on another "
                                   "machine"});
  };
  const Json dir = setting("working_directory");
  const std::string directory =
      dir.is_string() && dir != "" ? dir.get<std::string>() : world.directory;
  std::error_code problem;
  if (arguments.has("--dir") && !std::filesystem::is_directory(directory, problem)) {
    return refuse({Fault::invalid, fmt::format("there is no directory {}", printable(directory))});
  }
  if (!has_command) return {};
  const auto path = world.environment.find("PATH");
  const auto found =
      env::find_program(body["command"].front().get<std::string>(),
                        path == world.environment.end() ? "" : path->second, directory);
  if (!found) return refuse(found.error());
  return {};
}

// Whether its program is there is for its worker to know, which may be elsewhere or come later.
// That it is not here is worth a word.
void tell_if_missing(World& world, const Arguments& arguments, const Door& door,
                     const Json& agent) {
  if (arguments.has("--force") || !is_on_this_machine(door.url())) return;
  const backend::Backend* const backend = backend::find_backend(text_or(agent, "type"));
  // The demo agent is this very program.
  if (backend == nullptr || backend->program.empty() || backend->name == "demo") return;
  const auto path = world.environment.find("PATH");
  const std::string search = path == world.environment.end() ? "" : path->second;
  if (env::find_program(std::string(backend->program), search, world.directory)) return;
  world.output.warn(
      fmt::format("tyer: there is no program '{}' on this machine; the agent's runs fail where its "
                  "worker finds none\n",
                  backend->program));
}

// "agent bot (ag_…): 2 sessions, 1 key, 3 items that wait for an answer": what goes with it.
Tried<std::string> belongings_of(Door& door, const std::string& agent) {
  TYER_TRY(const Json shown, door.ask("GET", "/api/agents/" + agent));
  TYER_TRY(const Json sessions,
           door.ask_all("/api/agents/" + agent + "/sessions", {}, limits::hub_list_rows));
  TYER_TRY(const Json all, door.ask_all(keys_path(agent), {}, limits::hub_list_rows));
  const auto keys = std::ranges::count_if(all, [](const Json& key) {
    return text_or(key, "kind") == "key" && text_or(key, "status") == "active";
  });
  std::size_t items = 0;
  for (const Json& session : sessions) {
    TYER_TRY(const Json open, door.ask_all("/api/sessions/" + text_or(session, "id") + "/pending",
                                           {}, limits::hub_list_rows));
    items += open.size();
  }
  return fmt::format("agent {} ({}): {}, {}{}", shown_text(shown, "name"), agent,
                     count(sessions.size(), "session"),
                     count(static_cast<std::uint64_t>(keys), "key"),
                     items == 0 ? "" : fmt::format(", {} unanswered", count(items, "item")));
}

// How it is doing, in words. A hub that is older says less.
std::string state_of(const Json& row) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> words{
      {{"unserved", "not served"},
       {"no_credentials", "no credentials"},
       {"over_budget", "budget used up"},
       {"on_its_own", "on its own"}}};
  const std::string state = shown_text(row, "state");
  if (state.empty()) return row.value("online", false) ? "online" : "offline";
  const auto found =
      std::ranges::find(words, state, &std::pair<std::string_view, std::string_view>::first);
  return found == words.end() ? state : std::string(found->second);
}

}  // namespace

Done run_agent_add(World& world, const Arguments& arguments) {
  TYER_TRY(Json body, read_settings_of(world, arguments));
  body["name"] = *arguments.value("NAME");
  if (!is_utf8(*arguments.value("NAME"))) {
    return std::unexpected(Failure{{Fault::invalid, "the name is not UTF-8"}});
  }
  TYER_TRY_OK(check_command(body, Json::object()));
  TYER_TRY(const auto door, Door::open(world, arguments, Access::write));
  TYER_TRY_OK(check_is_there(world, arguments, *door, body, Json::object()));
  TYER_TRY(const Json made, door->ask("POST", "/api/keys", {}, dump_json(body)));
  print_key(
      world, arguments, *door, made,
      fmt::format("The agent {} ({}) is made", shown_text(made, "name"), shown_text(made, "id")));
  tell_if_missing(world, arguments, *door, made);
  return 0;
}

Done run_agent_set(World& world, const Arguments& arguments) {
  TYER_TRY(Json body, read_settings_of(world, arguments));
  if (const auto name = arguments.value("--rename")) {
    if (!is_utf8(*name)) return std::unexpected(Failure{{Fault::invalid, "--rename is not UTF-8"}});
    body["name"] = *name;
  }
  if (body.empty()) {
    return std::unexpected(Failure{{Fault::invalid, "nothing to change was given"}});
  }
  TYER_TRY(const auto door, Door::open(world, arguments, Access::write));
  TYER_TRY(const std::string id, find_agent(*door, *arguments.value("NAME")));
  TYER_TRY(const Json before, door->ask("GET", "/api/agents/" + id));
  TYER_TRY_OK(check_command(body, before));
  TYER_TRY_OK(check_is_there(world, arguments, *door, body, before));
  TYER_TRY(const Json agent, door->ask("PATCH", "/api/agents/" + id, {}, dump_json(body)));
  print_object(world, arguments, agent, fmt::format("{} is changed\n", shown_text(agent, "name")));
  if (body.contains("type")) tell_if_missing(world, arguments, *door, agent);
  return 0;
}

Done run_agent_list(World& world, const Arguments& arguments) {
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const Json rows, door->ask_all("/api/agents", {}, limits::hub_list_rows));
  std::vector<std::vector<std::string>> lines{
      {"ID", "NAME", "TYPE", "STATE", "SEEN", "MODEL", "DIRECTORY"}};
  for (const Json& row : rows) {
    lines.push_back({shown_text(row, "id"), shown_text(row, "name"), shown_text(row, "type"),
                     state_of(row), shown_text(row, "last_seen"), shown_text(row, "model"),
                     shown_text(row, "working_directory")});
  }
  print_rows(world, arguments, rows, lines, "No agents.\n");
  return 0;
}

Done run_agent_key(World& world, const Arguments& arguments) {
  if (arguments.has("--list") && arguments.has("--revoke")) {
    return std::unexpected(Failure{{Fault::invalid, "--list and --revoke are one too many"}});
  }
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const std::string agent, find_agent(*door, *arguments.value("NAME")));
  if (arguments.has("--list")) return list_keys(world, arguments, *door, agent);
  if (arguments.has("--revoke")) return revoke_key(world, arguments, *door, agent);
  TYER_TRY(const Json made, door->ask("POST", keys_path(agent), {}, "{}"));
  print_key(world, arguments, *door, made,
            fmt::format("The key {} is made", shown_text(made, "id")));
  return 0;
}

Done run_agent_remove(World& world, const Arguments& arguments) {
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const std::string agent, find_agent(*door, *arguments.value("NAME")));
  TYER_TRY(const std::string hit, belongings_of(*door, agent));
  TYER_TRY(const bool sure, confirm(world, arguments, hit, "Delete it with all of that?"));
  if (!sure) return 1;
  TYER_TRY_OK(door->ask("DELETE", "/api/agents/" + agent));
  print_object(world, arguments, {{"id", agent}, {"status", "deleted"}},
               agent + " is deleted, with its sessions and keys\n");
  return 0;
}

}  // namespace tyer::cli
