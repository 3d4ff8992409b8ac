#include "feed/agent_state.h"

#include <fmt/format.h>

#include "base/json_fields.h"
#include "feed/kinds.h"
#include "feed/records.h"
#include "feed/tally.h"

namespace tyer::feed {
namespace {

// The end of its newest run, as far as its sessions are still there.
struct LastEnd {
  std::string at;  // Empty: it has had none.
  std::string verdict;
  std::string why;
};

Result<> look_at_last(const core::View& view, const std::string& session, LastEnd& last) {
  TYER_TRY(const auto newest,
           view.newest({.kind = "shift", .below = "shift/" + session, .limit = 1}));
  if (newest.empty() || newest.front().status != "ended") return {};
  TYER_TRY(const JsonFields state, JsonFields::read(newest.front().state));
  if (state.text("ended_at") <= last.at) return {};
  last = {state.text("ended_at"), state.text("verdict"), state.text("why")};
  return {};
}

}  // namespace

Result<AgentState> read_agent_state(const core::View& view, const core::Subject& subject,
                                    bool is_served, Time now) {
  TYER_TRY(const Agent agent, read_agent(subject));
  AgentState state{.word = "idle", .is_served = agent.is_online || (is_served && agent.is_started)};
  TYER_TRY(const std::vector<Session> sessions, list_sessions(view, agent.id));
  LastEnd last;
  const Session* waiting = nullptr;  // The first that goes on.
  for (const Session& session : sessions) {
    TYER_TRY(const auto lease, view.lease(key_of("session", session.id)));
    if (lease) {
      state.word = "working";
      return state;
    }
    TYER_TRY_OK(look_at_last(view, session.id, last));
    const bool waits = session.not_before && now < *session.not_before;
    const bool is_first = waiting == nullptr || session.not_before < waiting->not_before;
    if (waits && is_first) waiting = &session;
  }
  TYER_TRY(const auto spent, spent_budget(view, subject, agent.default_session, now));
  if (!state.is_served && !agent.is_started) {
    state.word = "on_its_own";
    state.why = "workers do not start it; it looks for its work itself";
  } else if (!state.is_served) {
    state.word = "unserved";
    state.why = "no worker serves it now";
  } else if (last.verdict == "credentials") {
    state.word = "no_credentials";
    state.why = last.why;
  } else if (spent) {
    state.word = "over_budget";
    state.why = spent->why;
  } else if (waiting != nullptr) {
    state.word = "waiting";
    state.why = fmt::format("its session {} waits for its service until {}", waiting->name,
                            format_time(*waiting->not_before, 0));
  }
  return state;
}

}  // namespace tyer::feed
