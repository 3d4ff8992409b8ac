#include "feed/writing.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/mention.h"
#include "feed/names.h"
#include "feed/routing.h"

namespace tyer::feed {
namespace {

// What is the same for posts and comments.
std::vector<JsonPart> signed_text(const Writing& writing, Time now) {
  std::vector<JsonPart> text{{"content", writing.content},
                             {"author_type", writing.actor.type()},
                             {"created_by", writing.actor.id},
                             {"author_name", writing.actor.name},
                             {"created_at", format_time(now)}};
  if (!writing.actor.session.empty()) text.emplace_back("session_id", writing.actor.session);
  return text;
}

void tell_targets(std::vector<JsonPart>& text, const Routing& routing) {
  std::vector<std::string> targets;
  for (const Target& target : routing.targets()) {
    targets.push_back(json_object(
        {{"session_id", target.session}, {"agent_id", target.agent}, {"reason", target.reason}}));
  }
  text.push_back(JsonPart::of("targets", json_array(targets)));
  if (!routing.fallback().empty()) text.emplace_back("target_session", routing.fallback());
  if (!routing.notices().empty()) text.emplace_back("notices", routing.notices());
}

void add_notices(core::Change& change, const Routing& routing, const std::string& post,
                 const std::string& source) {
  for (const std::string& notice : routing.notices()) {
    change.events.push_back(
        {key_of("thread", post), "thread.noticed",
         dump_json(
             {{"notice", {{"session_id", nullptr}, {"source_id", source}, {"text", notice}}}})});
  }
}

// Of a comment.
std::string post_of(const core::Subject& comment) {
  return comment.parent.substr(sizeof("post"));
}

// `before`: of whom it knew that nobody serves them.
std::vector<JsonPart> thread_body(const Thread& thread, const std::vector<std::string>& before,
                                  Time now) {
  std::vector<std::string> bot_mentions;
  for (const std::int64_t at : thread.bot_mentions) bot_mentions.push_back(std::to_string(at));
  std::vector<JsonPart> body{{"comment_count", thread.comments},
                             {"followers", thread.followers},
                             JsonPart::of("bot_mentions", json_array(bot_mentions)),
                             {"last_at", format_time(now)}};
  if (thread.unserved != before) body.emplace_back("unserved", thread.unserved);
  return body;
}

// A person who writes in a thread has seen its trouble, and the agent whose answer was missing
// takes it away by answering. What other agents write there changes nothing of it.
Result<bool> ends_trouble(const core::View& view, const Thread& thread, const Actor& actor) {
  if (!thread.is_troubled) return false;
  if (!actor.is_agent || thread.troubled_session.empty()) return true;
  TYER_TRY(const auto subject, view.subject(key_of("session", thread.troubled_session)));
  if (!subject || subject->status != "active") return true;
  TYER_TRY(const Session session, read_session(*subject));
  return session.agent == actor.id;
}

// The text, if it is still to be seen and the actor may touch it.
Result<core::Subject> find_own(const core::View& view, const Edit& edit) {
  TYER_TRY(core::Subject subject, find(view, edit.kind, edit.id));
  TYER_TRY_OK(find_post(view, edit.kind == "post" ? edit.id : post_of(subject)));
  if (!edit.actor.is_agent) return subject;
  TYER_TRY(const Author author, read_author(subject));
  if (author.is_agent && author.id == edit.actor.id) return subject;
  return fail(Fault::denied, subject.key + " was written by somebody else");
}

}  // namespace

Result<> check_content(std::string_view content) {
  if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(Fault::invalid, "content is empty; write something");
  }
  if (content.size() > limits::content_bytes_max) {
    return fail(Fault::limit,
                fmt::format("content has {} bytes, at most {} are possible; send a file instead",
                            content.size(), limits::content_bytes_max));
  }
  if (!is_utf8(content)) return fail(Fault::invalid, "content is not UTF-8");
  if (content.contains('\0')) return fail(Fault::invalid, "content has a NUL character");
  return {};
}

Result<core::Subject> find_post(const core::View& view, std::string_view id) {
  TYER_TRY(core::Subject post, find(view, "post", id));
  TYER_TRY(const auto feed, view.subject(post.parent));
  if (feed && feed->status == "active") return post;
  return fail(Fault::not_found, fmt::format("the feed of post {} is deleted", printable(id, 60)));
}

Result<Written> decide_post(const core::View& view, const Writing& writing,
                            const limits::FeedRules& rules, Ids ids, Time now) {
  TYER_TRY_OK(check_title("the title", writing.title, limits::title_chars_max));
  TYER_TRY_OK(check_content(writing.content));
  TYER_TRY(const core::Subject feed, find(view, "feed", writing.feed));
  const std::string id = ids.next("ps_");
  Thread thread;
  Routing routing(view, writing.actor, rules, ids, now, id, thread);
  // Code that begins in the title ends there.
  TYER_TRY_OK(routing.to_mentioned(without_code(writing.title) + "\n\n" + writing.content));
  TYER_TRY_OK(routing.tell_unserved(writing.serves));
  if (!writing.actor.session.empty()) TYER_TRY_OK(routing.follow(writing.actor.session));

  Written written{.key = key_of("post", id), .notices = routing.notices()};
  std::vector<JsonPart> post = signed_text(writing, now);
  post.emplace_back("parent", feed.key);
  post.emplace_back("feed_id", writing.feed);
  post.emplace_back("title", writing.title);
  tell_targets(post, routing);
  routing.write_made(written.change);
  written.change.events.push_back({written.key, "post.created", json_object(std::move(post))});
  std::vector<JsonPart> opened = thread_body(thread, {}, now);
  opened.emplace_back("parent", feed.key);
  written.change.events.push_back({key_of("thread", id),
                                   writing.actor.is_agent ? "thread.arrived" : "thread.opened",
                                   json_object(std::move(opened))});
  for (const Target& target : routing.targets()) {
    written.change.events.push_back(open_item(target, id, id, writing.feed, now));
  }
  routing.write_changed(written.change);
  add_notices(written.change, routing, id, id);
  return written;
}

