#include "work/worker.h"

#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "env/descriptors.h"
#include "env/kin.h"
#include "env/marked.h"
#include "env/own_code.h"
#include "env/wait_readable.h"
#include "run/record.h"
#include "work/limits.h"
#include "work/served.h"

namespace tyer::work {
namespace {

constexpr Span ask_time = 10s;

// How runs go on: nobody has more to do because of it.
bool is_progress(const Heard& heard) {
  constexpr std::array<std::string_view, 6> types{"item_woken", "item_answered", "run_started",
                                                  "run_output", "agent_typing",  "agent_idle"};
  return std::ranges::find(types, heard.type) != types.end();
}

}  // namespace

Worker::Worker(env::Env& env, const Log& log, WorkerOptions options, Start start,
               StartOffering offer)
    : env_(env),
      log_(log),
      options_(std::move(options)),
      start_(std::move(start)),
      offer_(std::move(offer)),
      roster_(options_.at_once) {}

Worker::~Worker() = default;

Result<> Worker::run(int signals_fd) {
  env::allow_many_descriptors();  // Each run takes some.
  for (const Identity& identity : options_.identities) {
    TYER_TRY(auto client, lock::HubClient::make(identity.hub, ask_time));
    served_.push_back(std::make_unique<Served>(env_, identity, std::move(client)));
  }
  look_for_work();
  rest();
  while (!is_leaving() || !keepers_.empty() || offered() > 0) {
    offer();
    std::vector<int> fds{signals_fd};
    for (const auto& served : served_) {
      fds.push_back(served->listener.fd());
      if (served->offering) fds.push_back(served->offering->socket.get());
    }
    for (const Keeper& keeper : keepers_) fds.push_back(keeper.process.child->fd());
    TYER_TRY_OK(env::wait_any(fds, until_next()));
    take_signals(signals_fd);
    bool is_news = false;
    for (const auto& served : served_) {
      is_news = hear_offering(*served) || is_news;
      is_news = hear(*served) || is_news;
    }
    is_news = reap() || is_news;
    if (is_news && keepers_.empty()) rest();
    const Span now = env_.clock.mono();
    if (is_leaving() && now >= *leave_by_) ask_all();
    if (kill_at_ && now >= *kill_at_) kill_all();
    if (is_news) look_at_ = std::min(look_at_, look_again_);
    if (now >= look_at_) look_for_work();
    if (std::ranges::all_of(served_, [](const auto& one) { return one->is_refused; })) {
      return fail(Fault::denied, "the hub knows none of the keys any more");
    }
  }
  return {};
}

Worker::Keeper* Worker::find(const std::string& session) {
  const auto found = std::ranges::find_if(
      keepers_, [&](const Keeper& keeper) { return keeper.session == session && !keeper.is_late; });
  return found == keepers_.end() ? nullptr : &*found;
}

void Worker::take_signals(int signals_fd) {
  signalfd_siginfo info{};
  while (::read(signals_fd, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGHUP && options_.on_hangup && options_.on_hangup()) continue;
    if (is_leaving()) {
      ask_all();
    } else {
      leave_by_ = env_.clock.mono() + options_.leave;
      retire();
      log_.info("leaving", {{"runs", std::to_string(keepers_.size())}});
      if (left_) left_(keepers_.size(), options_.leave);
    }
  }
}

void Worker::ask_all() {
  if (std::exchange(was_asked_, true)) return;
  kill_at_ = env_.clock.mono() + limits::end_wait;
  // Others may go on with what they were to do: nobody but us wants them to end.
  for (Keeper& keeper : keepers_) (void)keeper.process.child->signal_group(SIGHUP);
}

// Whatever they wait for. What they had to answer is open again once the hub sees that they are
// gone.
void Worker::kill_all() {
  std::vector<env::Kin> kin;
  for (const Keeper& keeper : keepers_) {
    kin.push_back({keeper.process.child->pid(), keeper.process.child->pid_start()});
  }
  for (const auto& served : served_) {
    if (!served->offering) continue;
    const env::Child& child = *served->offering->process.child;
    kin.push_back({child.pid(), child.pid_start()});
  }
  log_.warn("runs that do not end are killed", {{"runs", std::to_string(kin.size())}});
  (void)env::end_kin(kin);
  kill_at_ = env_.clock.mono() + limits::end_wait;
}

// An idle worker is small.
void Worker::rest() {
  if (options_.is_alone) env::let_go_of_code();
}

Span Worker::until_next() const {
  const Span now = env_.clock.mono();
  Span next = look_at_;
  if (now < offer_at_ && !is_leaving()) next = std::min(next, offer_at_);
  if (is_leaving() && !was_asked_) next = std::min(next, *leave_by_);
  if (kill_at_) next = std::min(next, *kill_at_);
  return std::max<Span>(next - now, 1ms);
}

void Worker::look_for_work() {
  const Span began = env_.clock.mono();
  look_at_ = began + limits::work_look_every;
  if (options_.settle && began >= settle_at_ && !is_leaving()) {
    settle_at_ = began + limits::settle_every;
    options_.settle();
  }
  for (const auto& served : served_) {
    // What earlier runs have failed at is tried once more by a worker that is new.
    const bool all = !served->has_looked;
    lock::HubClient::Query query;
    if (!served->identity.agents.empty()) {
      query.emplace_back("agents", fmt::format("{}", fmt::join(served->identity.agents, ",")));
    }
    if (all) query.emplace_back("all", "true");
    const auto work = served->client.ask("GET", "/api/work", query);
    served->is_refused = !work && work.error().fault == Fault::denied;
    if (!work) {
      if (!std::exchange(has_trouble_, true)) log_.warn("no hub", {{"why", work.error().what}});
      continue;
    }
    if (std::exchange(has_trouble_, false)) {
      log_.info("the hub is back");
      if (back_) back_();
    }
    for (const Json& row : work->value("ending", Json::array())) end_if_due(row);
    if (is_leaving()) continue;
    served->has_looked = true;
    std::vector<std::string> ready;
    std::map<std::string, const Json*> found;
    const Json rows = work->value("data", Json::array());
    for (const Json& row : rows) {
      const std::string id = text_or(row, "id");
      const auto& wanted = served->identity.sessions;
      if (!wanted.empty() && std::ranges::find(wanted, id) == wanted.end()) continue;
      ready.push_back(id);
      found[id] = &row;
    }
    const Span now = env_.clock.mono();
    // Who offers itself takes up room that is needed now.
    if (roster_.choose(ready, now, offered()).size() < roster_.choose(ready, now).size()) retire();
    for (const std::string& session : roster_.choose(ready, now, offered())) {
      const Json& row = *found[session];
      begin(*served, session,
            name_of(*served, session, text_or(row, "agent_id"), text_or(row, "name")), all);
    }
  }
  // Where there is much to do, much is heard, and a look takes long.
  const Span ended = env_.clock.mono();
  look_again_ = ended + limits::look_rest * (ended - began);
  if (is_leaving()) return;
  if (const auto pause = roster_.next_try(ended)) {
    look_at_ = std::min(look_at_, *pause);
  }
}

// "bot/default": names of agents are asked for once.
std::string Worker::name_of(Served& served, const std::string& session, const std::string& agent,
                            const std::string& name) {
  std::string& known = agent_names_[agent];
  if (known.empty()) {
    const auto asked = served.client.ask("GET", "/api/agents/" + agent, {});
    if (asked) known = text_or(*asked, "name");
  }
  return printable(known.empty() ? session : known + "/" + name, 150);
}

// The beginning of the first of these posts and comments; its id, if the hub does not tell.
std::string Worker::words_of(Served& served, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  const std::string& id = items.front();
  const std::string path = (id.starts_with("ps_") ? "/api/posts/" : "/api/comments/") + id;
  std::string words;
  if (const auto said = served.client.ask("GET", path, {})) {
    words = text_or(*said, "title");
    if (words.empty()) words = text_or(*said, "content");
  }
  return in_a_row(words.empty() ? id : std::move(words), items.size());
}

void Worker::begin(Served& served, const std::string& session, const std::string& name, bool all) {
  const Span now = env_.clock.mono();
  roster_.started(session, now);
  offer_at_ = std::max(offer_at_, now + limits::offer_pause);
  auto started = start_({.session = session, .all = all}, served.identity);
  if (!started) {
    log_.error("a run could not be started", {{"session", name}, {"why", started.error().what}});
    roster_.ended(session, Ended::failed, env_.clock.mono(), env_.random.bits()[0] / 255.0);
    return;
  }
  keepers_.push_back({.process = *std::move(started), .session = session, .name = name});
  rows_[session] = {.session = name, .state = "starting", .last = rows_[session].last};
  show();
}

// Begins at once with what a session has got that rests here. Its keeper asks the hub whether that
// is so: nobody else has to. If one offers itself, it has that already, most likely.
bool Worker::begin_known(Served& served, const Heard& heard) {
  if (heard.type != "item_opened" || is_leaving()) return false;
  if (served.offering && !served.offering->is_retired) {
    look_at_ = std::min(look_at_, env_.clock.mono() + limits::given_wait);
    return true;
  }
  const auto row = rows_.find(heard.session);
  if (row == rows_.end() || row->second.state != "idle") return false;
  if (roster_.choose({heard.session}, env_.clock.mono(), offered()).empty()) return false;
  begin(served, heard.session, row->second.session, false);
  return find(heard.session) != nullptr;
}

// Whether there may be something to do that nobody does.
bool Worker::hear(Served& served) {
  bool is_news = false;
  for (const Heard& heard : served.listener.take()) {
    if (!is_progress(heard)) {
      roster_.nudge(heard.session);
      // An agent's budget is that of all its sessions.
      if (heard.type == "agent_updated") roster_.nudge_all();
      is_news = !begin_known(served, heard) || is_news;
    }
    const auto row = rows_.find(heard.session);
    if (row == rows_.end()) continue;
    if (heard.type == "run_started") {
      row->second.state = "running";
      // Only who looks pays for it.
      if (look_) row->second.item = words_of(served, heard.items);
    }
    if (heard.type == "run_finished") {
      row->second.item.clear();
      // Of another worker, or heard after its keeper has ended.
      if (find(heard.session) == nullptr) row->second.state = "idle";
      row->second.last = heard.why.empty() ? heard.verdict : heard.verdict + ": " + heard.why;
      log_.info("run finished", {{"session", row->second.session},
                                 {"run", heard.run},
                                 {"verdict", heard.verdict},
                                 {"why", printable(heard.why, 300)}});
    }
    show();
  }
  return is_news;
}

// Also one that an earlier worker on this machine has left. A run whose session was deleted has a
// while (H14).
void Worker::end_if_due(const Json& row) {
  const Json& deleted_for = row.value("deleted_for_ms", Json());
  if (deleted_for.is_number_integer()) {
    const Span left = options_.leave - deleted_for.get<std::int64_t>() * 1ms;
    if (left > Span::zero()) {
      look_at_ = std::min(look_at_, env_.clock.mono() + left);
      return;
    }
  }
  const core::Holder holder{.place = {.host = text_or(row, "host"),
                                      .boot = text_or(row, "boot"),
                                      .pid_namespace = text_or(row, "namespace")},
                            .pid = int_or(row, "pid"),
                            .pid_start = int_or(row, "pid_start"),
                            .run = text_or(row, "run")};
  const auto alive = env_.processes.watch_end(holder);
  if (!alive || !*alive) return;
  // Whoever began the run said which process that is.
  const std::string mark = text_or(row, "mark");
  if (mark.empty() || !env::has_mark(holder.pid, run::keeper_mark_of(mark))) return;
  (void)::syscall(SYS_pidfd_send_signal, (*alive)->get(), SIGTERM, nullptr, 0);
}

// Whether it had begun, the hub knows.
void Worker::report_lost(const Keeper& keeper) {
  const std::string path =
      fmt::format("/api/sessions/{}/runs/{}/finish", keeper.session, keeper.process.run);
  const std::string body = dump_json({{"verdict", "lost"}, {"why", "its keeper died"}});
  for (const auto& served : served_) {
    if (served->client.ask("POST", path, {}, body)) return;
  }
}

void Worker::end(const Keeper& keeper, const std::optional<env::Exit>& exit) {
  const Ended how = exit ? read_exit(*exit) : Ended::failed;
  if (how == Ended::failed) {
    log_.warn("the keeper of a run failed", {{"why", complaint_of(keeper.process.errors)},
                                             {"session", keeper.name},
                                             {"run", keeper.process.run}});
    // Or one that offers itself would begin with it again before its pause is over.
    retire();
    for (const auto& served : served_) {
      if (served->offering) (void)served->offering->process.child->wait(limits::spare_end_max);
    }
  }
  // Its front has seen to it that nothing is left, so nobody has to wait for a silence.
  if (how == Ended::failed && exit && exit->signal == 0) report_lost(keeper);
  if (keeper.is_late) return;
  roster_.ended(keeper.session, how, env_.clock.mono(), env_.random.bits()[0] / 255.0);
  rows_[keeper.session].state = how == Ended::limit     ? "no budget left"
                                : how == Ended::put_off ? "waiting"
                                                        : "idle";
  rows_[keeper.session].item.clear();
}

// Whether somebody has ended.
bool Worker::reap() {
  const std::size_t before = keepers_.size();
  for (auto it = keepers_.begin(); it != keepers_.end();) {
    const auto exit = it->process.child->wait(Span::zero());
    if (exit && !*exit) {
      ++it;
      continue;
    }
    end(*it, exit.value_or(std::nullopt));
    it = keepers_.erase(it);
    show();
  }
  return keepers_.size() < before;
}

void Worker::show() {
  if (!look_) return;
  std::vector<Row> rows;
  for (const auto& [session, row] : rows_) rows.push_back(row);
  look_(rows);
}

}  // namespace tyer::work
