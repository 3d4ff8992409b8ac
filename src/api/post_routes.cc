// Posts and comments (H4, H5, H11).

#include <functional>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/paging.h"
#include "api/posts.h"
#include "base/json.h"
#include "base/json_text.h"
#include "feed/kinds.h"
#include "feed/records.h"
#include "feed/writing.h"

namespace tyer::api {

Result<feed::Ids> ids_of(Call& call, const core::View& view, Time now) {
  return feed::Ids::of(view, now, call.hub.engine().env().random.bits());
}

Result<http::Response> answer_one(Call& call, const std::string& kind, const std::string& id,
                                  const Show& show, int status) {
  std::string body;
  std::uint64_t rev = 0;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Subject subject,
             kind == "post" ? feed::find_post(view, id) : feed::find(view, kind, id));
    rev = subject.rev;
    TYER_TRY(body, show(view, subject));
    return {};
  }));
  http::Response response = answer(std::move(body), status);
  response.headers.push_back({"etag", fmt::format("\"{}\"", rev)});
  return response;
}

Result<std::string> shown_post(const core::View& view, const core::Subject& post) {
  TYER_TRY(const auto thread, view.subject(feed::key_of("thread", feed::id_of(post))));
  if (!thread) return shown(post);
  TYER_TRY(const std::uint64_t comments, feed::count_comments(*thread));
  return with(
      shown(post),
      fmt::format(R"("comment_count":{},"unread":{},"last_at":{},"trouble":{})", comments,
                  thread->status == "unread", feed::last_at(*thread), feed::trouble_of(*thread)));
}

core::Draft thread_read(const core::Subject& thread) {
  return {thread.key, "thread.read", R"({"trouble":null})"};
}

namespace {

Result<std::string> shown_plain(const core::View&, const core::Subject& subject) {
  return shown(subject);
}

Result<http::Response> list_posts(Call& call) {
  TYER_TRY_OK(call.hub.look(feed::key_of("feed", call.id())));
  return answer_subjects(
      call, {.parent = feed::key_of("feed", call.id()), .kind = "post", .status = "active"},
      Order::newest, shown_post);
}

// The text as it was written, and what its author should know.
Result<http::Response> answer_written(Call& call, const feed::Written& written, const Show& show) {
  std::string body;
  std::uint64_t rev = 0;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto subject, view.subject(written.key));
    if (!subject) return fail(Fault::not_found, written.key + " is gone already");
    rev = subject->rev;
    TYER_TRY(body, show(view, *subject));
    return {};
  }));
  http::Response response = answer(std::move(body), 201);
  response.headers.push_back({"etag", fmt::format("\"{}\"", rev)});
  return response;
}

Result<http::Response> add_post(Call& call) {
  feed::Written written;
  const feed::Writing writing{.actor = call.caller.actor,
                              .feed = call.id(),
                              .title = call.input.text("title"),
                              .content = call.input.text("content"),
                              .serves = std::bind_front(&Hub::serves, &call.hub)};
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const feed::Ids ids, ids_of(call, view, now));
        TYER_TRY(written, feed::decide_post(view, writing, call.hub.options().rules, ids, now));
        return std::move(written.change);
      }));
  return answer_written(call, written, shown_post);
}

Result<http::Response> show_post(Call& call) {
  return answer_one(call, "post", call.id(), shown_post);
}

Result<http::Response> list_comments(Call& call) {
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY_OK(feed::find_post(view, call.id()));
    return {};
  }));
  const std::string_view asked = call.request.query_of("order");
  if (!asked.empty() && asked != "asc" && asked != "desc") {
    return fail(Fault::invalid, "order is asc or desc");
  }
  const Order order = asked == "desc" ? Order::newest : Order::oldest;
  return answer_subjects(
      call, {.parent = feed::key_of("post", call.id()), .kind = "comment", .status = "active"},
      order);
}

Result<http::Response> add_comment(Call& call) {
  feed::Written written;
  const feed::Writing writing{.actor = call.caller.actor,
                              .post = call.id(),
                              .content = call.input.text("content"),
                              .answers = call.input.texts("answers"),
                              .serves = std::bind_front(&Hub::serves, &call.hub)};
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const feed::Ids ids, ids_of(call, view, now));
        TYER_TRY(written, feed::decide_comment(view, writing, call.hub.options().rules, ids, now));
        return std::move(written.change);
      }));
  return answer_written(call, written, shown_plain);
}

Result<http::Response> show_comment(Call& call) {
  return answer_one(call, "comment", call.id(), shown_plain);
}

Result<feed::Edit> to_edit(Call& call, const char* kind) {
  TYER_TRY(const auto rev, call.expected_rev());
  return feed::Edit{.actor = call.caller.actor,
                    .kind = kind,
                    .id = call.id(),
                    .title = call.input.maybe_text("title"),
                    .content = call.input.maybe_text("content"),
                    .expected_rev = rev};
}

Result<> change_text(Call& call, const char* kind,
                     Result<core::Change> (*decide)(const core::View&, const feed::Edit&, Time)) {
  TYER_TRY(const feed::Edit edit, to_edit(call, kind));
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time now) {
    return decide(view, edit, now);
  }));
  return {};
}

