#include "api/wire_event.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "core/key.h"
#include "http/event_stream.h"

namespace tyer::api {
namespace {

// Some have a name of their own outside; of the others, the dot is an underscore.
std::string wire_type(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"thread.noticed", "notice"},
      {"thread.troubled", "notice"},
      {"thread.typing", "agent_typing"},
      {"thread.quiet", "agent_idle"},
      // What happened to a session's run. Of its processes, attempt by attempt, the store's own
      // records tell.
      {"shift.started", "run_started"},
      {"shift.output", "run_output"},
      {"shift.stop_asked", "run_stop_asked"},
      {"shift.ended", "run_finished"},
      {"run.created", "attempt_created"},
      {"run.started", "attempt_started"},
      {"run.ended", "attempt_finished"}};
  for (const auto& [ours, theirs] : names) {
    if (type == ours) return std::string(theirs);
  }
  std::string name(type);
  std::ranges::replace(name, '.', '_');
  return name;
}

void add_agent(std::vector<std::string>& agents, const std::string& agent) {
  if (agent.starts_with("ag_") && std::ranges::find(agents, agent) == agents.end()) {
    agents.push_back(agent);
  }
}

// What is told beside the body, by name.
using Extras = std::vector<std::pair<std::string_view, std::string>>;

// The usual case, without building the object.
std::optional<std::string> join_quickly(const core::Kind* kind, std::vector<JsonMember> body,
                                        const Extras& extras) {
  std::erase_if(body, [&](const JsonMember& member) {
    return member.name == "parent" || member.name == "due_at" ||
           (kind != nullptr && std::ranges::find(kind->hidden, member.name) != kind->hidden.end());
  });
  std::vector<std::string> texts;
  texts.reserve(extras.size());
  for (const auto& [name, text] : extras) texts.push_back(json_string(text));
  std::vector<JsonMember> added;
  for (std::size_t i = 0; i < extras.size(); ++i) added.push_back({extras[i].first, texts[i]});
  return merge_members(body, added);
}

std::string join(const core::Kind* kind, const std::string& body, const Extras& extras) {
  auto read = parse_json_object(kind == nullptr ? body : core::shown_body(*kind, body));
  Json data = read ? *std::move(read) : Json::object();
  data.erase("parent");
  data.erase("due_at");
  for (const auto& [name, text] : extras) data[std::string(name)] = text;
  return dump_json(data);
}

// Locks and places in line are no subjects, but their sessions are proofs where the store is at
// hand: the stream does not show them.
const core::Kind* kind_of_locks(std::string_view kind) {
  static const core::Kind hides_session{.name = "lock", .transitions = {}, .hidden = {"run"}};
  return kind == "lock" || kind == "wait" ? &hides_session : nullptr;
}

bool has(const std::vector<std::string>& list, std::string_view one) {
  return std::ranges::find(list, one) != list.end();
}

}  // namespace

WireEvent to_wire(const core::Catalog& catalog, const core::Event& event) {
  WireEvent wire{.seq = event.seq, .type = wire_type(event.type)};
  const std::string_view kind_name = core::kind_of(event.key);
  const core::Kind* const locks = kind_of_locks(kind_name);
  const core::Kind* const kind = locks != nullptr ? locks : catalog.kind(kind_name);
  const auto members = split_object(event.body);
  const JsonFields data =
      members ? JsonFields::of(*members) : JsonFields::read(event.body).value_or(JsonFields());
  wire.author_type = kind_name == "post" || kind_name == "comment" ? data.text("author_type") : "";
  wire.feed = data.text("feed_id");
  wire.is_private = kind_name == "credential" || kind_name == "account";
  for (const char* name : {"agent_id", "created_by"}) add_agent(wire.agents, data.text(name));
  for (const JsonFields& target : data.objects("targets")) {
    add_agent(wire.agents, target.text("agent_id"));
  }
  const std::string id(core::rest_of(event.key));
  if (kind_name == "agent") wire.agents.push_back(id);
  const bool hides_actor = locks != nullptr && event.actor.starts_with("run/");
  Extras extras{{"actor", hides_actor ? "run" : event.actor},
                {"at", format_time(event.at)},
                {"event", wire.type},
                {"event_id", event_id(event.seq)}};
  if (kind_name != "item") extras.emplace_back("id", id);
  extras.emplace_back("key", event.key);
  std::optional<std::string> joined;
  if (members) joined = join_quickly(kind, *members, extras);
  wire.data = joined ? *std::move(joined) : join(kind, event.body, extras);
  wire.text = std::make_shared<const std::string>(
      http::event_text(event_id(event.seq), wire.type, wire.data));
  return wire;
}

bool wants(const Filter& filter, const WireEvent& event) {
  if (filter.is_agent && event.is_private) return false;
  const std::string_view topic = std::string_view(event.type).substr(0, event.type.find('_'));
  if (filter.comments_only && topic != "comment" && event.type != "agent_typing" &&
      event.type != "agent_idle") {
    return false;
  }
  if (!filter.topics.empty() && !has(filter.topics, topic)) return false;
  if (!filter.feed.empty() && event.feed != filter.feed) return false;
  if (!filter.author_type.empty() && !event.author_type.empty() &&
      event.author_type != filter.author_type) {
    return false;
  }
  return filter.agents.empty() || std::ranges::any_of(event.agents, [&](const std::string& agent) {
           return has(filter.agents, agent);
         });
}

std::string event_id(std::uint64_t seq) {
  return fmt::format("ev_{:016}", seq);
}

std::optional<std::uint64_t> event_seq(std::string_view id) {
  if (id.starts_with("ev_")) id.remove_prefix(3);
  std::uint64_t seq = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), seq);
  if (id.empty() || error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return seq;
}

}  // namespace tyer::api
