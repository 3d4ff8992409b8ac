// How an agent is doing: whether what is written to it is answered now, and if not, why.
//
//   working          a run of it is under way
//   idle             it is served, and has nothing to do
//   unserved         no worker serves it, and it does not listen itself
//   no_credentials   its last run had none that are good
//   over_budget      what it may use today is used up
//   waiting          its service asked to be called later; a session of it goes on then
//   on_its_own       workers do not start it: it looks for its work itself, unseen

#pragma once

#include <string>

#include "core/subject.h"
#include "core/view.h"

namespace tyer::feed {

struct AgentState {
  std::string word;  // One of the above.
  std::string why;   // For people; empty if there is nothing to say.
  bool is_served = false;
};

// `is_served`: somebody serves it, though the store may not say so yet.
[[nodiscard]] Result<AgentState> read_agent_state(const core::View& view,
                                                  const core::Subject& subject, bool is_served,
                                                  Time now);

}  // namespace tyer::feed
