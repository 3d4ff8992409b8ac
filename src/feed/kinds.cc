#include "feed/kinds.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/text.h"
#include "core/key.h"
#include "core/limits.h"

namespace tyer::feed {
namespace {

using core::absent;
using core::same;

Result<core::Change> expire(const core::View&, const core::Subject& subject, Time) {
  return core::Change{
      .events = {{subject.key, "credential.revoked", R"({"due_at":null,"why":"expired"})"}}};
}

Result<core::Change> fall_quiet(const core::View&, const core::Subject& subject, Time) {
  return core::Change{
      .events = {{subject.key, "thread.quiet", R"({"due_at":null,"typing":null})"}}};
}

// What its service had it wait for is over.
Result<core::Change> end_wait(const core::View&, const core::Subject& subject, Time) {
  TYER_TRY(const JsonFields state, JsonFields::read(subject.state));
  return core::Change{.events = {go_on(subject.key, state.text("agent_id"))}};
}

// What the search finds a post or comment by (H7).
std::string said(const core::Subject& subject) {
  if (subject.status != "active") return "";
  const auto state = JsonFields::read(subject.state);
  if (!state) return "";
  const std::string title = state->text("title");
  return title.empty() ? state->text("content") : title + "\n" + state->text("content");
}

// Made, changed, deleted.
core::Kind plain(const std::string& name) {
  static const std::map<std::string, std::array<std::string_view, 3>> types{
      {"agent", {"agent.created", "agent.updated", "agent.deleted"}},
      {"session", {"session.created", "session.updated", "session.deleted"}},
      {"feed", {"feed.created", "feed.updated", "feed.deleted"}},
      {"post", {"post.created", "post.updated", "post.deleted"}},
      {"comment", {"comment.created", "comment.updated", "comment.deleted"}},
      {"upload", {"upload.created", "upload.updated", "upload.deleted"}}};
  const auto& [made, changed, deleted] = types.at(name);
  return {.name = name,
          .transitions = {{made, {absent}, "active"},
                          {changed, {"active"}, same},
                          {deleted, {"active"}, "deleted"}}};
}

}  // namespace

std::vector<core::Kind> kinds() {
  std::vector<core::Kind> all;
  for (const char* name : {"agent", "session", "feed", "post", "comment", "upload"}) {
    all.push_back(plain(name));
  }
  for (core::Kind& kind : all) {
    if (kind.name == "post" || kind.name == "comment") kind.text = said;
    if (kind.name == "session") kind.on_due = end_wait;
  }
  core::Kind& agent = all.front();
  agent.transitions.push_back({"agent.online", {"active"}, same});
  agent.transitions.push_back({"agent.offline", {"active"}, same});
  all.push_back({.name = "account",
                 .transitions = {{"account.created", {absent}, "active"},
                                 {"account.updated", {"active"}, same}},
                 .hidden = {"password"}});
  all.push_back({.name = "credential",
                 .transitions = {{"credential.created", {absent}, "active"},
                                 {"credential.revoked", {"active"}, "revoked"}},
                 .on_due = expire,
                 .hidden = {"hash", "csrf_hash"}});
  all.push_back({.name = "thread",
                 .transitions = {{"thread.opened", {absent}, "read"},
                                 {"thread.arrived", {absent}, "unread"},
                                 {"thread.grown", {core::any}, same},
                                 {"thread.answered", {core::any}, "unread"},
                                 {"thread.read", {"unread"}, "read"},
                                 {"thread.noticed", {core::any}, same},
                                 // What people should see: somebody waits for an answer in vain.
                                 {"thread.troubled", {"read", "unread"}, "unread"},
                                 {"thread.troubled", {"closed"}, same},
                                 {"thread.typing", {core::any}, same},
                                 {"thread.quiet", {core::any}, same},
                                 {"thread.closed", {core::any}, "closed"}},
                 .on_due = fall_quiet});
  all.push_back({.name = "item",
                 .transitions = {{"item.opened", {absent}, "open"},
                                 {"item.woken", {"open"}, same},
                                 {"item.rested", {"open"}, same},
                                 {"item.answered", {"open", "skipped"}, "answered"},
                                 {"item.skipped", {"open"}, "skipped"},
                                 {"item.retried", {"skipped"}, "open"},
                                 {"item.moved", {"open"}, "moved"},
                                 {"item.withdrawn", {"open", "skipped"}, "withdrawn"}}});
  all.push_back({.name = "shift",
                 .transitions = {{"shift.started", {absent}, "running"},
                                 {"shift.output", {"running"}, same},
                                 {"shift.stop_asked", {"running"}, same},
                                 {"shift.ended", {"running"}, "ended"}},
                 .hidden = {"mark"}});
  all.push_back({.name = "usage", .transitions = {{"usage.counted", {core::any, absent}, "open"}}});
  all.push_back({.name = "tally", .transitions = {{"tally.counted", {core::any, absent}, "open"}}});
  return all;
}

core::Draft go_on(const std::string& session_key, const std::string& agent) {
  return {session_key, "session.updated",
          json_object({{"agent_id", agent},
                       JsonPart::of("not_before", "null"),
                       JsonPart::of("due_at", "null")})};
}

std::string key_of(std::string_view kind, std::string_view id) {
  return fmt::format("{}/{}", kind, id);
}

std::string id_of(const core::Subject& subject) {
  return std::string(core::rest_of(subject.key));
}

Result<core::Subject> find(const core::View& view, std::string_view kind, std::string_view id) {
  const std::string key = key_of(kind, id);
  if (core::check_key(key)) {
    TYER_TRY(auto subject, view.subject(key));
    if (subject && subject->status != "deleted") return *std::move(subject);
  }
  return fail(Fault::not_found, fmt::format("there is no {} {}", kind, printable(id, 60)));
}

Result<std::vector<core::Subject>> list_all(const core::View& view, core::SubjectQuery query,
                                            std::size_t most) {
  std::vector<core::Subject> all;
  query.limit = std::min(most, limits::page_rows_max);
  while (all.size() < most) {
    TYER_TRY(auto page, view.subjects(query));
    const bool last = page.size() < query.limit;
    std::ranges::move(page, std::back_inserter(all));
    if (last) break;
    query.after = all.back().key;
  }
  return all;
}

}  // namespace tyer::feed
