// The raid: agents at work, and whoever is around them is killed at any moment. The process that
// was started, the front, the keeper and the agent, one or several of them.
//
// What must hold each time: every run has one outcome, no lease and no process is left, and of
// what was shown no line is missing in the transcript. Half of the agents would never end by
// themselves, so one that was forgotten is found.

#pragma once

#include <string>

#include "torture/torment.h"

namespace tyer::torture {

[[nodiscard]] Result<Verdict> raid(const Options& options, const std::string& url, int stop_fd);

}  // namespace tyer::torture
