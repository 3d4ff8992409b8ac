// Sessions of agents, and what they have to answer (H9, H10, H13, H14, H16).

#include <algorithm>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/paging.h"
#include "api/secrets.h"
#include "api/sessions.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "core/limits.h"
#include "feed/agents.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/names.h"

namespace tyer::api {

Result<> check_own(const Caller& caller, const std::string& agent, const std::string& session) {
  if (!caller.actor.is_agent) return {};
  if (caller.actor.id != agent) {
    return fail(Fault::denied, "this belongs to another agent");
  }
  if (!caller.actor.session.empty() && caller.actor.session != session) {
    return fail(Fault::denied, "the token of a run is good for its own session only");
  }
  return {};
}

Result<feed::Session> own_session(const core::View& view, Call& call) {
  TYER_TRY(const core::Subject subject, feed::find(view, "session", call.id()));
  TYER_TRY(feed::Session session, feed::read_session(subject));
  TYER_TRY_OK(check_own(call.caller, session.agent, session.id));
  return session;
}

Result<std::string> shown_session(const core::View& view, const core::Subject& subject) {
  TYER_TRY(Json state, parse_json_object(subject.state));
  TYER_TRY(const auto lease, view.lease(subject.key));
  if (lease || text_or(state, "status") != "running") {
    state["status"] = lease ? "running" : "idle";
  }
  state["id"] = feed::id_of(subject);
  return dump_json(state);
}

Result<std::string> shown_item(const core::View& view, const core::Subject& subject) {
  TYER_TRY(const JsonFields state, JsonFields::read(subject.state));
  const std::string source = state.text("source_id");
  TYER_TRY(const auto text,
           view.subject(feed::key_of(source.starts_with("ps_") ? "post" : "comment", source)));
  TYER_TRY(const auto post, view.subject(feed::key_of("post", state.text("post_id"))));
  const auto is_gone = [](const auto& one) { return !one || one->status == "deleted"; };
  std::vector<JsonPart> more{
      {"id", source}, {"status", subject.status}, {"is_deleted", is_gone(text) || is_gone(post)}};
  if (text) {
    TYER_TRY(const JsonFields written, JsonFields::read(text->state));
    for (const char* name : {"title", "content", "author_type", "author_name", "created_by"}) {
      if (written.has(name)) more.emplace_back(name, written.text(name));
    }
  }
  const std::string members = json_object(std::move(more));
  return with(subject.state, members.substr(1, members.size() - 2));
}

namespace {

Result<http::Response> answer_session(Call& call, const std::string& id, int status = 200) {
  std::string body;
  std::uint64_t rev = 0;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Subject subject, feed::find(view, "session", id));
    rev = subject.rev;
    TYER_TRY(body, shown_session(view, subject));
    return {};
  }));
  http::Response response = answer(body, status);
  response.headers.push_back({"etag", fmt::format("\"{}\"", rev)});
  return response;
}

Result<http::Response> add_session(Call& call) {
  std::string id;
  TYER_TRY_OK(check_own(call.caller, call.id(), ""));
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        TYER_TRY(feed::NewSession made,
                 feed::decide_add_session(view, call.id(), call.input.text("name"),
                                          call.hub.options().rules, ids, now));
        id = made.id;
        return std::move(made.change);
      }));
  return answer_session(call, id, 201);
}

Result<http::Response> list_sessions(Call& call) {
  TYER_TRY_OK(call.hub.look(feed::key_of("agent", call.id())));
  return answer_subjects(
      call, {.parent = feed::key_of("agent", call.id()), .kind = "session", .status = "active"},
      Order::oldest, shown_session);
}

Result<http::Response> list_all_sessions(Call& call) {
  return answer_subjects(call, {.kind = "session", .status = "active"}, Order::oldest,
                         shown_session);
}

Result<http::Response> show_session(Call& call) {
  return answer_session(call, call.id());
}

Result<http::Response> edit_session(Call& call) {
  TYER_TRY(const auto rev, call.expected_rev());
  const Input& input = call.input;
  const feed::SessionEdit edit{.conversation = input.maybe_text("claude_session_id"),
                               .status = input.maybe_text("status"),
                               .followed = input.maybe_texts("followed_posts"),
                               .follow = input.texts("add"),
                               .unfollow = input.texts("remove"),
                               .expected_rev = rev};
  // It could be somebody else's, and the next run would go on with that.
  if (edit.conversation && !call.caller.actor.session.empty()) {
    return fail(Fault::denied,
                "the token of a run does not set claude_session_id: who keeps the run tells it "
                "when that ends, or set it with the agent's key");
  }
  if (edit.followed && !(edit.follow.empty() && edit.unfollow.empty())) {
    return fail(Fault::invalid, "give followed_posts, or add and remove, not both");
  }
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY_OK(own_session(view, call));
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        return feed::decide_edit_session(view, call.id(), edit, call.hub.options().rules, ids, now);
      }));
  return answer_session(call, call.id());
}

Result<http::Response> remove_session(Call& call) {
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY_OK(own_session(view, call));
        return feed::decide_delete_session(view, call.id(), now, call.hub.options().rules);
      }));
  return answer("", 204);
}

