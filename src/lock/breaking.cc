#include "lock/breaking.h"

#include <fmt/format.h>

#include "base/id.h"
#include "core/acquire.h"
#include "engine/keeper.h"
#include "env/wait_readable.h"
#include "lock/limits.h"
#include "lock/locks.h"

namespace tyer::lock {
namespace {

std::string bell_of(std::string_view what, const core::Holder& holder) {
  return fmt::format("{}/{}/{}", what, holder.pid, holder.run);
}

bool ends_with_its_lock(const env::Processes& processes, const core::Holder& holder) {
  return holder.place == processes.here() && env::is_hung(ending_bell(holder)) &&
         processes.look(holder).liveness == core::Liveness::alive;
}

Holding see(const env::Processes& processes, const core::Holder& holder) {
  switch (processes.look(holder).liveness) {
    case core::Liveness::alive: return Holding::running;
    case core::Liveness::gone: return Holding::ended;
    case core::Liveness::unknown: return Holding::unseen;
  }
  std::unreachable();
}

// What keeps others out until the process of `holder` is gone.
core::Grant stand_in_for(const env::Env& env, const core::Lease& lease, const std::string& actor) {
  core::Grant grant{.key = lease.key,
                    .holder = env.processes.self(uuid7(env.clock.now(), env.random.bits())),
                    .silence_max = limits::stand_in_max,
                    .hold_max = limits::stand_in_max,
                    .command = fmt::format("waiting for the end of pid {}, whose lock was broken",
                                           lease.holder.pid),
                    .owner = actor};
  grant.mono = engine::mono_for(env, grant.holder);
  return grant;
}

}  // namespace

std::string ending_bell(const core::Holder& holder) {
  return bell_of("ends", holder);
}

std::string listening_bell(const core::Holder& holder) {
  return bell_of("hears", holder);
}

void wake_holder(const env::Processes& processes, const core::Holder& holder) {
  if (holder.place != processes.here() || holder.pid == processes.self("").pid) return;
  processes.ring(ending_bell(holder));
  processes.ring(listening_bell(holder));
}

Result<Broken> Locks::break_lock(const std::string& name, std::uint64_t token,
                                 const std::string& actor, const std::string& why) {
  TYER_TRY(const std::string key, key_of(name));
  const env::Env& env = engine_.env();
  Broken broken;
  std::vector<core::Lease> waiting;
  const auto decide = [&](const core::View& view, Time) -> Result<core::Change> {
    TYER_TRY(const auto present, view.lease(key));
    if (!present || present->token != token) {
      return fail(Fault::not_found,
                  fmt::format("{}: the lease with token {} has ended meanwhile{}", name, token,
                              present ? "; another run holds the lock now" : ""));
    }
    broken.lease = *present;
    core::Change change{.endings = {{key, token, core::End::broken, "", why}}};
    if (ends_with_its_lock(env.processes, present->holder)) {
      change.grants.push_back(stand_in_for(env, *present, actor));
    }
    TYER_TRY(waiting, core::tickets(view, key));
    return change;
  };
  TYER_TRY(const engine::Applied applied, engine_.apply({actor}, decide, {key}));
  const core::Holder& holder = broken.lease.holder;
  wake_holder(env.processes, holder);
  if (applied.grants.empty()) {
    if (!waiting.empty()) ring(waiting.front());
  } else {
    const auto end = env.processes.watch_end(holder);
    if (end && *end) (void)env::wait_readable((*end)->get(), limits::break_wait_max);
    // What cannot be given back now lapses in a moment.
    (void)release(name, applied.grants.front().holder.run);
  }
  broken.holding = see(env.processes, holder);
  return broken;
}

}  // namespace tyer::lock
