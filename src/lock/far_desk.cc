// Locks of a hub, over HTTP. Waiting for them is in far_wait.cc.

#include <sys/timerfd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "env/wait_readable.h"
#include "lock/breaking.h"
#include "lock/desk.h"
#include "lock/far_wait.h"
#include "lock/hub_client.h"
#include "lock/lease_json.h"
#include "lock/limits.h"

namespace tyer::lock {
namespace {

// A hub always has an answer about locks. Who says that there is no such thing is none, and must
// not be taken for one that says that nobody has the lock.
template <class T>
Result<T> or_no_hub(Result<T> answer, const std::string& url) {
  if (answer || answer.error().fault != Fault::not_found) return answer;
  return fail(Fault::unavailable, fmt::format("{} knows nothing of locks, as a hub would: {}",
                                              printable(url, 200), answer.error().what));
}

class FarDesk : public Desk {
 public:
  FarDesk(env::Env& env, HubAddress hub, HubClient client)
      : env_(env), hub_(std::move(hub)), client_(std::move(client)) {}

  Result<Outcome> acquire(const Request& request, const Patience& patience) override {
    for (const std::string& name : request.names) TYER_TRY_OK(key_of(name));
    const auto report = [this](const core::Lease& lease, const std::string& evidence) {
      return report_gone(lease, evidence);
    };
    return or_no_hub(FarWait(env_, client_, request, patience, report).run(), hub_.url);
  }

  Result<core::Lease> renew(const std::string& name, const std::string& run) override {
    TYER_TRY_OK(key_of(name));
    TYER_TRY(const Json json, client_.ask("POST", "/api/leases/renew", {},
                                          dump_json({{"name", name}, {"session", run}})));
    return read_lease(json);
  }

  Result<core::Lease> release(const std::string& name, const std::string& run) override {
    TYER_TRY(core::Lease lease, give_back(name, run));
    wake_holder(env_.processes, lease.holder);
    return lease;
  }

  // The hub knows who it is that asks; who sits at the keyboard stands in the reason. A holder that
  // is here is waited for here, if the hub does not. One that it does not see is told by us, and
  // its end is told to the hub.
  Result<Broken> break_lock(const std::string& name, std::uint64_t token, const std::string& actor,
                            const std::string& why) override {
    TYER_TRY(const auto seen, look(name));
    const bool ends = seen && seen->lease.token == token && !seen->is_visible &&
                      ends_with_its_lock(env_.processes, seen->lease.holder);
    Json body{{"name", name},
              {"token", token},
              {"why", why.empty() ? "by " + actor : fmt::format("{} (by {})", why, actor)}};
    if (ends) body["ends"] = true;
    TYER_TRY(const Json json, client_.ask("POST", "/api/leases/break", {}, dump_json(body)));
    TYER_TRY(Broken broken, read_broken(json));
    const bool is_ending = ends || broken.holding == Holding::ending;
    if (!is_ending && broken.holding != Holding::unseen) return broken;
    const core::Holder& holder = broken.lease.holder;
    wake_holder(env_.processes, holder);
    const Holding here = await_end(env_.processes, holder, is_ending, limits::break_wait_max);
    if (here != Holding::unseen) broken.holding = here;
    if (ends && here == Holding::ended) report_end(name, holder);
    return broken;
  }

  Result<std::optional<Seen>> look(const std::string& name) override {
    TYER_TRY_OK(key_of(name));
    TYER_TRY(std::vector<Seen> rows, ask_for({{"name", name}}));
    if (rows.empty()) return std::nullopt;
    return std::move(rows.front());
  }

  Result<std::vector<Seen>> list() override { return ask_for({}); }

  Result<core::Lease> report_gone(const core::Lease& seen, const std::string& evidence) override {
    const core::Place here = env_.processes.here();
    TYER_TRY(const Json json, client_.ask("POST", "/api/leases/gone", {},
                                          dump_json({{"name", name_of(seen.key)},
                                                     {"token", seen.token},
                                                     {"host", here.host},
                                                     {"boot", here.boot},
                                                     {"namespace", here.pid_namespace},
                                                     {"evidence", evidence}})));
    return read_lease(json);
  }