Result<Written> decide_comment(const core::View& view, const Writing& writing,
                               const limits::FeedRules& rules, Ids ids, Time now) {
  TYER_TRY_OK(check_content(writing.content));
  TYER_TRY(const core::Subject post, find_post(view, writing.post));
  TYER_TRY(const auto grown, view.subject(key_of("thread", writing.post)));
  if (!grown) return fail(Fault::broken, post.key + ": its thread is missing");
  TYER_TRY(Thread thread, read_thread(*grown));
  const std::vector<std::string> unserved = thread.unserved;
  TYER_TRY(const Author author, read_author(post));
  const std::string id = ids.next("cm_");
  const std::string feed = post.parent.substr(sizeof("feed"));
  ++thread.comments;
  Routing routing(view, writing.actor, rules, ids, now, writing.post, thread);
  TYER_TRY_OK(routing.to_mentioned(writing.content));
  // What agents write wakes only those they mention, and so does what names somebody (H12).
  const bool is_for_readers = routing.targets().empty() || rules.followers_hear_mentions;
  if (!writing.actor.is_agent && is_for_readers) TYER_TRY_OK(routing.to_readers(author));
  TYER_TRY_OK(routing.tell_unserved(writing.serves));
  if (!writing.actor.session.empty()) TYER_TRY_OK(routing.follow(writing.actor.session));

  Written written{.key = key_of("comment", id), .notices = routing.notices()};
  std::vector<JsonPart> comment = signed_text(writing, now);
  comment.emplace_back("parent", post.key);
  comment.emplace_back("post_id", writing.post);
  comment.emplace_back("feed_id", feed);
  tell_targets(comment, routing);
  std::vector<Item> settled;
  if (writing.actor.is_agent) {
    TYER_TRY(settled, answered_by(view, writing.actor, writing.post, writing.answers));
    std::vector<std::string> answers;
    for (const Item& item : settled) answers.push_back(item.source);
    comment.emplace_back("answers", answers);
  }
  routing.write_made(written.change);
  written.change.events.push_back(
      {written.key, "comment.created", json_object(std::move(comment))});
  std::vector<JsonPart> grows = thread_body(thread, unserved, now);
  TYER_TRY(const bool is_settled, ends_trouble(view, thread, writing.actor));
  if (is_settled) grows.push_back(JsonPart::of("trouble", "null"));
  written.change.events.push_back({grown->key,
                                   writing.actor.is_agent ? "thread.answered" : "thread.grown",
                                   json_object(std::move(grows))});
  for (const Target& target : routing.targets()) {
    written.change.events.push_back(open_item(target, id, writing.post, feed, now));
  }
  for (const Item& item : settled) {
    written.change.events.push_back(
        {item.key, "item.answered",
         json_object({{"answered_by", id}, {"answered_at", format_time(now)}})});
  }
  routing.write_changed(written.change);
  add_notices(written.change, routing, writing.post, id);
  return written;
}

Result<core::Change> decide_edit(const core::View& view, const Edit& edit, Time now) {
  TYER_TRY(const core::Subject subject, find_own(view, edit));
  Json body{{"updated_at", format_time(now)}};
  if (edit.title && edit.kind == "post") {
    TYER_TRY_OK(check_title("the title", *edit.title, limits::title_chars_max));
    body["title"] = *edit.title;
  }
  if (edit.content) {
    TYER_TRY_OK(check_content(*edit.content));
    body["content"] = *edit.content;
  }
  if (body.size() == 1) return fail(Fault::invalid, "nothing to change was given");
  return core::Change{
      .events = {{subject.key, edit.kind + ".updated", dump_json(body), edit.expected_rev}}};
}

Result<core::Change> decide_delete(const core::View& view, const Edit& edit, Time now) {
  TYER_TRY(const core::Subject subject, find_own(view, edit));
  const std::string body = dump_json({{"deleted_at", format_time(now)}});
  core::Change change{.events = {{subject.key, edit.kind + ".deleted", body, edit.expected_rev}}};
  TYER_TRY_OK(withdraw_items(view, subject, change, now));
  if (edit.kind == "post") {
    change.events.push_back({key_of("thread", edit.id), "thread.closed", body});
  } else {
    const std::string thread = key_of("thread", post_of(subject));
    TYER_TRY(const auto grown, view.subject(thread));
    if (grown && grown->status != "closed") {
      TYER_TRY(const Thread counted, read_thread(*grown));
      const std::uint64_t left = counted.comments > 0 ? counted.comments - 1 : 0;
      change.events.push_back({thread, "thread.grown", dump_json({{"comment_count", left}})});
    }
  }
  return change;
}

}  // namespace tyer::feed
