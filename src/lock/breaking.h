// Taking a lock away from a holder that still lives, and waking holders.
//
// A holder trusts its lock until its next heartbeat, which may be a minute away. So whoever ends
// the lease of another rings for it, if it is on this machine; it renews at once and is told.
//
// `tyer run` ends its command when it loses the lock, and needs a moment for that. Nobody else may
// start meanwhile: the change that takes the lock away gives it to the holder's process once more,
// under a run that nobody has and nobody renews. So the lock is free when that process is gone,
// whatever becomes of who broke it, and after `stand_in_max` in any case.

#pragma once

#include <string>

#include "env/processes.h"
#include "lock/locks.h"

namespace tyer::lock {

// The bell that `holder` listens at: one that ends when it has lost its lock ...
[[nodiscard]] std::string ending_bell(const core::Holder& holder);
// ... and one that only wants to know.
[[nodiscard]] std::string listening_bell(const core::Holder& holder);

// Whether `holder` is on this machine and ends when it has lost its lock.
[[nodiscard]] bool ends_with_its_lock(const env::Processes& processes, const core::Holder& holder);

// What has become of it. If it `ends` with the lock that it lost, that is waited for.
[[nodiscard]] Holding await_end(const env::Processes& processes, const core::Holder& holder,
                                bool ends, Span at_most);

// Rings for `holder`, if it is on this machine and not this process.
void wake_holder(const env::Processes& processes, const core::Holder& holder);

}  // namespace tyer::lock
