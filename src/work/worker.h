// A worker: starts a run for every session that has something to do, and lets each have one keeper
// process of its own (W8, W13, W14, W15).
//
// It keeps nothing: what there is to do, who does it and what came of it is at the hub, and a run
// goes on when its worker dies. So any number of workers on any number of machines can serve the
// same sessions, and one that was away begins with what it finds.

#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/log.h"
#include "env/env.h"
#include "env/processes.h"
#include "lock/hub_client.h"
#include "work/limits.h"
#include "work/listener.h"
#include "work/order.h"
#include "work/roster.h"

namespace tyer::work {

// Whom it serves, with one key.
struct Identity {
  lock::HubAddress hub;
  std::vector<std::string> agents;    // Ids; empty: of all agents.
  std::vector<std::string> sessions;  // Ids; empty: all.
};

// What there is to be seen of a session.
struct Row {
  std::string session;  // "bot/default"
  std::string state;    // "running", "idle", …
  std::string item;     // What it works on now, in the words of who wrote it.
  std::string last;     // What came of its last run.
};

struct WorkerOptions {
  std::vector<Identity> identities;
  std::size_t at_once = 0;
  bool is_alone = false;  // Nothing else in this process has to be quick.
  Span leave =
      limits::leave_time;  // For runs under way, when it leaves or their session is deleted.
  // What a SIGHUP does instead of telling it to leave; whether it did. None: it always tells it.
  std::function<bool()> on_hangup = {};
  // Ends what dead runs have left on this machine; called at the beginning and now and then.
  std::function<void()> settle = {};
};

// Exit codes of a keeper that had no run: see Ended.
inline constexpr int exit_nothing = 80;
inline constexpr int exit_busy = 81;
inline constexpr int exit_limit = 82;
inline constexpr int exit_put_off = 83;

class Worker {
 public:
  struct Started {
    std::unique_ptr<env::Child> child;
    std::string run;  // Its id.
    env::Fd errors;   // A file with what it complained about.
  };
  // A keeper that waits at the hub for something to do.
  struct Offering {
    Started process;
    // It says there what it was given (Given). Half closed, it tells it not to wait any more.
    env::Fd socket;
    bool is_retired = false;
  };
  // Starts a keeper for a call, or one that offers itself.
  using Start = std::function<Result<Started>(const Call&, const Identity&)>;
  using StartOffering = std::function<Result<Offering>(const Identity&)>;

  Worker(env::Env& env, const Log& log, WorkerOptions options, Start start, StartOffering offer);
  ~Worker();

  // Until `signals_fd`, a signalfd, says so: then it starts nothing more, lets the runs under way
  // finish for five minutes, and asks them to end. A second signal asks them at once. What has not
  // ended a while after that is killed.
  [[nodiscard]] Result<> run(int signals_fd);

  // Called when it changes, by the thread in `run`.
  void on_change(std::function<void(const std::vector<Row>&)> look) { look_ = std::move(look); }
  // The same when it begins to leave: so many runs finish first, if they do so in time.
  void on_leave(std::function<void(std::size_t runs, Span time)> told) { left_ = std::move(told); }
  // And when a hub answers again that was out of reach.
  void on_hub_back(std::function<void()> told) { back_ = std::move(told); }

 private:
  struct Keeper {
    Started process;
    std::string session;
    std::string name;      // "bot/default"
    bool is_late = false;  // Another had the session already.
  };
  struct Served;

  void look_for_work();
  void begin(Served& served, const std::string& session, const std::string& name, bool all);
  [[nodiscard]] bool begin_known(Served& served, const Heard& heard);
  [[nodiscard]] bool hear(Served& served);
  [[nodiscard]] bool reap();
  void end(const Keeper& keeper, const std::optional<env::Exit>& exit);
  void report_lost(const Keeper& keeper);
  [[nodiscard]] Keeper* find(const std::string& session);

  void offer();
  [[nodiscard]] std::size_t offered() const;
  // Whether one has ended that was given nothing.
  [[nodiscard]] bool hear_offering(Served& served);
  void take(Offering offering, const Given& given);
  void retire();
  void end_if_due(const Json& row);
  void rest();
  void ask_all();
  void kill_all();
  [[nodiscard]] Span until_next() const;
  [[nodiscard]] bool is_leaving() const { return leave_by_.has_value(); }
  void take_signals(int signals_fd);
  void show();
  [[nodiscard]] std::string name_of(Served& served, const std::string& session,
                                    const std::string& agent, const std::string& name);
  [[nodiscard]] static std::string words_of(Served& served, const std::vector<std::string>& items);

  env::Env& env_;
  const Log& log_;
  const WorkerOptions options_;
  const Start start_;
  const StartOffering offer_;
  Roster roster_;
  std::vector<std::unique_ptr<Served>> served_;
  std::list<Keeper> keepers_;
  std::map<std::string, Row> rows_;
  std::map<std::string, std::string> agent_names_;
  Span look_at_{};     // For work, whatever was heard.
  Span look_again_{};  // Not sooner, whatever is heard.
  Span settle_at_{};
  Span offer_at_{};  // When the next keeper may offer itself.
  std::optional<Span> leave_by_;
  bool was_asked_ = false;  // The runs were.
  std::optional<Span> kill_at_;
  bool has_trouble_ = false;
  std::function<void(const std::vector<Row>&)> look_;
  std::function<void(std::size_t, Span)> left_;
  std::function<void()> back_;
};

}  // namespace tyer::work
