// A small hub for tests of the feed's decisions: a store in memory, the feed's kinds, an engine
// that applies what they decide, and time that moves only by the test.
//
// Sessions are called as people write them, "bot/배포"; the default one is "bot/default". When the
// world goes, the laws are checked against all that was committed.

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "feed/agents.h"
#include "feed/feeds.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/shifts.h"
#include "feed/writing.h"
#include "support/engine_world.h"

namespace tyer::testing {

using Texts = std::vector<std::string>;

class FeedWorld {
 public:
  FeedWorld();
  ~FeedWorld();
  FeedWorld(const FeedWorld&) = delete;
  FeedWorld& operator=(const FeedWorld&) = delete;

  using Decision = std::function<Result<core::Change>(const core::View&, feed::Ids&, Time)>;

  // Decides and commits in one transaction.
  [[nodiscard]] Result<> decide(const Decision& decision, const feed::Actor& actor = {});
  // One after the other, in one transaction.
  [[nodiscard]] Result<> decide_together(const std::vector<Decision>& decisions);
  void read(const std::function<Result<>(const core::View&)>& reader);
  void pass(Span span) { time.now += span; }
  // What is due happens.
  void strike();
  // Leases whose holder is silent for too long lapse, and rules see what happened.
  void sweep();
  void pump();

  // Who does something. A run is one of the session's agent.
  [[nodiscard]] feed::Actor human() const;
  [[nodiscard]] feed::Actor bot(const std::string& agent);
  [[nodiscard]] feed::Actor run_of(const std::string& session, const std::string& run = "run-1");

  // These must succeed; they return the id of what they make.
  std::string agent(const std::string& name);
  std::string feed(const std::string& name);
  std::string add_session(const std::string& session);
  std::string post(const feed::Actor& actor, const std::string& content);
  std::string comment(const feed::Actor& actor, const std::string& post, const std::string& content,
                      const Texts& answers = {});

  // Of the text that was written last: what its author was told.
  Texts notices;
  // Whether somebody serves the agents. If nobody does, those who write to them are told.
  bool is_served = true;
  std::set<std::string> unserved;  // Ids of sessions that nobody serves even then.

  // These may fail.
  [[nodiscard]] Result<std::string> try_agent(const std::string& name);
  [[nodiscard]] Result<std::string> try_session(const std::string& session);
  [[nodiscard]] Result<std::string> try_write(const feed::Writing& given);
  [[nodiscard]] Result<> try_delete(const feed::Actor& actor, const std::string& kind,
                                    const std::string& id);
  [[nodiscard]] Result<> try_delete_session(const std::string& session);
  [[nodiscard]] Result<> try_edit_session(const std::string& session,
                                          const feed::SessionEdit& edit);
  [[nodiscard]] Result<feed::Woken> try_wake(const feed::Wake& wake);
  [[nodiscard]] Result<> try_retry(const std::string& session, const std::string& source);

  // A run of the session starts for all that is open.
  feed::Woken wake(const std::string& session, const std::string& run = "run-1");

  // A run of the session begins on a machine of its own, takes what it shall answer, and ends.
  [[nodiscard]] Result<feed::Begun> try_begin(const std::string& session, const std::string& run,
                                              bool all = false);
  feed::Begun begin(const std::string& session, const std::string& run, bool all = false);
  [[nodiscard]] Result<> try_finish(const feed::Finish& finish);
  // Somebody breaks its lease; the rules have not seen it yet.
  void break_lease(const std::string& session_id);
  // Labels of sessions with something to do, those that wait longest first.
  [[nodiscard]] Texts ready(const Texts& agents = {}, bool all = false);
  [[nodiscard]] std::optional<core::Lease> lease(const std::string& key);

  // The id of an agent or session that is there; empty: there is none.
  [[nodiscard]] std::string agent_id(const std::string& name);
  [[nodiscard]] std::string session_id(const std::string& session);
  // Names of an agent's sessions, in the order they were made.
  [[nodiscard]] Texts sessions(const std::string& agent);
  [[nodiscard]] Texts followed(const std::string& session);

  // For whom a post or comment is and why: "bot/배포 mention".
  [[nodiscard]] Texts targets(const std::string& source);
  // What is open for a session, oldest first.
  [[nodiscard]] Texts pending(const std::string& session);
  // The texts of all notices that a thread has had.
  [[nodiscard]] Texts thread_notices(const std::string& post);

  [[nodiscard]] std::optional<core::Subject> subject(const std::string& key);
  [[nodiscard]] std::string status(const std::string& key);
  [[nodiscard]] std::string state(const std::string& key, const std::string& name);
  [[nodiscard]] std::vector<core::Event> events(const std::string& root = "");

  limits::FeedRules rules;
  std::string host = "far";  // Where runs begin.
  sim::TrueTime time{from_micros(1'767'323'045'000'000)};
  const core::Catalog catalog;

 private:
  [[nodiscard]] std::string label(const core::View& view, const std::string& session) const;

  sim::Machine machine_{"hub", time, false};
  sim::Disk disk_;
  sim::SimFiles files_{disk_};
  sim::Rng random_{1};
  sim::MachineClock clock_{machine_};
  sim::MachineProcesses processes_{machine_, 1};
  env::Env env_{clock_, files_, processes_, random_};

 public:
  const std::unique_ptr<store::Store> store;
  engine::Engine engine;
  const std::string main_feed;  // Where posts go.
};

}  // namespace tyer::testing
