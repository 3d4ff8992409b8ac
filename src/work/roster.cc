#include "work/roster.h"

#include <algorithm>

#include "work/limits.h"

namespace tyer::work {

std::vector<std::string> Roster::choose(const std::vector<std::string>& ready, Span now,
                                        std::size_t more) const {
  std::vector<std::string> chosen;
  for (const std::string& session : ready) {
    if (!has_room(chosen.size() + more)) break;
    const auto found = entries_.find(session);
    const bool may =
        found == entries_.end() || (!found->second.is_running && found->second.until <= now);
    if (may) chosen.push_back(session);
  }
  return chosen;
}

bool Roster::is_running(const std::string& session) const {
  const auto found = entries_.find(session);
  return found != entries_.end() && found->second.is_running;
}

bool Roster::has_failed(Span now) const {
  return std::ranges::any_of(entries_, [&](const auto& each) {
    return each.second.is_failure && !each.second.is_running && each.second.until > now;
  });
}

void Roster::started(const std::string& session, Span now) {
  Entry& entry = entries_[session];
  entry.is_running = true;
  entry.since = now;
  ++running_;
}

void Roster::ended(const std::string& session, Ended how, Span now, double chance) {
  const auto found = entries_.find(session);
  if (found == entries_.end() || !found->second.is_running) return;
  Entry& entry = found->second;
  entry.is_running = false;
  --running_;
  entry.is_failure = how == Ended::failed;
  switch (how) {
    case Ended::served:
    case Ended::nothing: entries_.erase(found); return;
    case Ended::busy: entry.until = now + limits::busy_pause; return;
    case Ended::limit:
    case Ended::put_off: entry.until = now + limits::restart_pause_max; return;
    case Ended::failed: break;
  }
  const bool was_healthy = now - entry.since >= limits::restart_forgiven;
  entry.pause = entry.pause == Span::zero() || was_healthy
                    ? limits::restart_pause
                    : std::min(2 * entry.pause, limits::restart_pause_max);
  // Up to a quarter more: what failed together is not tried again together.
  const auto jitter = static_cast<Span::rep>(static_cast<double>(entry.pause.count()) / 4 * chance);
  entry.until = now + entry.pause + Span(jitter);
}

void Roster::nudge(const std::string& session) {
  const auto found = entries_.find(session);
  if (found == entries_.end() || found->second.is_running || found->second.is_failure) return;
  found->second.until = Span::zero();
}

void Roster::nudge_all() {
  for (auto& [session, entry] : entries_) {
    if (!entry.is_running && !entry.is_failure) entry.until = Span::zero();
  }
}

std::optional<Span> Roster::next_try(Span now) const {
  std::optional<Span> next;
  for (const auto& [session, entry] : entries_) {
    if (entry.is_running || entry.until <= now) continue;
    next = next ? std::min(*next, entry.until) : entry.until;
  }
  return next;
}

}  // namespace tyer::work
