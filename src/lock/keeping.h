// Keeping leases for a process that cannot do it itself (L9).
//
// A hook or a script takes a lease on behalf of a long-lived agent and is gone a
// moment later. What it leaves behind is a keeper: it renews while the agent
// lives and ends the leases when the agent does.

#pragma once

#include <string>
#include <vector>

#include "lock/desk.h"

namespace tyer::lock {

// Keeps the locks `names` that run `run` holds. Returns when the process that
// holds them has ended, when none of them is left, or when `stop_fd` is readable.
// If it holds none of them from the start: `not_found` or `fenced`, and why.
[[nodiscard]] Result<> keep(Desk& desk, const std::vector<std::string>& names,
                            const std::string& run, Span heartbeat, int stop_fd);

}  // namespace tyer::lock
