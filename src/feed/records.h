// What the feed's decisions need to know of its subjects, read from their states.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/subject.h"
#include "core/view.h"

namespace tyer::feed {

struct Agent {
  std::string id;
  std::string name;
  std::string type;
  std::string default_session;
  bool is_started = true;  // By workers. One without a command looks for what it has to do itself.
  bool is_online = false;  // It listens to a hub, or a worker that serves it does ...
  std::string hub;         // ... by this one.
};

struct Session {
  std::string id;
  std::string agent;
  std::string name;  // As first written.
  bool is_default = false;
  std::string conversation;           // `claude_session_id`, whatever the program.
  std::vector<std::string> followed;  // `followed_posts`, the newest last.
  std::optional<Time> not_before;     // Nothing begins until then: see Finish::wait.

  [[nodiscard]] bool follows(const std::string& post) const;
};

// What grows under a post.
struct Thread {
  std::uint64_t comments = 0;
  std::vector<std::string> followers;      // Sessions; some may have stopped: ask them.
  std::vector<std::int64_t> bot_mentions;  // When agents mentioned agents, microseconds.
  std::vector<std::string> unserved;       // Sessions that it was told nobody serves.
  std::vector<std::string> spent;          // Budgets that it was told are used up.
  bool is_troubled = false;                // See feed::trouble.
  std::string troubled_session;            // Whose answer is missing; empty: not known.
};

struct Item {
  std::string key;
  std::string session;
  std::string source;  // The post or comment.
  std::string post;
  std::string feed;
  std::string run;  // That was woken for it last.
  std::uint64_t wakes = 0;
  std::uint64_t waits = 0;  // How often a run had to be put off with it.
  bool rests = false;  // A run has failed at it: it waits for whatever wakes the session next ...
  bool asks = false;   // ... and not for a new worker: a person or a limit has ended the run.
  std::string moved_from;  // The session that had it until it was deleted.
};

[[nodiscard]] Result<Agent> read_agent(const core::Subject& subject);
[[nodiscard]] Result<Session> read_session(const core::Subject& subject);
[[nodiscard]] Result<Thread> read_thread(const core::Subject& subject);
// Of a thread, without building the rest: every read of a post asks for it.
[[nodiscard]] Result<std::uint64_t> count_comments(const core::Subject& thread);
// When its last text was written, and why somebody waits in vain, as JSON.
[[nodiscard]] std::string last_at(const core::Subject& thread);
[[nodiscard]] std::string trouble_of(const core::Subject& thread);
[[nodiscard]] Result<Item> read_item(const core::Subject& subject);

// Agents that are there, by key.
[[nodiscard]] Result<std::vector<Agent>> list_agents(const core::View& view);
[[nodiscard]] Result<std::vector<Session>> list_sessions(const core::View& view,
                                                         const std::string& agent);
[[nodiscard]] Result<std::vector<Item>> list_open_items(const core::View& view,
                                                        const std::string& session);

// Who wrote a post or comment: `author_type` and `created_by`.
struct Author {
  bool is_agent = false;
  std::string id;
};
[[nodiscard]] Result<Author> read_author(const core::Subject& subject);

}  // namespace tyer::feed
