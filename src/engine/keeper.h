// Keeps the leases that this process holds: renews them while it lives, and
// says when one is lost.
//
// A holder trusts its own lease only until the moment it *asked* for its last
// renewal, plus the silence limit, less a margin. So a holder that cannot renew
// stops by itself before anybody else may start; a write it makes after that is
// refused by its token all the same. At its hold limit it lets go as well. Trust counts the time
// the machine was suspended, because a judge elsewhere does; on waking, the keeper asks again, and
// the lease is lost only if somebody took it or nobody answers.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/lease.h"
#include "core/limits.h"
#include "engine/engine.h"

namespace tyer::engine {

struct Lost {
  core::Lease lease;
  std::string why;
};

// Says that a lease is still held: to the store itself, or to a hub. It answers within about
// `at_most`; `fenced` if the lease was lost. Whatever it is, a holder trusts itself by when it
// asked.
using Renew = std::function<Result<>(const core::Lease& lease, Span at_most)>;

[[nodiscard]] Renew renew_in(Engine& engine);

// The monotonic clock for the lease of `holder`: nothing if that runs on another boot than this.
[[nodiscard]] std::optional<Span> mono_for(const env::Env& env, const core::Holder& holder);

class Keeper {
 public:
  // Beats every `heartbeat`, or sooner where a silence limit needs it.
  explicit Keeper(Engine& engine, Span heartbeat = limits::heartbeat_every)
      : Keeper(engine.env().clock, renew_in(engine), heartbeat) {}
  Keeper(const env::Clock& clock, Renew renew, Span heartbeat = limits::heartbeat_every)
      : clock_(clock), renew_(std::move(renew)), heartbeat_(heartbeat) {}

  // Keeps `lease` from now on. `asked` is clock.boot_time() when it was asked for, before the
  // commit that granted it, or that renewed it if it was found again: what had passed of its hold
  // limit by then counts.
  void hold(core::Lease lease, Span asked);
  void forget(const std::string& key);

  // Renews what is due. A lease that turns out to be lost is dropped and told by `take_lost`.
  [[nodiscard]] Result<Time> step(Time now);

  // Whether this process may still act under its lease of `key`.
  [[nodiscard]] bool trusts(const std::string& key) const;
  // How long until one of them is trusted no more, if it cannot be renewed.
  [[nodiscard]] Span trusted_for() const;
  [[nodiscard]] std::vector<Lost> take_lost();

 private:
  struct Held {
    core::Lease lease;
    Span asked{};    // For its last renewal.
    Span granted{};  // Not after the moment it was granted.
  };

  [[nodiscard]] Span trusted_until(const Held& held) const;
  [[nodiscard]] Result<> renew(Held& held, Span now);

  [[nodiscard]] Span beat(const Held& held) const;

  const env::Clock& clock_;
  const Renew renew_;
  const Span heartbeat_;
  std::map<std::string, Held> held_;
  std::vector<Lost> lost_;
};

// How often a lease with this silence limit is renewed: two beats may be lost.
[[nodiscard]] Span beat_every(Span silence_max);

}  // namespace tyer::engine