Result<http::Response> edit_post(Call& call) {
  TYER_TRY_OK(change_text(call, "post", feed::decide_edit));
  return show_post(call);
}

Result<http::Response> edit_comment(Call& call) {
  TYER_TRY_OK(change_text(call, "comment", feed::decide_edit));
  return show_comment(call);
}

Result<http::Response> remove_post(Call& call) {
  TYER_TRY_OK(change_text(call, "post", feed::decide_delete));
  return answer("", 204);
}

Result<http::Response> remove_comment(Call& call) {
  TYER_TRY_OK(change_text(call, "comment", feed::decide_delete));
  return answer("", 204);
}

Result<http::Response> read_post(Call& call) {
  TYER_TRY_OK(
      call.hub.apply(call.caller.actor, [&](const core::View& view, Time) -> Result<core::Change> {
        TYER_TRY_OK(feed::find_post(view, call.id()));
        TYER_TRY(const auto thread, view.subject(feed::key_of("thread", call.id())));
        if (!thread || thread->status != "unread") return core::Change{};
        return core::Change{.events = {thread_read(*thread)}};
      }));
  return answer("{}");
}

Result<http::Response> type_on(Call& call) {
  const bool on = call.input.flag("typing");
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const core::Subject post, feed::find_post(view, call.id()));
        Json body{{"feed_id", post.parent.substr(sizeof("feed"))},
                  {"post_id", call.id()},
                  {"agent_id", call.caller.actor.id},
                  {"author_name", call.caller.actor.name}};
        body["typing"] = on ? Json(call.caller.actor.id) : Json();
        body["due_at"] = on ? Json(to_micros(now + limits::typing_time)) : Json();
        return core::Change{.events = {{feed::key_of("thread", call.id()),
                                        on ? "thread.typing" : "thread.quiet", dump_json(body)}}};
      }));
  return answer("{}");
}

}  // namespace

// Long because it is a table.
std::vector<Route> post_routes() {
  const Field title{"title", Type::text, false, "at most 300 characters"};
  Field content{"content", Type::text, true, "Markdown, at most 100 KB; @agent wakes an agent"};
  const Field needed = content;
  content.required = false;
  std::vector<Field> comment_query = page_fields();
  comment_query.push_back({"order", Type::text, false, "asc (the oldest first) or desc"});
  return {
      {.method = "GET",
       .path = "/api/feeds/{id}/posts",
       .summary = "Its posts, the newest first",
       .query = page_fields(),
       .reply = "Page of Post",
       .handle = list_posts},
      {.method = "POST",
       .path = "/api/feeds/{id}/posts",
       .summary = "Writes a post",
       .body = {title, needed},
       .reply = "Post",
       .status = 201,
       .handle = add_post,
       .writes_feed = true},
      {.method = "GET",
       .path = "/api/posts/{id}",
       .summary = "One post",
       .reply = "Post",
       .handle = show_post,
       .quick = true},
      {.method = "PATCH",
       .path = "/api/posts/{id}",
       .summary = "Changes a post of one's own; nobody is woken by it",
       .body = {title, content},
       .reply = "Post",
       .handle = edit_post,
       .writes_feed = true},
      {.method = "DELETE",
       .path = "/api/posts/{id}",
       .summary = "Deletes a post of one's own",
       .reply = "Nothing",
       .status = 204,
       .handle = remove_post,
       .writes_feed = true},
      {.method = "POST",
       .path = "/api/posts/{id}/read",
       .who = Who::human,
       .summary = "What is new there has been read",
       .reply = "Nothing",
       .handle = read_post},
      {.method = "POST",
       .path = "/api/posts/{id}/typing",
       .who = Who::agent,
       .summary = "Shows that you work on an answer, for a minute",
       .body = {{"typing", Type::flag, true, "true, or false when done"}},
       .reply = "Nothing",
       .handle = type_on},
      {.method = "GET",
       .path = "/api/posts/{id}/comments",
       .summary = "Its comments, the oldest first",
       .query = comment_query,
       .reply = "Page of Comment",
       .handle = list_comments},
      {.method = "POST",
       .path = "/api/posts/{id}/comments",
       .summary = "Writes a comment",
       .body =
           {needed,
            {"answers", Type::texts, false,
             "ids of posts and comments it answers; if not given, what you were woken for here"}},
       .reply = "Comment",
       .status = 201,
       .handle = add_comment,
       .writes_feed = true},
      {.method = "GET",
       .path = "/api/comments/{id}",
       .summary = "One comment",
       .reply = "Comment",
       .handle = show_comment,
       .quick = true},
      {.method = "PATCH",
       .path = "/api/comments/{id}",
       .summary = "Changes a comment of one's own; nobody is woken by it",
       .body = {content},
       .reply = "Comment",
       .handle = edit_comment,
       .writes_feed = true},
      {.method = "DELETE",
       .path = "/api/comments/{id}",
       .summary = "Deletes a comment of one's own",
       .reply = "Nothing",
       .status = 204,
       .handle = remove_comment,
       .writes_feed = true},
  };
}

}  // namespace tyer::api
