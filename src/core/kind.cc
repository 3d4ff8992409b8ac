#include "core/kind.h"

#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "base/json_text.h"
#include "core/key.h"
#include "core/limits.h"
#include "core/search.h"

namespace tyer::core {
namespace {

bool allows(const Transition& transition, std::string_view status) {
  for (const std::string_view from : transition.from) {
    if (from == status || (from == any && status != absent)) return true;
  }
  return false;
}

std::unexpected<Error> refuse(const Kind& kind, const Subject& subject, std::string_view type) {
  std::string allowed;
  for (const Transition& transition : kind.transitions) {
    if (allows(transition, subject.status)) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(transition.type);
    }
  }
  const std::string status = subject.status.empty() ? "does not exist" : "is " + subject.status;
  return fail(Fault::conflict, fmt::format("{} {}: {} is not possible, only {}", subject.key,
                                           status, type, allowed.empty() ? "nothing" : allowed));
}

// A key as a member, without escapes.
bool take_parent(std::string_view value, Subject& subject) {
  if (!value.starts_with('"') || value.contains('\\')) return false;
  const std::string key(value.substr(1, value.size() - 2));
  if (!key.empty() && !check_key(key)) return false;
  subject.parent = key;
  return true;
}

bool take_due_at(std::string_view value, Subject& subject) {
  if (value == "null") {
    subject.due_at.reset();
    return true;
  }
  std::int64_t micros = -1;
  const char* const end = value.data() + value.size();
  if (std::from_chars(value.data(), end, micros).ptr != end || micros < 0) return false;
  subject.due_at = from_micros(micros);
  return true;
}

// The usual case of merge_body, an order of magnitude sooner. False: nothing was done, apart from
// what would be done again.
bool merge_quickly(Subject& subject, const Event& event) {
  auto body = split_object(event.body);
  const auto state = body ? split_object(subject.state) : std::nullopt;
  if (!state) return false;
  const auto is_ours = [](const JsonMember& member) {
    return member.name == "due_at" || member.name == "parent";
  };
  for (const JsonMember& member : *body) {
    if (member.name == "due_at" && !take_due_at(member.value, subject)) return false;
    if (member.name == "parent" && !take_parent(member.value, subject)) return false;
  }
  std::erase_if(*body, is_ours);
  auto merged = merge_members(*state, *body);
  if (merged) subject.state = *std::move(merged);
  return merged.has_value();
}

}  // namespace

Result<> merge_body(Subject& subject, const Event& event) {
  if (merge_quickly(subject, event)) return {};
  TYER_TRY(Json body, parse_json_object(event.body));
  if (const auto due = body.find("due_at"); due != body.end()) {
    if (due->is_null()) {
      subject.due_at.reset();
    } else if (const std::int64_t micros = int_or(body, "due_at", -1); micros >= 0) {
      subject.due_at = from_micros(micros);
    } else {
      return fail(Fault::invalid,
                  fmt::format("due_at of {} is not a number of microseconds", event.type));
    }
    body.erase(due);
  }
  if (const auto parent = body.find("parent"); parent != body.end()) {
    if (!parent->is_string())
      return fail(Fault::invalid, fmt::format("parent of {} is not a key", event.type));
    subject.parent = parent->get<std::string>();
    if (!subject.parent.empty()) TYER_TRY_OK(check_key(subject.parent));
    body.erase(parent);
  }
  if (body.empty()) return {};
  TYER_TRY(Json state, parse_json_object(subject.state));
  merge_patch(state, body);
  subject.state = dump_json(state);
  return {};
}

Result<Subject> apply_event(const Kind& kind, Subject subject, Event& event) {
  if (event.type == timer_failed && subject.status != absent) {
    subject.due_at.reset();
    event.rev = ++subject.rev;
    return subject;
  }
  subject.key = event.key;
  for (const Transition& transition : kind.transitions) {
    if (transition.type != event.type || !allows(transition, subject.status)) continue;
    if (transition.to != same) subject.status = transition.to;
    event.rev = ++subject.rev;
    TYER_TRY_OK(kind.fold(subject, event));
    if (subject.state.size() > limits::state_bytes_max) {
      return fail(Fault::limit,
                  fmt::format("the state of {} would have {} bytes, the limit is {}", event.key,
                              subject.state.size(), limits::state_bytes_max));
    }
    return subject;
  }
  return refuse(kind, subject, event.type);
}

std::string shown_body(const Kind& kind, const std::string& body) {
  if (kind.hidden.empty()) return body;
  auto json = parse_json_object(body);
  if (!json) return "{}";
  for (const std::string& member : kind.hidden) json->erase(member);
  return dump_json(*json);
}

std::string text_of(const Kind& kind, const Subject& subject) {
  return kind.text == nullptr ? "" : clean_text(kind.text(subject));
}

Catalog::Catalog(std::vector<Kind> kinds, std::vector<Rule> rules) : rules_(std::move(rules)) {
  for (Kind& kind : kinds) {
    const bool fresh = kinds_.emplace(kind.name, kind).second;
    TYER_CHECK(fresh, "a kind stands once in the catalog");
  }
  std::set<std::string> names;
  for (const Rule& rule : rules_) {
    TYER_CHECK(names.insert(rule.name).second, "law 4: rules of one name would share a cursor");
  }
}

const Kind* Catalog::kind(std::string_view name) const {
  const auto found = kinds_.find(name);
  return found == kinds_.end() ? nullptr : &found->second;
}

std::string Catalog::text_of(const Subject& subject) const {
  const Kind* const its = kind(kind_of(subject.key));
  return its == nullptr ? "" : core::text_of(*its, subject);
}

}  // namespace tyer::core
