// The last runs of a session, and what they may have left on the machine where they ran (W10).
//
// The next run of the session may only start once nothing of them is left. On their machine
// whoever begins ends it; elsewhere it waits until somebody there has.

#pragma once

#include <string>
#include <vector>

#include "core/lease.h"
#include "core/view.h"
#include "feed/shifts.h"

namespace tyer::feed {

struct PastRun {
  Left left;
  core::Place place;
  std::string started_at;
  bool is_lost = false;     // Nobody has said that it has ended ...
  bool is_unheard = false;  // ... and nothing of it was started.
};

// `conflict` if a run of another session goes on under this id: what is left of a run is ended by
// its id, too, and that would end the other.
[[nodiscard]] Result<> check_unused(const core::View& view, const std::string& session,
                                    const std::string& run);

// The newest first, back to one that was not lost in `place`. Workers make the ids before the hub
// says who may begin, so the greatest is not always the last: some are looked at in any case.
[[nodiscard]] Result<std::vector<PastRun>> list_past_runs(const core::View& view,
                                                          const std::string& session,
                                                          const core::Place& place);

// A run of which something is left that whoever begins in `place` cannot end; empty: none.
[[nodiscard]] Result<std::string> unended_elsewhere(const core::View& view,
                                                    const core::Witness& witness,
                                                    const std::vector<PastRun>& past,
                                                    const core::Place& place);

// What whoever begins in `place` has to end. One that was not lost has done so for those before.
[[nodiscard]] std::vector<Left> list_left(const std::vector<PastRun>& past,
                                          const core::Place& place);

}  // namespace tyer::feed
