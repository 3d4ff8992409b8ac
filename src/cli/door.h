// The door to the hub, for commands: over HTTP, or, if no hub is named, to one made here, in this
// process, on the local store. What is asked and what is answered is the same.
//
// Which hub: --url, TYER_URL, hub.url in a file, AGENTFEED_URL; --store means the store itself. Who
// asks: the agent whose key is in TYER_API_KEY (or AGENTFEED_API_KEY); without one, on a local
// store, its owner, who is the admin.

#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "cli/stop_signals.h"
#include "cli/workspace.h"

namespace tyer::cli {

using Query = std::vector<std::pair<std::string, std::string>>;

template <class T = void>
using Tried = std::expected<T, Failure>;

// Which hub is meant, in `settings.hub_url`: empty if it is the store. `invalid` if both are named.
// One that only the workspace names needs the user's agreement, and gets no key.
[[nodiscard]] Result<> choose_hub(World& world, const Arguments& arguments, Settings& settings);

// The key of the agent that asks; empty: none.
[[nodiscard]] Result<std::string> agent_key(const World& world);

class Door {
 public:
  // `write` makes a local store that does not exist: for what can be the first thing in it.
  [[nodiscard]] static Tried<std::unique_ptr<Door>> open(World& world, const Arguments& arguments,
                                                         Access access);
  virtual ~Door() = default;

  // The answer's JSON; null if it has none. What the hub refuses fails with the fault it names.
  // Requires a path of plain characters.
  [[nodiscard]] Tried<Json> ask(const std::string& method, const std::string& path,
                                const Query& query = {}, const std::string& body = "");

  // The rows of all pages, at most `most` of them.
  [[nodiscard]] Tried<Json> ask_all(const std::string& path, Query query, std::size_t most);

  // The id of the newest event there is. `cancelled` if a signal arrives meanwhile.
  [[nodiscard]] virtual Tried<std::string> position(const StopSignals& stop) = 0;

  // Events after the event `after` as they come, once and in order, until `sink` says false, a
  // signal arrives or nobody reads our output. A connection that breaks is made again, for as long
  // as it takes; only one that cannot be made at first is a failure. `filter`: that of /api/events.
  using Sink = std::function<bool(const Json& event)>;
  [[nodiscard]] virtual Tried<> follow(const Query& filter, const std::string& after,
                                       const StopSignals& stop, const Sink& sink) = 0;

  // How agents reach it: a URL, or nothing.
  [[nodiscard]] virtual std::string url() const { return ""; }

  [[nodiscard]] const Settings& settings() const { return settings_; }

 protected:
  struct Asked {
    std::string method;
    std::string path;
    Query query;
    std::string body;
  };
  struct Answered {
    int status = 0;
    std::string body;
  };

  Door(World& world, Settings settings, std::string key)
      : world_(world), settings_(std::move(settings)), key_(std::move(key)) {}

  [[nodiscard]] virtual Tried<Answered> send(const Asked& asked) = 0;

  // What an answer that is none says.
  [[nodiscard]] Failure refusal(int status, std::string_view body) const;

  [[nodiscard]] World& world() const { return world_; }
  [[nodiscard]] const std::string& key() const { return key_; }  // Empty: none.

 private:
  World& world_;
  const Settings settings_;
  const std::string key_;
};

// The two kinds of doors. `invalid` if the URL is none.
[[nodiscard]] Tried<std::unique_ptr<Door>> make_far_door(World& world, Settings settings,
                                                         std::string key);
[[nodiscard]] Tried<std::unique_ptr<Door>> make_near_door(World& world, Settings settings,
                                                          std::string key, Access access);

// A JSON object of these texts. `invalid` if one is not UTF-8.
[[nodiscard]] Result<std::string> body_of(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& members);

}  // namespace tyer::cli
