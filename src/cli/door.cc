#include "cli/door.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/limits.h"
#include "cli/matters.h"
#include "http/client.h"
#include "lock/hub_client.h"

namespace tyer::cli {
namespace {

std::string variable_of(const World& world, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = world.environment.find(name);
    if (found != world.environment.end() && !found->second.empty()) return found->second;
  }
  return "";
}

// A key goes to the hub that it was made for, which is named where the key is: in the environment,
// on the command line or by the user. A file that came with a directory cannot have it sent
// elsewhere.
Result<> check_no_key(const World& world, const std::string& url) {
  for (const char* const name :
       {"TYER_API_KEY", "TYER_API_KEYS", "AGENTFEED_API_KEY", "AGENTFEED_API_KEYS"}) {
    if (variable_of(world, {name}).empty()) continue;
    return fail(Fault::denied,
                fmt::format("the key in {0} is not sent to {1}, which only the workspace names; if "
                            "it is a key of that hub, say so with TYER_URL={1} or --url",
                            name, printable(url, 200)));
  }
  return {};
}

}  // namespace

Result<> choose_hub(World& world, const Arguments& arguments, Settings& settings) {
  if (arguments.has("--store")) {
    if (arguments.has("--url")) {
      return fail(Fault::invalid, "--url and --store are one too many: a hub, or a store");
    }
    settings.hub_url.clear();
  } else if (settings.hub_url.empty()) {
    settings.hub_url = variable_of(world, {"AGENTFEED_URL"});
    if (!settings.hub_url.empty() && !http::parse_url(settings.hub_url)) {
      return fail(Fault::invalid,
                  fmt::format("AGENTFEED_URL is '{}', but must be a URL like http://127.0.0.1:7420",
                              printable(settings.hub_url, 80)));
    }
  } else if (settings.is_of_workspace("hub.url")) {
    TYER_TRY_OK(check_no_key(world, settings.hub_url));
    return need_agreement(world, setting_matters(find_workspace(world), settings, "hub.url"));
  }
  return {};
}

Result<std::string> agent_key(const World& world) {
  std::string key = variable_of(world, {"TYER_API_KEY", "AGENTFEED_API_KEY"});
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (std::ranges::all_of(key, is_plain)) return key;
  return fail(Fault::invalid, "TYER_API_KEY holds no key");
}

Tried<std::unique_ptr<Door>> Door::open(World& world, const Arguments& arguments, Access access) {
  TYER_TRY(Settings settings, load_settings(world, arguments));
  TYER_TRY_OK(choose_hub(world, arguments, settings));
  TYER_TRY(std::string key, agent_key(world));
  if (settings.hub_url.empty()) {
    return make_near_door(world, std::move(settings), std::move(key), access);
  }
  return make_far_door(world, std::move(settings), std::move(key));
}

Tried<Json> Door::ask(const std::string& method, const std::string& path, const Query& query,
                      const std::string& body) {
  TYER_TRY(const Answered answered, send({method, path, query, body}));
  if (answered.status / 100 != 2) {
    return std::unexpected(refusal(answered.status, answered.body));
  }
  if (answered.body.empty()) return Json();
  auto json = parse_json(answered.body, answered.body.size());
  if (!json) return std::unexpected(refusal(answered.status, answered.body));
  return *std::move(json);
}

Tried<Json> Door::ask_all(const std::string& path, Query query, std::size_t most) {
  Json rows = Json::array();
  query.emplace_back("limit", "");
  const std::size_t limit_at = query.size() - 1;
  while (rows.size() < most) {
    query[limit_at].second = std::to_string(std::min(most - rows.size(), limits::hub_page_rows));
    TYER_TRY(Json page, ask("GET", path, query));
    if (!page.is_object() || !page["data"].is_array()) {
      return std::unexpected(refusal(200, dump_json(page)));
    }
    for (Json& row : page["data"]) rows.push_back(std::move(row));
    const std::string next = text_or(page, "next_cursor");
    if (next.empty()) break;
    if (query.back().first != "cursor") query.emplace_back("cursor", "");
    query.back().second = next;
  }
  return rows;
}

Failure Door::refusal(int status, std::string_view body) const {
  const Error error = lock::read_refusal(url(), status, body);
  if (error.fault == Fault::unavailable && status != info(error.fault).http_status) {
    return {error, "is it the address of a hub? --url and TYER_URL say which one is meant"};
  }
  if (status == 401 && key_.empty()) {
    return {error,
            "an agent's key belongs in TYER_API_KEY; people log in on the page, or use the hub's "
            "store with --store"};
  }
  return {error};
}

Result<std::string> body_of(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& members) {
  std::string body;
  for (const auto& [name, text] : members) {
    if (!text) continue;
    if (!is_utf8(*text)) return fail(Fault::invalid, name + " is not UTF-8");
    body += fmt::format("{}{}:{}", body.empty() ? "" : ",", json_string(name), json_string(*text));
  }
  return "{" + body + "}";
}

}  // namespace tyer::cli
