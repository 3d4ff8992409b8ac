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

// What keeps others out until the process of `holder` is gone.
core::Grant stand_in_for(const env::Env& env, const core::Lease& lease, const std::string& actor) {
  core::Grant grant{.key = lease.key,
                    .holder = lease.holder,
                    .mono = engine::mono_for(env, lease.holder),
                    .silence_max = limits::stand_in_max,
                    .hold_max = limits::stand_in_max,
                    .command = fmt::format("waiting for the end of pid {}, whose lock was broken",
                                           lease.holder.pid),
                    .owner = actor};
  grant.holder.run = uuid7(env.clock.now(), env.random.bits());
  return grant;
}

}  // namespace

std::string ending_bell(const core::Holder& holder) {
  return bell_of("ends", holder);
}

std::string listening_bell(const core::Holder& holder) {
  return bell_of("hears", holder);
}

bool ends_with_its_lock(const env::Processes& processes, const core::Holder& holder) {
  return holder.place == processes.here() && env::is_hung(ending_bell(holder)) &&
         processes.look(holder).liveness == core::Liveness::alive;
}

Holding await_end(const env::Processes& processes, const core::Holder& holder, bool ends,
                  Span at_most) {
  const auto end = processes.watch_end(holder);
  if (ends && end && *end) (void)env::wait_readable((*end)->get(), at_most);
  switch (processes.look(holder).liveness) {
    case core::Liveness::alive: return ends ? Holding::ending : Holding::running;
    case core::Liveness::gone: return Holding::ended;
    case core::Liveness::unknown: return Holding::unseen;
  }
  std::unreachable();
}

void wake_holder(const env::Processes& processes, const core::Holder& holder) {
  if (holder.place != processes.here() || holder.pid == processes.self("").pid) return;
  processes.ring(ending_bell(holder));
  processes.ring(listening_bell(holder));
}

Result<Broken> Locks::break_lock(const std::string& name, std::uint64_t token,
                                 const std::string& actor, const Breaking& how) {
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
    core::Change change{.endings = {{key, token, core::End::broken, "", how.why}}};
    if (how.ends || ends_with_its_lock(env.processes, present->holder)) {
      change.grants.push_back(stand_in_for(env, *present, actor));
    }
    TYER_TRY(waiting, core::tickets(view, key));
    return change;
  };
  TYER_TRY(const engine::Applied applied, engine_.apply({actor}, decide, {key}));
  const core::Holder& holder = broken.lease.holder;
  const bool ends = !applied.grants.empty();
  wake_holder(env.processes, holder);
  broken.holding = await_end(env.processes, holder, ends, how.wait);
  if (!ends) {
    if (!waiting.empty()) ring(waiting.front());
  } else if (broken.holding == Holding::ended) {
    // Who waits may have seen it as well, and have the lock.
    (void)release(name, applied.grants.front().holder.run);
  }
  return broken;
}

}  // namespace tyer::lock
