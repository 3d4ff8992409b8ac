// Where locks are asked for: a store, or a hub elsewhere. What is asked and what is answered is the
// same.
//
//   TYER_TRY(const auto desk, FarDesk::make(env, {.url = "http://127.0.0.1:7420", .key = key}));
//   auto outcome = desk->acquire(request, {.at_most = 10min});
//
// The methods are those of `Locks`, and waiting is part of acquiring. Who renews what it holds does
// it with an engine::Keeper on `renewer()`: when a holder stops to trust itself is decided there,
// for a store and for a hub alike.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/keeper.h"
#include "lock/locks.h"
#include "lock/waiting.h"

namespace tyer::lock {

class Desk {
 public:
  virtual ~Desk() = default;

  // The locks, or who has them when the patience is over: see waiting.h.
  [[nodiscard]] virtual Result<Outcome> acquire(const Request& request,
                                                const Patience& patience) = 0;
  [[nodiscard]] virtual Result<core::Lease> renew(const std::string& name,
                                                  const std::string& run) = 0;
  [[nodiscard]] virtual Result<core::Lease> release(const std::string& name,
                                                    const std::string& run) = 0;
  // `actor` is who says so, as far as nobody proves it.
  [[nodiscard]] virtual Result<Broken> break_lock(const std::string& name, std::uint64_t token,
                                                  const std::string& actor,
                                                  const std::string& why) = 0;
  [[nodiscard]] virtual Result<std::optional<Seen>> look(const std::string& name) = 0;
  [[nodiscard]] virtual Result<std::vector<Seen>> list() = 0;

  // Ends the lease that was `seen`: its holder, on this machine, is gone. `not_found` if it has
  // ended already.
  [[nodiscard]] virtual Result<core::Lease> report_gone(const core::Lease& seen,
                                                        const std::string& evidence) = 0;

  // Renews any lease, not only those of locks. For one thread, which may be another than that of
  // the desk.
  [[nodiscard]] virtual engine::Renew renewer() = 0;

  // Waits until one of `leases` may have ended, one of `fds` is readable, or `at_most` has passed.
  // One that has ended before is told at once.
  [[nodiscard]] virtual Result<> rest(std::span<const core::Lease> leases, std::span<const int> fds,
                                      Span at_most) = 0;

  [[nodiscard]] virtual env::Env& env() const = 0;
};

// On a store.
[[nodiscard]] std::unique_ptr<Desk> make_near_desk(Locks& locks, store::Store& store);

struct HubAddress {
  std::string url;
  std::string key;  // Of the agent that asks; empty: none.
};

// Through a hub. `invalid` if the URL is none; whether somebody is there shows with the first
// question. What cannot be asked fails with `unavailable` and names the hub.
[[nodiscard]] Result<std::unique_ptr<Desk>> make_far_desk(env::Env& env, HubAddress address);

}  // namespace tyer::lock
