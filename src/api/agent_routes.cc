// Agents and their keys (H2, H3).

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/paging.h"
#include "api/secrets.h"
#include "base/json.h"
#include "base/json_text.h"
#include "core/limits.h"
#include "feed/agent_state.h"
#include "feed/agents.h"
#include "feed/kinds.h"
#include "feed/limits.h"

namespace tyer::api {
namespace {

const std::vector<Field>& agent_settings() {
  static const std::vector<Field> fields{
      {"name", Type::text, false, "at most 100 characters, without / and @"},
      {"type", Type::text, false, "claude, codex, gemini, command or demo"},
      {"working_directory", Type::text, false, "where its runs work"},
      {"model", Type::text, false, "which model its program uses"},
      {"permission_mode", Type::text, false, "read, edit or all: what it may do without asking"},
      {"command", Type::texts, false, "of type command: the program and its words"},
      {"environment", Type::texts, false, "names of the worker's variables that its runs see"},
      {"worktree", Type::flag, false, "each session works in a git worktree of its own"},
      {"minutes_max", Type::number, false, "for a run; 30 if not given"},
      {"runs_per_day", Type::number, false, "budget of the agent; 0: none"},
      {"cents_per_day", Type::number, false, "budget of the agent, US cents; 0: none"},
      {"session_runs_per_day", Type::number, false, "budget of each session; 0: none"},
      {"session_cents_per_day", Type::number, false, "budget of each session; 0: none"}};
  return fields;
}

feed::AgentInput to_input(const Input& input) {
  return {.name = input.maybe_text("name"),
          .type = input.maybe_text("type"),
          .directory = input.maybe_text("working_directory"),
          .model = input.maybe_text("model"),
          .permission = input.maybe_text("permission_mode"),
          .command = input.maybe_texts("command"),
          .environment = input.maybe_texts("environment"),
          .worktree = input.maybe_flag("worktree"),
          .minutes_max = input.maybe_number("minutes_max"),
          .runs_per_day = input.maybe_number("runs_per_day"),
          .cents_per_day = input.maybe_number("cents_per_day"),
          .session_runs_per_day = input.maybe_number("session_runs_per_day"),
          .session_cents_per_day = input.maybe_number("session_cents_per_day")};
}

// Without its hash.
std::string shown_credential(const core::Subject& subject) {
  auto state = parse_json_object(subject.state);
  if (!state) return "{}";
  state->erase("hash");
  (*state)["id"] = feed::id_of(subject);
  (*state)["status"] = subject.status;
  return dump_json(*state);
}

core::Draft new_key(Call& call, feed::Ids& ids, const std::string& agent, const std::string& name,
                    Time now, std::string& secret_text, std::string& id) {
  id = ids.next("cr_");
  const Secret secret = make_secret("ty", id, call.hub.engine().env().random);
  secret_text = secret.text;
  return feed::make_credential({.id = id,
                                .kind = "key",
                                .name = name,
                                .agent = agent,
                                .hash = secret.hash,
                                .prefix = secret.prefix},
                               now);
}

// An agent with how it is doing.
Result<std::string> shown_agent(Call& call, const core::View& view, const core::Subject& subject,
                                Time now) {
  const bool is_served = call.hub.serves_some_of(feed::id_of(subject));
  TYER_TRY(const feed::AgentState state, feed::read_agent_state(view, subject, is_served, now));
  return with(shown(subject),
              fmt::format(R"("served":{},"state":{},"state_why":{})", state.is_served,
                          json_string(state.word), json_string(state.why)));
}

Result<http::Response> add_agent(Call& call) {
  std::string secret;
  std::string key;
  std::string agent;
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        TYER_TRY(feed::NewAgent made, feed::decide_add_agent(view, to_input(call.input), ids, now));
        agent = made.agent.id;
        made.change.events.push_back(new_key(call, ids, agent, made.agent.name, now, secret, key));
        return std::move(made.change);
      }));
  TYER_TRY(const core::Subject subject, call.hub.look(feed::key_of("agent", agent)));
  return answer(with(shown(subject),
                     fmt::format(R"("key_id":{},"key":{})", json_string(key), json_string(secret))),
                201);
}

Result<http::Response> list_agents(Call& call) {
  TYER_TRY(const Time now, call.hub.engine().store_time());
  return answer_subjects(call, {.kind = "agent", .status = "active"}, Order::oldest,
                         [&](const core::View& view, const core::Subject& subject) {
                           return shown_agent(call, view, subject, now);
                         });
}

