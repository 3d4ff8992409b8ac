// Agents, their sessions, and what proves who one is (H1, H2, H3, H9, H10, H14).
//
// Secrets are made and hashed above; here only hashes are known, and they are stored hidden.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/view.h"
#include "feed/actor.h"
#include "feed/ids.h"
#include "feed/limits.h"
#include "feed/records.h"

namespace tyer::feed {

// What proves an identity. Its id is part of the secret, so that it is found without a search.
struct Credential {
  std::string id;
  // "key" of an agent, "run" of a session's run, "login" of a person, "link" that makes one login.
  std::string kind;
  std::string name;  // For people.
  std::string agent;
  std::string session;
  std::string run;
  std::string hash;            // Of the secret.
  std::string csrf_hash = {};  // Of the second secret of a login: see api/guard.h.
  std::string prefix;          // Of the secret, to tell keys apart.
  std::optional<Time> expires_at;
};

[[nodiscard]] Result<Credential> read_credential(const core::Subject& subject);
[[nodiscard]] core::Draft make_credential(const Credential& credential, Time now);
[[nodiscard]] core::Draft make_revocation(const core::Subject& credential, const std::string& why);

struct AgentInput {
  std::optional<std::string> name;
  std::optional<std::string> type;  // claude, codex, gemini, command, demo.
  std::optional<std::string> directory;
  std::optional<std::string> model;
  std::optional<std::string> permission;
  std::optional<std::vector<std::string>> command;      // Of type command: program and words.
  std::optional<std::vector<std::string>> environment;  // Names of what its runs see, too.
  std::optional<bool> worktree;                         // Each session has one of its own.
  std::optional<std::int64_t> minutes_max;              // For a run; 0: as usual.
  // Budgets of a day (UTC): see tally.h. 0: none.
  std::optional<std::int64_t> runs_per_day;
  std::optional<std::int64_t> cents_per_day;
  std::optional<std::int64_t> session_runs_per_day;
  std::optional<std::int64_t> session_cents_per_day;
};

// A new agent with its default session.
struct NewAgent {
  core::Change change;
  Agent agent;
};
[[nodiscard]] Result<NewAgent> decide_add_agent(const core::View& view, const AgentInput& input,
                                                Ids& ids, Time now);
[[nodiscard]] Result<core::Change> decide_edit_agent(const core::View& view, const std::string& id,
                                                     const AgentInput& input,
                                                     std::optional<std::uint64_t> expected_rev);

// The agent goes with its sessions and everything that proves it.
[[nodiscard]] Result<core::Change> decide_delete_agent(const core::View& view,
                                                       const std::string& id, Time now);

[[nodiscard]] Result<core::Change> decide_revoke(const core::View& view, const std::string& id,
                                                 const std::string& why);

// Credentials of an agent, by key, revoked ones too.
[[nodiscard]] Result<std::vector<core::Subject>> list_credentials(const core::View& view,
                                                                  const std::string& agent);

struct NewSession {
  core::Change change;
  std::string id;
};
[[nodiscard]] Result<NewSession> decide_add_session(const core::View& view,
                                                    const std::string& agent,
                                                    const std::string& name,
                                                    const limits::FeedRules& rules, Ids& ids,
                                                    Time now);

struct SessionEdit {
  std::optional<std::string> conversation;  // Empty: forgotten.
  std::optional<std::string> status;        // "idle" or "running", for those without a lease.
  std::optional<std::vector<std::string>> followed;  // Instead of what there is ...
  std::vector<std::string> follow;                   // ... or what comes and goes.
  std::vector<std::string> unfollow;
  std::optional<std::uint64_t> expected_rev;
};
[[nodiscard]] Result<core::Change> decide_edit_session(const core::View& view,
                                                       const std::string& id,
                                                       const SessionEdit& edit,
                                                       const limits::FeedRules& rules, Ids& ids,
                                                       Time now);

// Its open items and the threads it follows go to the default session.
[[nodiscard]] Result<core::Change> decide_delete_session(const core::View& view,
                                                         const std::string& id, Time now,
                                                         const limits::FeedRules& rules = {});

}  // namespace tyer::feed