  // Each time on a connection of its own: beats are far apart, and the answer must come in time.
  engine::Renew renewer() override {
    return [hub = hub_](const core::Lease& lease, Span at_most) -> Result<> {
      TYER_TRY(HubClient client, HubClient::make(hub, std::min(at_most, limits::hub_answer_max)));
      const Json body{{"key", lease.key}, {"token", lease.token}, {"session", lease.holder.run}};
      TYER_TRY_OK(client.ask("POST", "/api/leases/renew", {}, dump_json(body)));
      return {};
    };
  }

  Result<> rest(std::span<const core::Lease> leases, std::span<const int> fds,
                Span at_most) override;

  env::Env& env() const override { return env_; }

 private:
  // A hub that is just being started again should not cost the others a silence.
  Result<core::Lease> give_back(const std::string& name, const std::string& run) {
    TYER_TRY_OK(key_of(name));
    const Span until = env_.clock.mono() + limits::hub_release_max;
    for (Span pause = limits::hub_retry_first;; pause *= 2) {
      const auto json = client_.ask("DELETE", "/api/leases", {{"name", name}, {"session", run}});
      if (json) return read_lease(*json);
      const bool again = info(json.error().fault).retry_helps && env_.clock.mono() + pause < until;
      if (!again) return std::unexpected(json.error());
      TYER_TRY_OK(env::wait_any({}, pause));
    }
  }

  // Of one that the lock is still kept for. If that cannot be said, it is kept a little longer.
  void report_end(const std::string& name, const core::Holder& holder) {
    const auto seen = look(name);
    if (!seen || !*seen) return;
    const core::Holder& present = (*seen)->lease.holder;
    if (present.place != holder.place || present.pid != holder.pid) return;
    (void)report_gone((*seen)->lease, env_.processes.look(present).evidence);
  }

  // What the hub cannot see and we can, we see.
  Result<std::vector<Seen>> ask_for(const HubClient::Query& query) {
    TYER_TRY(const Json json, or_no_hub(client_.ask("GET", "/api/leases", query), hub_.url));
    TYER_TRY(std::vector<Seen> rows,
             read_seen_list(json.is_object() ? json.value("data", Json()) : Json("none")));
    for (Seen& seen : rows) {
      if (const auto evidence = evidence_of_end(env_.processes, seen)) {
        seen.judgement = {core::Verdict::orphaned, *evidence};
      }
    }
    return rows;
  }

  env::Env& env_;
  const HubAddress hub_;
  HubClient client_;
};

// Readable when `span` has passed.
env::Fd timer_of(Span span) {
  env::Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const Span bounded = std::clamp<Span>(span, 1us, 1h);
  const itimerspec when{
      .it_interval = {},
      .it_value = {.tv_sec = bounded / 1s, .tv_nsec = (bounded % 1s) / 1us * 1000}};
  (void)::timerfd_settime(timer.get(), 0, &when, nullptr);
  return timer;
}

Result<> FarDesk::rest(std::span<const core::Lease> leases, std::span<const int> fds,
                       Span at_most) {
  const env::Fd timer = timer_of(at_most);
  FdSet ends;
  ends.add(timer.get());
  for (const int fd : fds) ends.add(fd);
  Json names = Json::array();
  Json tokens = Json::array();
  for (const core::Lease& lease : leases) {
    names.push_back(name_of(lease.key));
    tokens.push_back(std::to_string(lease.token));
  }
  Result<> heard = fail(Fault::unavailable, "nothing to watch");
  if (!leases.empty()) {
    heard = client_.post_for_lines("/api/leases/watch",
                                   dump_json({{"names", names}, {"tokens", tokens}}), ends.fd(),
                                   [](std::string_view line) { return !line.contains("changed"); });
  }
  if (heard || heard.error().fault == Fault::cancelled) return {};
  // A hub that does not tell costs the rest of the time.
  TYER_TRY_OK(env::wait_readable(ends.fd(), at_most));
  return {};
}

}  // namespace

Result<std::unique_ptr<Desk>> make_far_desk(env::Env& env, HubAddress address) {
  TYER_TRY(HubClient client, HubClient::make(address, limits::hub_answer_max));
  return std::make_unique<FarDesk>(env, std::move(address), std::move(client));
}

}  // namespace tyer::lock
