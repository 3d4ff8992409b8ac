// Taking a lock away from a holder that still lives, and waking holders.
//
// A holder trusts its lock until its next heartbeat, which may be a minute away. So whoever ends
// the lease of another rings for it, if it is on this machine; it renews at once and is told.
//
// `tyer run` ends its command when it loses the lock, and needs a moment for that. Nobody else may
// start meanwhile: who breaks the lock holds it in the meantime, in the change that takes it away,
// until the holder's process is gone. If who breaks it dies, its lease is an orphan's, as always.

#pragma once

#include <string>

#include "env/processes.h"

namespace tyer::lock {

// The bell that `holder` listens at: one that ends when it has lost its lock ...
[[nodiscard]] std::string ending_bell(const core::Holder& holder);
// ... and one that only wants to know.
[[nodiscard]] std::string listening_bell(const core::Holder& holder);

// Rings for `holder`, if it is on this machine and not this process.
void wake_holder(const env::Processes& processes, const core::Holder& holder);

}  // namespace tyer::lock
