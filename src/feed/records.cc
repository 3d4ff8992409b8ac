#include "feed/records.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/json_text.h"
#include "core/key.h"
#include "core/limits.h"
#include "feed/kinds.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

Result<Json> state_of(const core::Subject& subject) {
  auto state = parse_json_object(subject.state);
  if (!state) return fail(Fault::broken, subject.key + ": its state cannot be read");
  return *std::move(state);
}

template <class Value>
std::vector<Value> list_of(const Json& state, const char* name) {
  std::vector<Value> values;
  const auto found = state.find(name);
  if (found == state.end() || !found->is_array()) return values;
  for (const Json& value : *found) {
    if constexpr (std::is_same_v<Value, std::string>) {
      if (value.is_string()) values.push_back(value.get<std::string>());
    } else {
      if (value.is_number_integer()) values.push_back(value.get<Value>());
    }
  }
  return values;
}

// All of `query`, each read by `read`.
template <class Record>
Result<std::vector<Record>> read_all(const core::View& view, const core::SubjectQuery& query,
                                     std::size_t most,
                                     Result<Record> (*read)(const core::Subject&)) {
  TYER_TRY(const std::vector<core::Subject> subjects, list_all(view, query, most));
  std::vector<Record> records;
  for (const core::Subject& subject : subjects) {
    TYER_TRY(Record record, read(subject));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

bool Session::follows(const std::string& post) const {
  return std::ranges::find(followed, post) != followed.end();
}

Result<Agent> read_agent(const core::Subject& subject) {
  TYER_TRY(const Json state, state_of(subject));
  return Agent{.id = id_of(subject),
               .name = text_or(state, "name"),
               .type = text_or(state, "type"),
               .default_session = text_or(state, "default_session")};
}

Result<Session> read_session(const core::Subject& subject) {
  TYER_TRY(const Json state, state_of(subject));
  return Session{.id = id_of(subject),
                 .agent = text_or(state, "agent_id"),
                 .name = text_or(state, "name"),
                 .is_default = state.value("is_default", false),
                 .conversation = text_or(state, "claude_session_id"),
                 .followed = list_of<std::string>(state, "followed_posts")};
}

Result<Thread> read_thread(const core::Subject& subject) {
  TYER_TRY(const Json state, state_of(subject));
  return Thread{.comments = static_cast<std::uint64_t>(int_or(state, "comment_count")),
                .followers = list_of<std::string>(state, "followers"),
                .bot_mentions = list_of<std::int64_t>(state, "bot_mentions")};
}

Result<std::uint64_t> count_comments(const core::Subject& thread) {
  if (const auto members = split_object(thread.state)) {
    const auto found = std::ranges::find(*members, "comment_count", &JsonMember::name);
    std::uint64_t count = 0;
    if (found != members->end() &&
        std::from_chars(found->value.begin(), found->value.end(), count).ptr ==
            found->value.end()) {
      return count;
    }
  }
  TYER_TRY(const Thread read, read_thread(thread));
  return read.comments;
}

std::string last_at(const core::Subject& thread) {
  if (const auto members = split_object(thread.state)) {
    const auto found = std::ranges::find(*members, "last_at", &JsonMember::name);
    if (found != members->end()) return std::string(found->value);
  }
  return "null";
}

Result<Item> read_item(const core::Subject& subject) {
  TYER_TRY(const Json state, state_of(subject));
  return Item{.key = subject.key,
              .session = text_or(state, "session_id"),
              .source = text_or(state, "source_id"),
              .post = text_or(state, "post_id"),
              .feed = text_or(state, "feed_id"),
              .run = text_or(state, "run"),
              .wakes = static_cast<std::uint64_t>(int_or(state, "wakes")),
              .rests = state.value("rests", Json()) == Json(true),
              .moved_from = text_or(state, "moved_from")};
}

Result<Author> read_author(const core::Subject& subject) {
  TYER_TRY(const Json state, state_of(subject));
  return Author{text_or(state, "author_type") == "bot", text_or(state, "created_by")};
}

Result<std::vector<Agent>> list_agents(const core::View& view) {
  return read_all(view, {.kind = "agent", .status = "active"}, limits::agents_max, read_agent);
}

Result<std::vector<Session>> list_sessions(const core::View& view, const std::string& agent) {
  return read_all(view, {.parent = "agent/" + agent, .kind = "session", .status = "active"},
                  limits::page_rows_max, read_session);
}

Result<std::vector<Item>> list_open_items(const core::View& view, const std::string& session) {
  return read_all(view, {.parent = "session/" + session, .kind = "item", .status = "open"},
                  limits::page_rows_max, read_item);
}

}  // namespace tyer::feed
