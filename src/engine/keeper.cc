#include "engine/keeper.h"

#include <algorithm>

#include "core/limits.h"
#include "engine/limits.h"

namespace tyer::engine {

Renew renew_in(Engine& engine) {
  return [&engine](const core::Lease& lease, Span) -> Result<> {
    const core::Renewal renewal{lease.key, lease.token, mono_for(engine.env(), lease.holder)};
    const auto decide = [&](const core::View&, Time) -> Result<core::Change> {
      return core::Change{.renewals = {renewal}};
    };
    TYER_TRY_OK(engine.apply({"run/" + lease.holder.run}, decide));
    return {};
  };
}

std::optional<Span> mono_for(const env::Env& env, const core::Holder& holder) {
  if (holder.place.boot != env.processes.here().boot) return std::nullopt;
  return env.clock.mono();
}

void Keeper::hold(core::Lease lease, Span asked) {
  const std::string key = lease.key;
  // Judges elsewhere count by the store's time, those on this boot by its monotonic clock.
  Span held_before = std::max(lease.heard_at - lease.granted_at, Span::zero());
  if (lease.heard_mono && lease.granted_mono) {
    held_before = std::max(held_before, *lease.heard_mono - *lease.granted_mono);
  }
  held_[key] = {std::move(lease), asked, asked - held_before};
}

void Keeper::forget(const std::string& key) {
  held_.erase(key);
}

Result<Time> Keeper::step(Time now) {
  const Span asked = clock_.boot_time();
  Span wait = limits::heartbeat_every;
  Result<> trouble;
  for (auto each = held_.begin(); each != held_.end();) {
    Held& held = each->second;
    Result<> renewed;
    if (asked - held.asked >= beat(held)) renewed = renew(held, asked);
    const bool fenced = !renewed && renewed.error().fault == Fault::fenced;
    // Asking in vain may have taken a while.
    if (fenced || (renewed ? asked : clock_.boot_time()) >= trusted_until(held)) {
      lost_.push_back(
          {held.lease, renewed ? "it was held for its whole limit" : renewed.error().what});
      each = held_.erase(each);
      continue;
    }
    if (!renewed) trouble = renewed;
    const Span next = std::min(held.asked + beat(held), trusted_until(held));
    wait = std::min(wait, next - asked);
    ++each;
  }
  if (!trouble) return std::unexpected(trouble.error());
  return now + wait;
}

bool Keeper::trusts(const std::string& key) const {
  const auto found = held_.find(key);
  return found != held_.end() && clock_.boot_time() < trusted_until(found->second);
}

Span Keeper::trusted_for() const {
  Span left = limits::hold_most;
  const Span now = clock_.boot_time();
  for (const auto& [key, held] : held_) left = std::min(left, trusted_until(held) - now);
  return std::max(left, Span::zero());
}

std::vector<Lost> Keeper::take_lost() {
  return std::exchange(lost_, {});
}

Span Keeper::trusted_until(const Held& held) const {
  // Short limits have a shorter margin, or they would be over before they began.
  const Span margin =
      std::min({limits::trust_margin, held.lease.silence_max / 4, held.lease.hold_max / 4});
  return std::min(held.asked + held.lease.silence_max, held.granted + held.lease.hold_max) - margin;
}

Result<> Keeper::renew(Held& held, Span now) {
  // Who is out of its time, as after a sleep, asks all the same: perhaps nobody took it.
  const Span left = trusted_until(held) - now;
  TYER_TRY_OK(renew_(held.lease, left > Span::zero() ? left : limits::renew_late_max));
  held.asked = now;
  return {};
}

Span Keeper::beat(const Held& held) const {
  return std::min(heartbeat_, beat_every(held.lease.silence_max));
}

Span beat_every(Span silence_max) {
  return std::min(limits::heartbeat_every, silence_max / 3);
}

}  // namespace tyer::engine
