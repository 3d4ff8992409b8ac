// The hub: requests in, decisions out. It has no socket: a server, a test or the command line hands
// it requests, and gets what to answer.

#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "api/attempts.h"
#include "api/limits.h"
#include "api/offers.h"
#include "api/route.h"
#include "api/throttle.h"
#include "base/log.h"
#include "engine/engine.h"
#include "feed/limits.h"
#include "feed/records.h"
#include "http/server.h"
#include "store/uploads.h"

namespace tyer::api {

class Broadcast;
class Presence;
class Waits;

// What happened since the start.
struct Counters {
  std::array<std::atomic<std::uint64_t>, 6> answered{};  // By the first digit of the status.
};

struct HubOptions {
  std::vector<std::string> hosts;  // Names and addresses we are called by, with ports; empty: any.
  bool open = false;       // Whoever comes from this machine is the admin, or the owner itself.
  bool secure = false;     // Behind TLS: cookies say so.
  std::string inner_key;   // Who has it is the admin: workers of this very process; empty: none.
  std::string setup_code;  // Asked for at the first visit; empty: nobody has it.
  // Who comes from this machine, and not through a proxy, is not asked for it if this says yes to
  // the address. None: everybody is asked.
  std::function<bool(std::string_view peer)> trusts = {};
  std::shared_ptr<store::Uploads> uploads;  // Those of the store; null: it has no place for them.
  std::string scratch;                      // A folder for large bodies while they come.
  std::vector<std::string> old_uploads;     // Folders where hubs of older programs kept them.
  std::string web_dir;  // The page is read from there, not from the program; empty: it is not.
  std::string version;  // Of this program, and what it runs on: told to who is known.
  std::string store;    // Without secrets.
  limits::FeedRules rules = {};
};

class Hub {
 public:
  // `broadcast` may be null: then there are no streams.
  Hub(engine::Engine& engine, const Log& log, HubOptions options, Broadcast* broadcast);

  // Checks who calls from where, finds the route, and answers. From any thread.
  [[nodiscard]] http::Response handle(http::Request& request);

  // Who may send the body of a request that has this head. What `handle` refuses is refused here.
  [[nodiscard]] http::Admission admit(const http::Request& head);

  // How large that body may be; 0: as any other.
  [[nodiscard]] static std::uint64_t body_limit(const http::Request& head);

  // Whether that takes no longer than a change of threads, on a store that answers at once.
  [[nodiscard]] static bool is_quick(const http::Request& request);

  [[nodiscard]] engine::Engine& engine() { return engine_; }
  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] const HubOptions& options() const { return options_; }
  [[nodiscard]] Broadcast* broadcast() { return broadcast_; }
  // Null: nobody can wait for locks here. Set before the first request.
  [[nodiscard]] Waits* waits() { return waits_; }
  void set_waits(Waits* waits) { waits_ = waits; }
  // Null: nobody listens here. Set before the first request.
  void set_presence(Presence* presence) { presence_ = presence; }
  // Whether somebody serves the agent, as this hub sees it; the store may know more.
  [[nodiscard]] bool serves_some_of(const std::string& agent);
  // Whether somebody serves this session of it. Of who is online by another hub we do not know.
  [[nodiscard]] bool serves(const feed::Agent& agent, const std::string& session);
  [[nodiscard]] Offers& offers() { return offers_; }
  [[nodiscard]] Throttle& guesses() { return guesses_; }  // Of keys.
  [[nodiscard]] Attempts& attempts() { return attempts_; }
  // Room for breaks of locks that wait for the end of a holder.
  [[nodiscard]] std::counting_semaphore<>& breaks() { return breaks_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

  // One transaction: `decide` sees the view and the time, and says what changes. Who offers to work
  // begins in it with what that gives a session to do.
  [[nodiscard]] Result<engine::Applied> apply(const feed::Actor& actor,
                                              const engine::Decision& decide);

  // The page for people, if this is for it: see page.h.
  [[nodiscard]] Result<std::optional<http::Response>> page(const http::Request& request);

  // A subject as it is now.
  [[nodiscard]] Result<core::Subject> look(const std::string& key);

 private:
  // Who calls which route, or what is answered instead. `wait`: who comes too often may come again
  // after that.
  struct Entry {
    Match match;
    Caller caller;
    std::optional<http::Response> instead;
  };
  [[nodiscard]] Result<Entry> enter(const http::Request& request, Span& wait);
  [[nodiscard]] Result<http::Response> answer_to(http::Request& request, Span& wait);
  [[nodiscard]] http::Response finish(const http::Request& request, Result<http::Response> answered,
                                      Span wait);
  [[nodiscard]] Result<> check_rate(const Route& route, const Caller& caller, Span& wait);

  engine::Engine& engine_;
  const Log& log_;
  const HubOptions options_;
  Broadcast* const broadcast_;
  Waits* waits_ = nullptr;
  Presence* presence_ = nullptr;
  Offers offers_;
  Throttle guesses_;
  Attempts attempts_;
  Throttle writes_;   // Of texts and files.
  Throttle changes_;  // Of all else.
  std::counting_semaphore<> breaks_{limits::breaks_waiting_max};
  Counters counters_;
};

}  // namespace tyer::api