Result<http::Response> items(Call& call, const char* status) {
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY_OK(own_session(view, call));
    return {};
  }));
  return answer_subjects(call, {.kind = "item", .status = status, .below = "item/" + call.id()},
                         Order::oldest, shown_item);
}

Result<http::Response> pending(Call& call) {
  return items(call, "open");
}

Result<http::Response> skipped(Call& call) {
  return items(call, "skipped");
}

Result<http::Response> wake(Call& call) {
  feed::Woken woken;
  const feed::Wake wanted{call.id(), call.input.text("run"), call.input.texts("items")};
  TYER_TRY_OK(feed::check_title("run", wanted.run, limits::actor_bytes_max));
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY_OK(own_session(view, call));
        TYER_TRY(woken, feed::decide_wake(view, wanted, call.hub.options().rules, now));
        return woken.change;
      }));
  return answer(dump_json({{"taken", woken.taken}, {"skipped", woken.skipped}}));
}

Result<http::Response> retry(Call& call) {
  TYER_TRY_OK(
      call.hub.apply(call.caller.actor, [&](const core::View& view, Time) -> Result<core::Change> {
        TYER_TRY_OK(own_session(view, call));
        return feed::decide_retry(view, call.id(), call.path.at("item"));
      }));
  return answer("{}");
}

Result<http::Response> add_token(Call& call) {
  std::string text;
  std::string id;
  TYER_TRY_OK(feed::check_title("run", call.input.text("run"), limits::actor_bytes_max));
  // Or it would never have to end.
  if (!call.caller.actor.session.empty()) {
    return fail(Fault::denied, "the token of a run makes no tokens; use the agent's key");
  }
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const feed::Session session, own_session(view, call));
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        id = ids.next("cr_");
        const Secret secret = make_secret("tr", id, call.hub.engine().env().random);
        text = secret.text;
        return core::Change{
            .events = {feed::make_credential({.id = id,
                                              .kind = "run",
                                              .name = "run " + call.input.text("run"),
                                              .agent = session.agent,
                                              .session = session.id,
                                              .run = call.input.text("run"),
                                              .hash = secret.hash,
                                              .prefix = secret.prefix,
                                              .expires_at = now + limits::run_token_time},
                                             now)}};
      }));
  return answer(fmt::format(R"({{"id":{},"token":{}}})", json_string(id), json_string(text)), 201);
}

}  // namespace

// Long because it is a table.
std::vector<Route> session_routes() {
  return {
      {.method = "POST",
       .path = "/api/agents/{id}/sessions",
       .summary = "Makes a session",
       .body = {{"name", Type::text, true, "1 to 20 of a-z, A-Z, 0-9, 가-힣, _ and -"}},
       .reply = "Session",
       .status = 201,
       .handle = add_session},
      {.method = "GET",
       .path = "/api/agents/{id}/sessions",
       .summary = "The agent's sessions",
       .query = page_fields(),
       .reply = "Page of Session",
       .handle = list_sessions},
      {.method = "GET",
       .path = "/api/sessions",
       .summary = "The sessions of all agents",
       .query = page_fields(),
       .reply = "Page of Session",
       .handle = list_all_sessions},
      {.method = "GET",
       .path = "/api/sessions/{id}",
       .summary = "One session",
       .reply = "Session",
       .handle = show_session,
       .quick = true},
      {.method = "PATCH",
       .path = "/api/sessions/{id}",
       .summary = "Changes a session",
       .body = {{"claude_session_id", Type::text, false,
                 "the program's own conversation id; not by the token of a run"},
                {"status", Type::text, false, "idle or running"},
                {"followed_posts", Type::texts, false, "instead of those it follows"},
                {"add", Type::texts, false, "posts to follow, too"},
                {"remove", Type::texts, false, "posts not to follow any more"}},
       .reply = "Session",
       .handle = edit_session},
      {.method = "DELETE",
       .path = "/api/sessions/{id}",
       .summary = "Deletes a session; what it had to answer goes to the default one",
       .reply = "Nothing",
       .status = 204,
       .handle = remove_session},
      {.method = "GET",
       .path = "/api/sessions/{id}/pending",
       .summary = "What the session has to answer, the oldest first",
       .query = page_fields(),
       .reply = "Page of Item",
       .handle = pending},
      {.method = "GET",
       .path = "/api/sessions/{id}/skipped",
       .summary = "What was given up after three attempts",
       .query = page_fields(),
       .reply = "Page of Item",
       .handle = skipped},
      {.method = "POST",
       .path = "/api/sessions/{id}/wake",
       .summary = "A run starts for these items; those tried too often are skipped",
       .body = {{"run", Type::text, true, "the run's id"},
                {"items", Type::texts, true, "ids of posts and comments"}},
       .reply = "Woken",
       .handle = wake},
      {.method = "POST",
       .path = "/api/sessions/{id}/items/{item}/retry",
       .summary = "A skipped item is open again",
       .reply = "Nothing",
       .handle = retry},
      {.method = "POST",
       .path = "/api/sessions/{id}/tokens",
       .summary = "A token for one run, which may act as this session only",
       .body = {{"run", Type::text, true, "the run's id"}},
       .reply = "NewToken",
       .status = 201,
       .handle = add_token},
  };
}

}  // namespace tyer::api
