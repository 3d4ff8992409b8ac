#include "feed/records.h"

#include <algorithm>
#include <charconv>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "core/key.h"
#include "core/limits.h"
#include "feed/kinds.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

Result<JsonFields> state_of(const core::Subject& subject) {
  auto state = JsonFields::read(subject.state);
  if (!state) return fail(Fault::broken, subject.key + ": its state cannot be read");
  return state;
}

// A member of a subject's state as JSON.
std::string member_of(const core::Subject& subject, std::string_view name) {
  if (const auto members = split_object(subject.state)) {
    const auto found = std::ranges::find(*members, name, &JsonMember::name);
    if (found != members->end()) return std::string(found->value);
  }
  return "null";
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
  TYER_TRY(const JsonFields state, state_of(subject));
  return Agent{.id = id_of(subject),
               .name = state.text("name"),
               .type = state.text("type"),
               .default_session = state.text("default_session"),
               .is_started = state.text("type") != "command" || !state.texts("command").empty(),
               .is_online = state.flag("online"),
               .hub = state.text("hub")};
}

Result<Session> read_session(const core::Subject& subject) {
  TYER_TRY(const JsonFields state, state_of(subject));
  const auto not_before = parse_time(state.text("not_before"));
  return Session{.id = id_of(subject),
                 .agent = state.text("agent_id"),
                 .name = state.text("name"),
                 .is_default = state.flag("is_default"),
                 .conversation = state.text("claude_session_id"),
                 .followed = state.texts("followed_posts"),
                 .not_before = not_before ? std::optional(*not_before) : std::nullopt};
}

Result<Thread> read_thread(const core::Subject& subject) {
  TYER_TRY(const JsonFields state, state_of(subject));
  return Thread{.comments = static_cast<std::uint64_t>(state.number("comment_count")),
                .followers = state.texts("followers"),
                .bot_mentions = state.numbers("bot_mentions"),
                .unserved = state.texts("unserved"),
                .spent = state.texts("spent"),
                .is_troubled = !state.text("trouble").empty(),
                .troubled_session = state.text("troubled_session")};
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
  return member_of(thread, "last_at");
}

std::string trouble_of(const core::Subject& thread) {
  return member_of(thread, "trouble");
}

Result<Item> read_item(const core::Subject& subject) {
  TYER_TRY(const JsonFields state, state_of(subject));
  return Item{.key = subject.key,
              .session = state.text("session_id"),
              .source = state.text("source_id"),
              .post = state.text("post_id"),
              .feed = state.text("feed_id"),
              .run = state.text("run"),
              .wakes = static_cast<std::uint64_t>(state.number("wakes")),
              .waits = static_cast<std::uint64_t>(state.number("waits")),
              .rests = state.flag("rests"),
              .asks = state.flag("asks"),
              .moved_from = state.text("moved_from")};
}

Result<Author> read_author(const core::Subject& subject) {
  TYER_TRY(const JsonFields state, state_of(subject));
  return Author{state.text("author_type") == "bot", state.text("created_by")};
}

Result<std::vector<Agent>> list_agents(const core::View& view) {
  return read_all(view, {.kind = "agent", .status = "active"}, limits::agents_max, read_agent);
}

Result<std::vector<Session>> list_sessions(const core::View& view, const std::string& agent) {
  return read_all(view, {.parent = "agent/" + agent, .kind = "session", .status = "active"},
                  limits::page_rows_max, read_session);
}

Result<std::vector<Item>> list_open_items(const core::View& view, const std::string& session) {
  // By their keys, not by their parent: it has all that were ever answered, too.
  return read_all(view, {.kind = "item", .status = "open", .below = "item/" + session},
                  limits::page_rows_max, read_item);
}

}  // namespace tyer::feed
