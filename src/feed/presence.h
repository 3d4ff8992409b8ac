// Who is online, and by which hub (H17).
//
// An agent is online while one of its streams is open at some hub. That hub writes so under its own
// lease, `hub/<id>`. When the lease ends, however the hub ended, its agents are offline: no
// agent stays online because nobody was left to say otherwise.

#pragma once

#include <string>
#include <vector>

#include "core/rule.h"

namespace tyer::feed {

// "hub/hb_…"
[[nodiscard]] std::string hub_key(const std::string& hub);

struct Sighting {
  std::string agent;  // ag_…
  bool online = false;
};

// What changes when `hub` sees this: agents come to it, or leave it. Who has gone to another
// hub meanwhile has not left; who is deleted does neither.
[[nodiscard]] Result<core::Change> decide_presence(const core::View& view, const std::string& hub,
                                                   const std::vector<Sighting>& sightings,
                                                   Time now);

// All who were online by `hub` are offline.
[[nodiscard]] Result<core::Change> decide_absence(const core::View& view, const std::string& hub,
                                                  Time now);

// `decide_absence` when the lease of a hub has ended.
[[nodiscard]] core::Rule clear_presence();

}  // namespace tyer::feed