Result<http::Response> show_agent(Call& call) {
  TYER_TRY(const Time now, call.hub.engine().store_time());
  std::string body;
  std::uint64_t rev = 0;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Subject subject, feed::find(view, "agent", call.id()));
    rev = subject.rev;
    TYER_TRY(body, shown_agent(call, view, subject, now));
    return {};
  }));
  http::Response response = answer(std::move(body));
  response.headers.push_back({"etag", fmt::format("\"{}\"", rev)});
  return response;
}

Result<http::Response> edit_agent(Call& call) {
  TYER_TRY(const auto rev, call.expected_rev());
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time) {
    return feed::decide_edit_agent(view, call.id(), to_input(call.input), rev);
  }));
  return show_agent(call);
}

Result<http::Response> remove_agent(Call& call) {
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time now) {
    return feed::decide_delete_agent(view, call.id(), now);
  }));
  return answer("", 204);
}

Result<http::Response> list_keys(Call& call) {
  std::vector<PlacedRow> rows;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows.clear();
    TYER_TRY_OK(feed::find(view, "agent", call.id()));
    TYER_TRY(const auto keys, feed::list_credentials(view, call.id()));
    for (const core::Subject& key : keys) {
      rows.push_back({0, feed::id_of(key), shown_credential(key)});
    }
    return {};
  }));
  return answer_rows(call, rows);
}

// Tokens of runs do not count: they end by themselves.
Result<> check_room(const core::View& view, const std::string& agent) {
  TYER_TRY(
      const auto all,
      feed::list_all(
          view, {.parent = feed::key_of("agent", agent), .kind = "credential", .status = "active"},
          limits::page_rows_max));
  std::size_t keys = 0;
  for (const core::Subject& one : all) {
    TYER_TRY(const feed::Credential credential, feed::read_credential(one));
    if (credential.kind == "key") ++keys;
  }
  if (keys < limits::keys_of_agent_max) return {};
  return fail(Fault::conflict, fmt::format("the agent has {} keys already; revoke one", keys));
}

Result<http::Response> add_key(Call& call) {
  std::string secret;
  std::string key;
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY_OK(feed::find(view, "agent", call.id()));
        TYER_TRY_OK(check_room(view, call.id()));
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        return core::Change{
            .events = {new_key(call, ids, call.id(), call.input.text("name"), now, secret, key)}};
      }));
  return answer(fmt::format(R"({{"id":{},"agent_id":{},"key":{}}})", json_string(key),
                            json_string(call.id()), json_string(secret)),
                201);
}

Result<http::Response> revoke_key(Call& call) {
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time) {
    return feed::decide_revoke(view, call.id(), "revoked by " + call.caller.actor.name);
  }));
  return answer("", 204);
}

}  // namespace

// Long because it is a table.
std::vector<Route> agent_routes() {
  std::vector<Field> needed = agent_settings();
  needed.front().required = true;
  return {
      {.method = "POST",
       .path = "/api/keys",
       .who = Who::human,
       .summary = "Makes an agent and its key, which is shown once",
       .body = needed,
       .reply = "NewAgent",
       .status = 201,
       .handle = add_agent},
      {.method = "DELETE",
       .path = "/api/keys/{id}",
       .who = Who::human,
       .summary = "Revokes a key; its streams end",
       .reply = "Nothing",
       .status = 204,
       .handle = revoke_key},
      {.method = "GET",
       .path = "/api/agents",
       .summary = "The agents",
       .query = page_fields(),
       .reply = "Page of Agent",
       .handle = list_agents},
      {.method = "GET",
       .path = "/api/agents/{id}",
       .summary = "One agent",
       .reply = "Agent",
       .handle = show_agent,
       .quick = true},
      {.method = "PATCH",
       .path = "/api/agents/{id}",
       .who = Who::human,
       .summary = "Changes its settings",
       .body = agent_settings(),
       .reply = "Agent",
       .handle = edit_agent},
      {.method = "DELETE",
       .path = "/api/agents/{id}",
       .who = Who::human,
       .summary = "Deletes it with its sessions and keys",
       .reply = "Nothing",
       .status = 204,
       .handle = remove_agent},
      {.method = "GET",
       .path = "/api/agents/{id}/keys",
       .who = Who::human,
       .summary = "Its keys, without their secrets",
       .query = row_fields(),
       .reply = "Page of Key",
       .handle = list_keys},
      {.method = "POST",
       .path = "/api/agents/{id}/keys",
       .who = Who::human,
       .summary = "One more key for it",
       .body = {{"name", Type::text, false, "to tell it apart"}},
       .reply = "NewKey",
       .status = 201,
       .handle = add_key},
  };
}

}  // namespace tyer::api
