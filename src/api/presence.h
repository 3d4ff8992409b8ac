// Which agents are online at this hub, told to the log (H17): those that listen themselves, and
// those that are served by a worker which listens.
//
// The hub holds a lease, `hub/<id>`, and writes under it. A hub that is killed loses it, and the
// rule `clear_presence` takes its agents offline; see feed/presence.h. It steps in a thread of its
// own, so that no stream waits for a commit.

#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "engine/engine.h"
#include "engine/keeper.h"
#include "feed/presence.h"

namespace tyer::api {

class Presence {
 public:
  Presence(engine::Engine& engine, const Log& log);

  // A stream of the agent was opened or has ended, which is for these sessions of it, or for all if
  // there are none; the log says that it is offline. From any thread.
  void came(const std::string& agent, const std::vector<std::string>& sessions);
  void left(const std::string& agent, const std::vector<std::string>& sessions);
  void told_offline(std::string_view agent);

  // The same of a worker that serves all agents that workers start.
  void came_for_all();
  void left_for_all();
  // There are other agents than before. From any thread.
  void agents_changed();

  // Whether somebody serves the agent, or this session of it, also if the log does not say so yet.
  // From any thread.
  [[nodiscard]] bool serves(std::string_view agent);
  [[nodiscard]] bool serves(std::string_view agent, std::string_view session);

  [[nodiscard]] const std::string& hub() const { return hub_; }

  // What has changed is told, and the lease is kept. Called by one thread.
  [[nodiscard]] Result<Time> step(Time now);

  // After the last step: whoever is online here is offline, and the lease is released.
  [[nodiscard]] Result<> end();

  // What wakes the thread that steps. Before the first `came`.
  void set_hint(std::function<void()> hint) { hint_ = std::move(hint); }

 private:
  struct Streams {
    std::size_t open = 0;
    Span gone_at{};  // The last one, if there was any.
    bool had_any = false;

    void came();
    void left(Span now);
    // Whether there is one, or may be again in a moment. `wait`: until that is over.
    [[nodiscard]] bool count(Span now, Span& wait) const;
  };
  struct Agent {
    std::map<std::string, Streams, std::less<>> streams;  // By session; "": of all of its.
    bool told = false;                                    // The log says online, by us.

    [[nodiscard]] bool count(Span now, Span& wait) const;
  };

  [[nodiscard]] Result<> take_lease();
  [[nodiscard]] Result<> read_agents();
  [[nodiscard]] bool is_on(std::string_view id, const Agent& agent, Span now, Span& wait) const;
  [[nodiscard]] std::vector<feed::Sighting> news(Span now, Span& wait);
  void take_back(const std::vector<feed::Sighting>& sightings);

  engine::Engine& engine_;
  const Log& log_;
  const std::string hub_;  // "hb_…", new for every start.
  const std::string key_;
  std::function<void()> hint_;

  // Only the thread that steps.
  engine::Keeper keeper_;
  std::optional<std::uint64_t> token_;

  std::mutex mutex_;
  std::map<std::string, Agent, std::less<>> agents_;
  Streams for_all_;
  std::set<std::string, std::less<>> started_;  // By workers, as far as was read.
  bool is_read_ = false;
};

}  // namespace tyer::api
