// Who does something: a person, or an agent, perhaps in one of its sessions.

#pragma once

#include <string>

namespace tyer::feed {

struct Actor {
  bool is_agent = false;
  std::string id;       // "admin", or the agent's: ag_…
  std::string name;     // As shown.
  std::string session;  // ss_…, if it came with the token of a run.
  std::string run;      // That run.

  [[nodiscard]] std::string type() const { return is_agent ? "bot" : "human"; }

  // For the log.
  [[nodiscard]] std::string key() const {
    if (!is_agent) return "human/" + id;
    return session.empty() ? "agent/" + id : "session/" + session;
  }
};

// For the log: what a worker tells of a session's run, the session does.
[[nodiscard]] inline Actor as_session(const std::string& session) {
  return {.is_agent = true, .session = session};
}

}  // namespace tyer::feed
