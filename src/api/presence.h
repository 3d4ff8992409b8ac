// Which agents are online at this hub, told to the log (H17).
//
// The hub holds a lease, `hub/<id>`, and writes under it. A hub that is killed loses it, and the
// rule `clear_presence` takes its agents offline; see feed/presence.h. It steps in a thread of its
// own, so that no stream waits for a commit.

#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
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

  // A stream of the agent was opened or has ended; the log says that it is offline. From any
  // thread.
  void came(const std::string& agent);
  void left(const std::string& agent);
  void told_offline(std::string_view agent);

  // What has changed is told, and the lease is kept. Called by one thread.
  [[nodiscard]] Result<Time> step(Time now);

  // After the last step: whoever is online here is offline, and the lease is released.
  [[nodiscard]] Result<> end();

  // What wakes the thread that steps. Before the first `came`.
  void set_hint(std::function<void()> hint) { hint_ = std::move(hint); }

 private:
  struct Agent {
    std::size_t streams = 0;
    bool told = false;  // The log says online, by us.
    Span gone_at{};
  };

  [[nodiscard]] Result<> take_lease();
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
};

}  // namespace tyer::api
