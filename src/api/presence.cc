#include "api/presence.h"

#include <algorithm>
#include <array>

#include "api/limits.h"
#include "base/id.h"
#include "core/claim.h"
#include "core/limits.h"
#include "feed/records.h"

namespace tyer::api {

Presence::Presence(engine::Engine& engine, const Log& log)
    : engine_(engine),
      log_(log),
      hub_(sortable_id("hb_", engine.env().clock.now(), engine.env().random.bits())),
      key_(feed::hub_key(hub_)),
      keeper_(engine) {}

void Presence::Streams::came() {
  ++open;
  had_any = true;
}

void Presence::Streams::left(Span now) {
  if (open > 0) --open;
  gone_at = now;
}

bool Presence::Streams::count(Span now, Span& wait) const {
  if (open > 0) return true;
  const Span left = gone_at + limits::presence_grace - now;
  if (!had_any || left <= Span::zero()) return false;
  wait = std::min(wait, left);
  return true;
}

bool Presence::Agent::count(Span now, Span& wait) const {
  bool is_there = false;
  for (const auto& [session, its] : streams) is_there = its.count(now, wait) || is_there;
  return is_there;
}

void Presence::came(const std::string& agent, const std::vector<std::string>& sessions) {
  {
    const std::lock_guard lock(mutex_);
    auto& streams = agents_[agent].streams;
    if (sessions.empty()) streams[""].came();
    for (const std::string& session : sessions) streams[session].came();
  }
  if (hint_) hint_();
}

void Presence::left(const std::string& agent, const std::vector<std::string>& sessions) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = agents_.find(agent);
    if (found == agents_.end()) return;
    const Span now = engine_.env().clock.mono();
    auto& streams = found->second.streams;
    if (sessions.empty()) streams[""].left(now);
    for (const std::string& session : sessions) streams[session].left(now);
  }
  if (hint_) hint_();
}

void Presence::came_for_all() {
  {
    const std::lock_guard lock(mutex_);
    for_all_.came();
    is_read_ = false;
  }
  if (hint_) hint_();
}

void Presence::left_for_all() {
  {
    const std::lock_guard lock(mutex_);
    for_all_.left(engine_.env().clock.mono());
  }
  if (hint_) hint_();
}

void Presence::agents_changed() {
  {
    const std::lock_guard lock(mutex_);
    if (!for_all_.had_any) return;
    is_read_ = false;
  }
  if (hint_) hint_();
}

void Presence::told_offline(std::string_view agent) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = agents_.find(agent);
    // We say so ourselves when its last stream has ended.
    if (found == agents_.end()) return;
    const bool is_served = for_all_.open > 0 && started_.contains(agent);
    const bool is_open = std::ranges::any_of(found->second.streams,
                                             [](const auto& each) { return each.second.open > 0; });
    if (!is_open && !is_served) return;
    found->second.told = false;
  }
  if (hint_) hint_();
}

bool Presence::serves(std::string_view agent) {
  const Span now = engine_.env().clock.mono();
  Span wait{};
  const std::lock_guard lock(mutex_);
  if (for_all_.count(now, wait)) return true;
  const auto found = agents_.find(agent);
  return found != agents_.end() && found->second.count(now, wait);
}

bool Presence::serves(std::string_view agent, std::string_view session) {
  const Span now = engine_.env().clock.mono();
  Span wait{};
  const std::lock_guard lock(mutex_);
  if (for_all_.count(now, wait)) return true;
  const auto found = agents_.find(agent);
  if (found == agents_.end()) return false;
  const auto& streams = found->second.streams;
  return std::ranges::any_of(std::array{std::string_view(), session}, [&](std::string_view one) {
    const auto its = streams.find(one);
    return its != streams.end() && its->second.count(now, wait);
  });
}

Result<Time> Presence::step(Time now) {
  TYER_TRY_OK(take_lease());
  TYER_TRY(Time next, keeper_.step(now));
  TYER_TRY_OK(read_agents());
  Span wait = limits::heartbeat_every;
  const std::vector<feed::Sighting> sightings = news(engine_.env().clock.mono(), wait);
  if (!sightings.empty()) {
    const auto told =
        engine_.apply({key_}, [&](const core::View& view, Time at) -> Result<core::Change> {
          TYER_TRY(core::Change change, feed::decide_presence(view, hub_, sightings, at));
          change.under.push_back({key_, *token_});
          return change;
        });
    // Somebody took us for dead: we say it again, under a new lease.
    if (!told && told.error().fault == Fault::fenced) keeper_.forget(key_);
    if (!told) {
      take_back(sightings);
      return std::unexpected(told.error());
    }
  }
  return std::min(next, now + wait);
}

