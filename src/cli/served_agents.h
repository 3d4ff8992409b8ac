// Whom a worker serves: at a hub the agents whose keys it has, without one all agents of the store.

#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "cli/door.h"
#include "work/worker.h"

namespace tyer::cli {

// Nothing says whom to serve, as it must be without a hub: then a worker serves all agents of the
// store. If a key or a session is named, the hub was forgotten, and to serve would look like
// success.
[[nodiscard]] Tried<> check_serves_all(const World& world, const Arguments& arguments);

// At the hub, those of the keys in the environment. `invalid` if there is none. Of several keys,
// those that are not good are told in the log, and only if no other is left it is a failure.
[[nodiscard]] Tried<std::vector<work::Identity>> find_served(const World& world,
                                                             const Arguments& arguments,
                                                             const std::string& hub,
                                                             const Log& log);

}  // namespace tyer::cli
