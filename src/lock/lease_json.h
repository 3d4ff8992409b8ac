// Leases as JSON, in one place: as the API tells them and back, and as commands print them.
//
// The API has snake_case and says enough for a client to judge a holder of its own machine. What
// commands print has the names that lock files have (L1).

#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "lock/locks.h"

namespace tyer::lock {

[[nodiscard]] Json to_wire(const core::Lease& lease);
[[nodiscard]] Json to_wire(const Seen& seen);
[[nodiscard]] Json to_wire(const Outcome& outcome);
[[nodiscard]] Json to_wire(const Request& request);
[[nodiscard]] Json to_wire(const Broken& broken);

// `broken` if it is none.
[[nodiscard]] Result<core::Lease> read_lease(const Json& json);
[[nodiscard]] Result<Seen> read_seen(const Json& json);
[[nodiscard]] Result<std::vector<Seen>> read_seen_list(const Json& json);
[[nodiscard]] Result<Outcome> read_outcome(const Json& json);
[[nodiscard]] Result<Broken> read_broken(const Json& json);

[[nodiscard]] Json to_shown(const core::Lease& lease);
[[nodiscard]] Json to_shown(const Seen& seen);
[[nodiscard]] Json to_shown(const Broken& broken);

}  // namespace tyer::lock
