#include "sim/laws.h"

#include <fmt/format.h>

#include "base/json.h"
#include "core/key.h"

namespace tyer::sim {
namespace {

std::int64_t token_of(const core::Event& event) {
  const auto body = parse_json_object(event.body);
  return body ? int_or(*body, "token") : 0;
}

}  // namespace

Broken Laws::check() {
  Broken broken;
  const Result<> read = store_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    std::set<std::string> changed;
    while (!broken && seen_ < head.seq) {
      TYER_TRY(const auto events, view.events({.after = seen_}));
      if (events.empty()) broken = "law 9: the log ends before its head";
      for (const core::Event& event : events) {
        for (const Observer& observer : observers_) {
          if (!broken) broken = observer(event, *this);
        }
        if (!broken) broken = take(event);
        if (event.rev != 0) changed.insert(event.key);
      }
    }
    if (!broken) broken = compare_leases(view);
    if (!broken) broken = compare_subjects(view, changed);
    return {};
  });
  if (!read) return "the store cannot be read: " + read.error().what;
  return broken;
}

Broken Laws::check_all() {
  Broken broken = check();
  if (broken) return broken;
  const Result<> read = store_.read([&](const core::View& view) -> Result<> {
    std::set<std::string> keys;
    for (const auto& [key, subject] : subjects_) keys.insert(key);
    TYER_TRY(const auto rows, view.subjects({.limit = keys.size() + 1}));
    if (rows.size() != keys.size()) broken = "law 3: there are rows without events";
    if (!broken) broken = compare_subjects(view, keys);
    return {};
  });
  if (!read) return "the store cannot be read: " + read.error().what;
  const auto problems = store_.check();
  if (!problems) return "the store cannot be checked: " + problems.error().what;
  if (!problems->empty()) return "the store is damaged: " + problems->front();
  return broken;
}

Broken Laws::take(const core::Event& event) {
  if (event.seq != seen_ + 1) return fmt::format("law 9: event {} follows {}", event.seq, seen_);
  if (event.at < newest_)
    return fmt::format("law 6: event {} is before the one before it", event.seq);
  seen_ = event.seq;
  newest_ = event.at;
  if (event.cause && event.actor.starts_with("rule/") && !event.key.starts_with("aside/")) {
    const bool fresh = effects_.emplace(event.actor, *event.cause, event.key, event.type).second;
    if (!fresh) {
      return fmt::format("law 4: {} took effect twice for event {} ({} on {})", event.actor,
                         *event.cause, event.type, event.key);
    }
  }
  return event.type.starts_with("lease.") ? take_lease_event(event) : take_subject_event(event);
}

Broken Laws::take_lease_event(const core::Event& event) {
  const auto held = live_.find(event.key);
  if (event.type == "lease.granted") {
    if (held != live_.end())
      return fmt::format("law 1: {} was granted while it was held", event.key);
    if (event.seq <= tokens_[event.key])
      return fmt::format("law 1: the token of {} did not grow", event.key);
    tokens_[event.key] = event.seq;
    live_[event.key].token = event.seq;
    return std::nullopt;
  }
  const auto token = static_cast<std::uint64_t>(token_of(event));
  if (held == live_.end() || held->second.token != token) {
    return fmt::format("law 2: {} ended under token {}, which was not its own", event.key, token);
  }
  live_.erase(held);
  return std::nullopt;
}

Broken Laws::take_subject_event(const core::Event& event) {
  const core::Kind* kind = catalog_.kind(core::kind_of(event.key));
  if (kind == nullptr) return fmt::format("{} has no kind", event.key);
  core::Event again = event;
  auto after = core::apply_event(*kind, subjects_[event.key], again);
  if (!after)
    return fmt::format("law 3: event {} cannot be folded: {}", event.seq, after.error().what);
  if (again.rev != event.rev) {
    return fmt::format("law 3: event {} makes revision {} of {}, not {}", event.seq, again.rev,
                       event.key, event.rev);
  }
  subjects_[event.key] = *std::move(after);
  return std::nullopt;
}

Broken Laws::compare_leases(const core::View& view) {
  const auto rows = view.leases("", 1'000);
  if (!rows) return "leases cannot be read: " + rows.error().what;
  if (rows->size() != live_.size()) {
    return fmt::format("law 1: the log knows {} live leases, the store {}", live_.size(),
                       rows->size());
  }
  for (const core::Lease& row : *rows) {
    const auto known = live_.find(row.key);
    if (known == live_.end() || known->second.token != row.token) {
      return fmt::format("law 1: the log does not know the lease of {} with token {}", row.key,
                         row.token);
    }
    known->second = row;
  }
  return std::nullopt;
}

Broken Laws::compare_subjects(const core::View& view, const std::set<std::string>& keys) {
  for (const std::string& key : keys) {
    const auto row = view.subject(key);
    if (!row) return "a subject cannot be read: " + row.error().what;
    if (!*row || **row != subjects_[key])
      return fmt::format("law 3: {} is not what its events say", key);
  }
  return std::nullopt;
}

}  // namespace tyer::sim
