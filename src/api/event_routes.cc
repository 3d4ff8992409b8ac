// The log, page by page and as a stream (H17, H19).

#include <algorithm>
#include <span>

#include "api/answer.h"
#include "api/broadcast.h"
#include "api/hub.h"
#include "api/paging.h"
#include "api/wire_event.h"
#include "core/key.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (!one.empty()) parts.emplace_back(one);
  }
  return parts;
}

Result<Filter> read_filter(const Call& call) {
  Filter filter{.author_type = std::string(call.request.query_of("author_type")),
                .agents = split_list(call.request.query_of("agents")),
                .topics = split_list(call.request.query_of("topics")),
                .is_agent = call.caller.actor.is_agent};
  if (!filter.author_type.empty() && filter.author_type != "human" && filter.author_type != "bot") {
    return fail(Fault::invalid, "author_type is human or bot");
  }
  return filter;
}

// Whom the worker serves that opens the stream. An agent serves itself in any case.
Result<> add_served(const Call& call, Subscription& wish) {
  if (call.request.query_of("worker") != "true") return {};
  if (!call.caller.actor.session.empty()) {
    return fail(Fault::denied, "the token of a run is no worker's; use the agent's key");
  }
  wish.sessions = split_list(call.request.query_of("sessions"));
  if (call.caller.actor.is_agent) return {};
  wish.agents = wish.filter.agents;
  wish.serves_all = wish.agents.empty();
  return {};
}

Result<http::Response> open_stream(Call& call, Filter filter) {
  Broadcast* broadcast = call.hub.broadcast();
  if (broadcast == nullptr) return fail(Fault::unavailable, "there is no hub running: tyer serve");
  Subscription wish{.filter = std::move(filter), .credential = call.caller.credential};
  if (call.caller.actor.is_agent) wish.agents = {call.caller.actor.id};
  TYER_TRY_OK(add_served(call, wish));
  // A browser says it by header; others may say it in the address.
  std::string_view last = call.request.header("last-event-id");
  if (last.empty()) last = call.request.query_of("after");
  if (!last.empty()) {
    const auto after = event_seq(last);
    if (!after) return fail(Fault::invalid, "Last-Event-ID is not one that we gave");
    wish.after = *after;
  } else {
    // From now on. What is written once its reader knows of the stream is not missed.
    wish.is_first = true;
    TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head head, view.head());
      wish.after = head.seq;
      return {};
    }));
  }
  http::Response response{.headers = {{"content-type", "text/event-stream"},
                                      {"cache-control", "no-cache, no-transform"},
                                      {"x-accel-buffering", "no"}}};
  response.stream = [broadcast,
                     wish = std::move(wish)](std::shared_ptr<http::Stream> stream) mutable {
    wish.stream = std::move(stream);
    broadcast->add(std::move(wish));
  };
  return response;
}

Result<http::Response> stream_events(Call& call) {
  TYER_TRY(Filter filter, read_filter(call));
  return open_stream(call, std::move(filter));
}

Result<http::Response> stream_feed(Call& call) {
  TYER_TRY_OK(call.hub.look(feed::key_of("feed", call.id())));
  TYER_TRY(Filter filter, read_filter(call));
  filter.feed = call.id();
  filter.comments_only = true;
  return open_stream(call, std::move(filter));
}

std::vector<std::string> shown_events(Call& call, const Filter& filter,
                                      std::span<const core::Event> events) {
  std::vector<std::string> rows;
  for (const core::Event& event : events) {
    WireEvent wire = to_wire(call.hub.engine().catalog(), event);
    if (wants(filter, wire)) rows.push_back(std::move(wire.data));
  }
  return rows;
}

Result<http::Response> list_oldest(Call& call, const Filter& filter, std::size_t limit) {
  const std::string_view after = call.request.query_of("cursor");
  const auto seq = after.empty() ? std::optional<std::uint64_t>(0) : event_seq(after);
  if (!seq) return fail(Fault::invalid, "cursor is not one that we gave");
  const std::string root(call.request.query_of("key"));
  if (!root.empty()) TYER_TRY_OK(core::check_key(root));
  std::vector<core::Event> events;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(events, view.events({.after = *seq, .root = root, .limit = limit}));
    return {};
  }));
  return answer_page(shown_events(call, filter, events),
                     events.size() < limit ? "" : event_id(events.back().seq));
}

// The log is read forwards, so its last part is found by its numbers: they have few gaps, if any.
Result<http::Response> list_newest(Call& call, const Filter& filter, std::size_t limit) {
  if (!call.request.query_of("key").empty()) {
    return fail(Fault::invalid, "the story of a key is told from its beginning, not the newest");
  }
  const std::string_view before = call.request.query_of("cursor");
  const auto end = before.empty() ? std::optional<std::uint64_t>(0) : event_seq(before);
  if (!end || (*end == 0 && !before.empty())) {
    return fail(Fault::invalid, "cursor is not one that we gave");
  }
  std::vector<core::Event> events;
  std::uint64_t after = 0;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    const std::uint64_t last = before.empty() ? head.seq : std::min(*end - 1, head.seq);
    after = last > limit ? last - limit : 0;
    TYER_TRY(events, view.events({.after = after, .limit = limit}));
    std::erase_if(events, [&](const core::Event& event) { return event.seq > last; });
    return {};
  }));
  std::ranges::reverse(events);
  return answer_page(shown_events(call, filter, events), after == 0 ? "" : event_id(after + 1));
}

Result<http::Response> list_events(Call& call) {
  TYER_TRY(const std::size_t limit, page_limit(call));
  TYER_TRY(const Filter filter, read_filter(call));
  const std::string_view order = call.request.query_of("order");
  if (order == "newest") return list_newest(call, filter, limit);
  if (order.empty() || order == "oldest") return list_oldest(call, filter, limit);
  return fail(Fault::invalid, "order is oldest or newest");
}

}  // namespace

std::vector<Route> event_routes() {
  const std::vector<Field> filters{
      {"author_type", Type::text, false, "posts and comments of human or bot authors only"},
      {"agents", Type::text, false, "agent ids with commas: what they wrote or is meant for them"},
      {"topics", Type::text, false, "first words of types with commas: post,comment,session"}};
  std::vector<Field> resumed = filters;
  resumed.push_back({"after", Type::text, false, "an event id; as the header Last-Event-ID"});
  std::vector<Field> worked = resumed;
  worked.push_back(
      {"worker", Type::flag, false,
       "true: a worker's, which serves the agents (all, or those of agents) meanwhile"});
  worked.push_back({"sessions", Type::text, false,
                    "of a worker: ids of sessions with commas, if it serves only these"});
  std::vector<Field> paged = filters;
  paged.push_back({"key", Type::text, false, "only what happened to this, and to what is below"});
  paged.push_back({"order", Type::text, false, "oldest first, or newest; oldest if not given"});
  for (const Field& field : page_fields()) paged.push_back(field);
  return {
      {.method = "GET",
       .path = "/api/events",
       .summary = "What has happened. With a filter, a page may have fewer rows than its limit",
       .query = paged,
       .reply = "Page of Event",
       .handle = list_events},
      {.method = "GET",
       .path = "/api/events/stream",
       .summary = "What happens, as server-sent events; Last-Event-ID resumes",
       .query = worked,
       .reply = "Stream",
       .handle = stream_events},
      {.method = "GET",
       .path = "/api/feeds/{id}/comments/stream",
       .summary = "Comments of one feed as they come, and who is typing",
       .query = resumed,
       .reply = "Stream",
       .handle = stream_feed},
  };
}

}  // namespace tyer::api
