#include "feed/items.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "core/key.h"
#include "feed/kinds.h"
#include "feed/shifts.h"
#include "feed/writing.h"

namespace tyer::feed {
namespace {

Result<core::Subject> find_item(const core::View& view, const std::string& session,
                                const std::string& source) {
  const std::string key = item_key(session, source);
  if (core::check_key(key)) {
    TYER_TRY(auto subject, view.subject(key));
    if (subject) return *std::move(subject);
  }
  return fail(Fault::not_found, fmt::format("session {} has no item {}", printable(session, 60),
                                            printable(source, 60)));
}

bool is_unanswered(const core::Subject& item) {
  return item.status == "open" || item.status == "skipped";
}

// The item of `session` for `source`; if the session was deleted meanwhile, the one that another
// has for it since.
Result<std::optional<core::Subject>> present_item(const core::View& view,
                                                  const std::string& session,
                                                  const std::string& source) {
  const std::string key = item_key(session, source);
  if (!core::check_key(key)) return std::nullopt;
  TYER_TRY(auto item, view.subject(key));
  if (!item || item->status != "moved") return item;
  TYER_TRY(const Json moved, parse_json_object(item->state));
  return view.subject(item_key(text_or(moved, "moved_to"), source));
}

// Of the sessions, the items that the agent says it answers.
Result<std::vector<Item>> named_in(const core::View& view, const std::vector<std::string>& sessions,
                                   const std::vector<std::string>& answers) {
  if (answers.size() > limits::answers_max) {
    return fail(Fault::limit, fmt::format("a comment answers at most {} items, not {}",
                                          limits::answers_max, answers.size()));
  }
  std::vector<Item> named;
  for (const std::string& session : sessions) {
    for (const std::string& source : std::set(answers.begin(), answers.end())) {
      TYER_TRY(const auto subject, present_item(view, session, source));
      if (!subject || !is_unanswered(*subject)) continue;
      TYER_TRY(Item item, read_item(*subject));
      if (item.source == source) named.push_back(std::move(item));
    }
  }
  return named;
}

// Whether what is to be answered is still there.
Result<bool> is_there(const core::View& view, const Item& item) {
  const bool is_post = item.source == item.post;
  const auto source = find(view, is_post ? "post" : "comment", item.source);
  const auto post = source ? find_post(view, item.post) : source;
  if (post) return true;
  if (post.error().fault == Fault::not_found) return false;
  return std::unexpected(post.error());
}

core::Draft withdraw(const std::string& key, Time now) {
  return {key, "item.withdrawn", dump_json({{"withdrawn_at", format_time(now)}})};
}

// Whether somebody still waits for it.
Result<> check_retry(const core::Subject& item, const Json& state, const std::string& source) {
  if (is_unanswered(item)) return {};
  const std::string name = printable(source, 60);
  if (item.status == "answered") {
    return fail(Fault::conflict,
                fmt::format("{} is answered already, by {}; write a comment to ask "
                            "for more",
                            name, text_or(state, "answered_by")));
  }
  const char* const why =
      item.status == "withdrawn" ? "deleted; nobody waits for an answer" : "another session's now";
  return fail(Fault::conflict, fmt::format("{} is {}", name, why));
}

}  // namespace

std::string item_key(const std::string& session, const std::string& source) {
  return fmt::format("item/{}/{}", session, sortable_part(source));
}

core::Draft open_item(const Target& target, const std::string& source, const std::string& post,
                      const std::string& feed, Time now, const std::string& moved_from) {
  std::vector<JsonPart> body{{"parent", key_of("session", target.session)},
                             {"session_id", target.session},
                             {"agent_id", target.agent},
                             {"source_id", source},
                             {"post_id", post},
                             {"feed_id", feed},
                             {"reason", target.reason},
                             {"wakes", 0},
                             {"created_at", format_time(now)}};
  if (!moved_from.empty()) body.emplace_back("moved_from", moved_from);
  return {item_key(target.session, source), "item.opened", json_object(std::move(body))};
}

Result<std::vector<Item>> answered_by(const core::View& view, const Actor& actor,
                                      const std::string& post,
                                      const std::vector<std::string>& answers) {
  std::vector<std::string> sessions{actor.session};
  if (actor.session.empty()) {
    sessions.clear();
    TYER_TRY(const std::vector<Session> all, list_sessions(view, actor.id));
    for (const Session& session : all) sessions.push_back(session.id);
  }
  if (!answers.empty()) return named_in(view, sessions, answers);
  std::vector<Item> settled;
  for (const std::string& session : sessions) {
    TYER_TRY(const std::vector<Item> open, list_open_items(view, session));
    for (const Item& item : open) {
      const bool is_meant = item.post == post && (actor.run.empty() || item.run == actor.run);
      if (is_meant && settled.size() < limits::answers_max) settled.push_back(item);
    }
  }
  TYER_TRY(std::vector<Item> inherited, inherited_from(view, actor));
  std::erase_if(inherited, [&](const Item& item) { return item.post != post; });
  std::ranges::move(inherited, std::back_inserter(settled));
  return settled;
}

Result<std::vector<Item>> inherited_from(const core::View& view, const Actor& actor) {
  std::vector<Item> inherited;
  if (actor.run.empty()) return inherited;
  TYER_TRY(const auto subject, view.subject(shift_key(actor.session, actor.run)));
  if (!subject) return inherited;
  TYER_TRY(const Shift shift, read_shift(*subject));
  for (const std::string& source : shift.items) {
    TYER_TRY(const auto heir, present_item(view, shift.session, source));
    if (!heir || heir->status != "open") continue;
    TYER_TRY(Item item, read_item(*heir));
    if (item.session != shift.session && item.wakes == 0) inherited.push_back(std::move(item));
  }
  return inherited;
}

Result<> withdraw_items(const core::View& view, const core::Subject& source, core::Change& change,
                        Time now) {
  TYER_TRY(const Json state, parse_json_object(source.state));
  const auto targets = state.find("targets");
  if (targets == state.end()) return {};
  std::set<std::string> keys;
  for (const Json& target : *targets) {
    TYER_TRY(const auto item, present_item(view, text_or(target, "session_id"), id_of(source)));
    if (item && is_unanswered(*item)) keys.insert(item->key);
  }
  for (const std::string& key : keys) change.events.push_back(withdraw(key, now));
  return {};
}

Result<Woken> decide_wake(const core::View& view, const Wake& wake, const limits::FeedRules& rules,
                          Time now) {
  TYER_TRY_OK(find(view, "session", wake.session));
  Woken woken;
  std::set<std::string> seen;
  for (const std::string& source : wake.sources) {
    if (!seen.insert(source).second) continue;
    TYER_TRY(const core::Subject subject, find_item(view, wake.session, source));
    if (subject.status != "open") continue;
    TYER_TRY(const Item item, read_item(subject));
    TYER_TRY(const bool is_wanted, is_there(view, item));
    if (!is_wanted) {
      woken.change.events.push_back(withdraw(item.key, now));
      continue;
    }
    if (item.wakes >= rules.wakes_max) {
      woken.skipped.push_back(source);
      skip(item, "", woken.change, now);
      continue;
    }
    woken.taken.push_back(source);
    woken.change.events.push_back({item.key, "item.woken",
                                   json_object({{"wakes", item.wakes + 1},
                                                {"run", wake.run},
                                                {"rests", false},
                                                {"woken_at", format_time(now)}})});
  }
  return woken;
}

void skip(const Item& item, const std::string& why, core::Change& change, Time now) {
  std::string told = fmt::format("woken {} times without an answer", item.wakes);
  if (!why.empty()) told += "; at last " + why;
  change.events.push_back(
      {item.key, "item.skipped", json_object({{"why", told}, {"skipped_at", format_time(now)}})});
  change.events.push_back(trouble(item.post, item.session, item.source,
                                  "skipped: " + told + "; it can be tried again"));
}

Result<core::Change> decide_retry(const core::View& view, const std::string& session,
                                  const std::string& source) {
  TYER_TRY(const core::Subject whose, find(view, "session", session));
  TYER_TRY(const Session its, read_session(whose));
  TYER_TRY(const core::Subject subject, find_item(view, session, source));
  TYER_TRY(const Item item, read_item(subject));
  core::Change change;
  const bool is_ready = subject.status == "open" && !item.rests && item.waits == 0;
  if (is_ready && !its.not_before) return change;
  TYER_TRY(const Json state, parse_json_object(subject.state));
  TYER_TRY_OK(check_retry(subject, state, source));
  // Whoever asks for it knows more of its service than that had said.
  if (its.not_before) change.events.push_back(go_on(whose.key, its.agent));
  if (is_ready) return change;
  // With whose it is, for workers that hear of it.
  Json body{{"session_id", session},
            {"agent_id", text_or(state, "agent_id")},
            {"wakes", 0},
            {"waits", 0},
            {"rests", false},
            {"why", nullptr}};
  if (subject.status == "open") {
    change.events.push_back({subject.key, "item.rested", dump_json(body)});
    return change;
  }
  body["run"] = "";
  body["skipped_at"] = nullptr;
  change.events.push_back({subject.key, "item.retried", dump_json(body)});
  return change;
}

}  // namespace tyer::feed
