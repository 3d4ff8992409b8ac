// Whom a worker serves: the agents whose keys it has; on a store, without a key, all of them.

#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "cli/door.h"
#include "work/worker.h"

namespace tyer::cli {

// Whether a key says whom to serve. `invalid` if there is none, but a session is named, or all of
// one agent: to serve all agents would look like success.
[[nodiscard]] Tried<bool> names_agents(const World& world, const Arguments& arguments);

// At the hub, those of the keys in the environment. `invalid` if there is none. Of several keys,
// those that are not good are told in the log, and only if no other is left it is a failure.
[[nodiscard]] Tried<std::vector<work::Identity>> find_served(const World& world,
                                                             const Arguments& arguments,
                                                             const std::string& hub,
                                                             const Log& log);

}  // namespace tyer::cli
