// Whom a text is meant for (H8, H11, H12, H13, H15), and what that changes.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/view.h"
#include "feed/actor.h"
#include "feed/ids.h"
#include "feed/limits.h"
#include "feed/records.h"
#include "feed/usage.h"

namespace tyer::feed {

struct Target {
  std::string session;
  std::string agent;
  std::string reason;  // "mention", "own_post", "follow".
};

// Whether somebody serves this session of the agent.
using Serves = std::function<bool(const Agent& agent, const std::string& session)>;

// One text on its way to its readers. It sees what it has changed itself.
class Routing {
 public:
  // `post` is where it is written.
  Routing(const core::View& view, const Actor& actor, const limits::FeedRules& rules, Ids& ids,
          Time now, std::string post, Thread& thread)
      : view_(view),
        actor_(actor),
        rules_(rules),
        ids_(ids),
        now_(now),
        post_(std::move(post)),
        thread_(thread) {}

  // To those that `text` mentions. If there are any, it is for nobody else (H12).
  [[nodiscard]] Result<> to_mentioned(const std::string& text);

  // To those that follow the post, and to its author's if nobody of its author does.
  [[nodiscard]] Result<> to_readers(const Author& author);

  // Says whom of its readers nobody serves: once in a thread, until somebody does. `serves` knows
  // more than the store, which only says whether an agent is online; may be empty.
  [[nodiscard]] Result<> tell_unserved(const Serves& serves);

  // The session follows the post from now on.
  [[nodiscard]] Result<> follow(const std::string& session);

  [[nodiscard]] const std::vector<Target>& targets() const { return targets_; }
  [[nodiscard]] const std::string& fallback() const { return fallback_; }
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

  // Sessions that were made, and those that follow other posts than before, with what its author
  // has used of its mentions.
  void write_made(core::Change& change) const;
  void write_changed(core::Change& change) const;

 private:
  struct Known {
    Session session;
    bool is_made = false;
    bool is_changed = false;
  };

  [[nodiscard]] Result<Known*> know(const std::string& session);
  [[nodiscard]] Result<bool> is_actor(const Agent& agent, const std::string& name);
  [[nodiscard]] Result<std::string> session_of(const Agent& agent, const std::string& name,
                                               bool usable);
  [[nodiscard]] std::string fall_back(const Agent& agent, const std::string& name,
                                      const std::string& why);
  [[nodiscard]] Result<bool> may_wake();
  void tell_strangers(const std::string& text, const std::vector<std::string>& names);
  void aim(const std::string& session, const std::string& agent, const char* reason);

  const core::View& view_;
  const Actor& actor_;
  const limits::FeedRules& rules_;
  Ids& ids_;
  const Time now_;
  const std::string post_;
  Thread& thread_;
  std::optional<Usage> usage_;  // Of an agent that mentions agents.

  std::map<std::string, Known> known_;
  std::map<std::string, std::vector<std::string>> sessions_;  // Of agents, as far as looked at.
  std::vector<Target> targets_;
  std::string fallback_;
  std::vector<std::string> notices_;
};

// The event that makes a session.
[[nodiscard]] core::Draft make_session(const Session& session, Time now);

}  // namespace tyer::feed
