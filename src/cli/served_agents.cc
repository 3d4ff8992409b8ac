#include "cli/served_agents.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/secrets.h"
#include "base/json.h"
#include "base/text.h"
#include "feed/names.h"

namespace tyer::cli {
namespace {

struct Variable {
  std::string name;  // Empty: none is set.
  std::string text;
};

Variable first_of(const World& world, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = world.environment.find(name);
    if (found != world.environment.end() && !found->second.empty()) return {name, found->second};
  }
  return {};
}

Variable key_variable(const World& world) {
  return first_of(world, {"TYER_API_KEY", "AGENTFEED_API_KEY"});
}

Variable keys_variable(const World& world) {
  return first_of(world, {"TYER_API_KEYS", "AGENTFEED_API_KEYS"});
}

Variable session_variable(const World& world) {
  return first_of(world, {"TYER_SESSION", "AGENTFEED_SESSION"});
}

struct Key {
  std::string text;
  std::string name;  // Where it stands, and what of it is no secret.
};

// What `tyer agent key --list` shows of it.
std::string public_part(const std::string& key) {
  const std::string credential = api::credential_of(key);
  if (credential.empty()) return "which is not a key by its form";
  return fmt::format("{}{}…", key.substr(0, 3), credential.substr(credential.size() - 6));
}

// Those of one variable, between commas or spaces.
void add_keys(std::vector<Key>& keys, const Variable& variable) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < variable.text.size();) {
    const std::size_t end =
        std::min(variable.text.find_first_of(", \r\n\t", at), variable.text.size());
    if (end > at) words.push_back(variable.text.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(keys, words[i], &Key::text) != keys.end()) continue;
    const std::string where =
        words.size() == 1 ? variable.name : fmt::format("key {} of {}", i + 1, variable.name);
    keys.push_back({words[i], fmt::format("{} ({})", where, public_part(words[i]))});
  }
}

std::vector<Key> keys_of(const World& world, bool all) {
  std::vector<Key> keys;
  add_keys(keys, key_variable(world));
  if (all) add_keys(keys, keys_variable(world));
  return keys;
}

// The session of the agent that is called so, or has this id.
Result<std::string> session_called(lock::HubClient& client, const std::string& agent,
                                   const std::string& text) {
  TYER_TRY(const Json page, client.ask("GET", fmt::format("/api/agents/{}/sessions", agent), {}));
  std::string names;
  for (const Json& row : page.value("data", Json::array())) {
    const std::string id = text_or(row, "id");
    const std::string name = text_or(row, "name");
    if (id == text || feed::fold_name(name) == feed::fold_name(text)) return id;
    names += (names.empty() ? "" : ", ") + name;
  }
  return fail(Fault::not_found, fmt::format("the agent has no session '{}'; there are {}",
                                            printable(text, 60), printable(names, 200)));
}

// Who one is with the key, and which of its sessions are served.
Result<work::Identity> identify(const World& world, const Arguments& arguments,
                                const lock::HubAddress& hub) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::ranges::all_of(hub.key, is_plain)) return fail(Fault::invalid, "it is no key");
  TYER_TRY(auto client, lock::HubClient::make(hub, 10s));
  TYER_TRY(const Json me, client.ask("GET", "/api/auth/me", {}));
  work::Identity identity{.hub = hub};
  // A person's worker serves all agents.
  const std::string agent = text_or(me, "agent_id");
  if (agent.empty()) return identity;
  identity.agents = {agent};
  if (arguments.has("--all-sessions") || arguments.has("--all-agents")) return identity;
  const std::string session = arguments.value("--session").value_or(session_variable(world).text);
  if (session.empty()) {
    identity.sessions = {text_or(me, "default_session")};
  } else {
    TYER_TRY(const std::string id, session_called(client, agent, session));
    identity.sessions = {id};
  }
  return identity;
}

Result<> check_options(const Arguments& arguments) {
  for (const char* all : {"--all-sessions", "--all-agents"}) {
    if (arguments.has("--session") && arguments.has(all)) {
      return fail(Fault::invalid, fmt::format("--session and {} are one too many: one session, or "
                                              "all of them",
                                              all));
    }
  }
  return {};
}

}  // namespace

Tried<bool> names_agents(const World& world, const Arguments& arguments) {
  if (!keys_of(world, arguments.has("--all-agents")).empty()) return true;
  std::string given = session_variable(world).name;
  for (const char* option : {"--session", "--all-sessions"}) {
    if (arguments.has(option)) given = option;
  }
  if (given.empty()) return false;
  return std::unexpected(
      Failure{{Fault::invalid, fmt::format("{} is given, but no key says of which agent", given)},
              "TYER_API_KEY is its key, and TYER_URL the hub, if one is meant; without both, all "
              "agents of the store here are served"});
}

Tried<std::vector<work::Identity>> find_served(const World& world, const Arguments& arguments,
                                               const std::string& hub, const Log& log) {
  TYER_TRY_OK(check_options(arguments));
  const bool all = arguments.has("--all-agents");
  const std::vector<Key> keys = keys_of(world, all);
  if (keys.empty()) {
    return std::unexpected(
        Failure{{Fault::invalid,
                 all ? "no keys: TYER_API_KEYS says which agents are served, with commas between "
                       "their keys"
                     : "no key: TYER_API_KEY says which agent is served"},
                "'tyer agent key NAME' makes one; --all-agents takes several in TYER_API_KEYS"});
  }
  std::vector<work::Identity> served;
  std::optional<Error> first;
  for (const Key& key : keys) {
    auto identity = identify(world, arguments, {hub, key.text});
    if (identity) {
      served.push_back(*std::move(identity));
      continue;
    }
    const Error& error = identity.error();
    // A hub that is out of reach has not said that a key is bad.
    if (info(error.fault).retry_helps) return std::unexpected(Failure{error});
    if (keys.size() > 1) log.warn("not served", {{"key", key.name}, {"why", error.what}});
    if (!first) first = error.in(key.name);
  }
  if (!served.empty()) return served;
  return std::unexpected(
      Failure{keys.size() == 1
                  ? *first
                  : first->in(fmt::format("none of {} keys is good; the first", keys.size()))});
}

}  // namespace tyer::cli