Result<> Presence::end() {
  if (!token_) return {};
  TYER_TRY_OK(engine_.apply({key_}, [&](const core::View& view, Time now) -> Result<core::Change> {
    TYER_TRY(core::Change change, core::release(view, key_, *token_));
    TYER_TRY(const core::Change gone, feed::decide_absence(view, hub_, now));
    // More than fit go by the rule, as if we had died.
    const std::size_t most = std::min(gone.events.size(), limits::change_items_max / 2);
    change.events.assign(gone.events.begin(),
                         gone.events.begin() + static_cast<std::ptrdiff_t>(most));
    return change;
  }));
  keeper_.forget(key_);
  token_.reset();
  return {};
}

Result<> Presence::take_lease() {
  for (const engine::Lost& lost : keeper_.take_lost()) {
    log_.warn("the hub's lease was lost", {{"key", lost.lease.key}, {"why", lost.why}});
  }
  if (keeper_.trusts(key_)) return {};
  const Span asked = engine_.env().clock.boot_time();
  const core::Claim claim{.grant = {.key = key_,
                                    .holder = engine_.env().processes.self(hub_),
                                    .mono = engine_.env().clock.mono(),
                                    .silence_max = limits::silence_max,
                                    .hold_max = limits::hold_most,
                                    .command = "tyer serve"}};
  std::optional<core::Lease> mine;
  TYER_TRY(const engine::Applied applied,
           engine_.apply({key_}, [&](const core::View& view, Time now) -> Result<core::Change> {
             mine.reset();
             TYER_TRY(core::ClaimAnswer answer,
                      core::decide_claim(view, engine_.env().processes, claim, now));
             if (const auto* held = std::get_if<core::Held>(&answer)) {
               return fail(Fault::conflict, key_ + " is held by run " + held->lease.holder.run);
             }
             if (auto* had = std::get_if<core::Mine>(&answer)) {
               mine = std::move(had->lease);
               return std::move(had->change);
             }
             return std::get<core::Change>(std::move(answer));
           }));
  if (!applied.grants.empty()) mine = applied.grants.front();
  token_ = mine->token;
  keeper_.hold(*std::move(mine), asked);
  return {};
}

// Whom a worker of all agents serves. An agent that is none of them is as it was.
Result<> Presence::read_agents() {
  {
    const std::lock_guard lock(mutex_);
    if (is_read_ || !for_all_.had_any) return {};
    is_read_ = true;
  }
  std::vector<feed::Agent> agents;
  const Result<> read = engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(agents, feed::list_agents(view));
    return {};
  });
  const std::lock_guard lock(mutex_);
  is_read_ = is_read_ && read;
  if (!read) return read;
  started_.clear();
  for (const feed::Agent& agent : agents) {
    if (!agent.is_started) continue;
    started_.insert(agent.id);
    agents_.try_emplace(agent.id);
  }
  return {};
}

bool Presence::is_on(std::string_view id, const Agent& agent, Span now, Span& wait) const {
  if (agent.count(now, wait)) return true;
  return started_.contains(id) && for_all_.count(now, wait);
}

// What the log does not say yet. It counts as told from here on: what the log says later is news.
// `wait`: until there may be more without a hint.
std::vector<feed::Sighting> Presence::news(Span now, Span& wait) {
  const std::lock_guard lock(mutex_);
  std::vector<feed::Sighting> sightings;
  for (auto entry = agents_.begin(); entry != agents_.end();) {
    Agent& agent = entry->second;
    std::erase_if(agent.streams, [&](const auto& each) { return !each.second.count(now, wait); });
    const bool online = is_on(entry->first, agent, now, wait);
    if (!online && !agent.told) {
      entry = agents_.erase(entry);
      continue;
    }
    if (online != agent.told && sightings.size() < limits::presence_news_max) {
      sightings.push_back({entry->first, online});
      agent.told = online;
    }
    ++entry;
  }
  if (sightings.size() == limits::presence_news_max) wait = Span::zero();
  return sightings;
}

void Presence::take_back(const std::vector<feed::Sighting>& sightings) {
  const std::lock_guard lock(mutex_);
  for (const feed::Sighting& seen : sightings) {
    if (const auto found = agents_.find(seen.agent); found != agents_.end()) {
      found->second.told = !seen.online;
    }
  }
}

}  // namespace tyer::api
