// A keeper that waits at its hub for a run (W12).

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "env/env.h"
#include "lock/hub_client.h"

namespace tyer::work {

// A run that has begun: the hub has committed it before it says so.
struct NextRun {
  std::string begun;  // What the hub says of it; see read_assignment.
  Span asked{};       // Not after the hub has decided it, by the boot clock.
};

// Waits until there is one. Nothing: one of `stop_fds` is readable, so it is not to wait any more.
// `offer` is what the hub is told of who waits, `who` says it again to take the offer back.
// Whatever it may have been given unheard is taken back as well before this returns or asks again.
[[nodiscard]] Result<std::optional<NextRun>> wait_for_run(env::Env& env, lock::HubClient& client,
                                                          const std::vector<int>& stop_fds,
                                                          const std::string& offer,
                                                          const std::string& who);

}  // namespace tyer::work
