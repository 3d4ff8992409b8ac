#include "lock/keeping.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "engine/keeper.h"
#include "engine/loop.h"
#include "env/fd.h"
#include "env/wait_readable.h"
#include "lock/limits.h"

namespace tyer::lock {
namespace {

class Keeping {
 public:
  Keeping(Locks& locks, store::Store& store, std::string run, Span heartbeat, int stop_fd)
      : locks_(locks),
        engine_(locks.engine()),
        store_(store),
        run_(std::move(run)),
        stop_fd_(stop_fd),
        keeper_(engine_, heartbeat) {}

  Result<> run(const std::vector<std::string>& names) {
    for (const std::string& name : names) TYER_TRY_OK(take(name));
    if (leases_.empty()) return {};
    if (auto watch = store_.watch()) watch_ = *std::move(watch);
    const core::Holder holder = leases_.begin()->second.holder;
    const auto watched = engine_.env().processes.watch_end(holder);
    const int end_fd = watched && *watched ? (*watched)->get() : -1;
    while (!leases_.empty()) {
      const Span wait = step();
      const core::Sight sight = engine_.env().processes.look(holder);
      if (sight.liveness == core::Liveness::gone) return end_all(sight.evidence);
      if (leases_.empty()) break;
      const std::array fds{stop_fd_, end_fd, watch_ ? watch_->fd() : -1};
      const Span until = engine_.env().clock.mono() + wait;
      TYER_TRY_OK(env::wait_any(fds, wait));
      // Whether the holder lives is seen at once, what the store has to say a little later:
      // not so often, and not before it can be seen.
      const Span deaf = std::min(until - engine_.env().clock.mono(), limits::keep_look_every);
      TYER_TRY_OK(env::wait_any(std::span(fds).first(2), deaf));
      TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, Span::zero()));
      if (stopped) return {};
      if (watch_) (void)watch_->wait(Span::zero());  // A hint that fails costs a beat.
    }
    return {};
  }

 private:
  Result<> take(const std::string& name) {
    const Span asked = engine_.env().clock.boot_time();
    auto renewed = locks_.renew(name, run_);
    while (!renewed && info(renewed.error().fault).retry_helps &&
           engine_.env().clock.boot_time() - asked < limits::keep_start_max) {
      backoff_ = engine::next_backoff(backoff_);
      TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, backoff_));
      if (stopped) break;
      renewed = locks_.renew(name, run_);
    }
    const bool ended = !renewed && (renewed.error().fault == Fault::not_found ||
                                    renewed.error().fault == Fault::fenced);
    if (ended) return {};  // The others are kept all the same.
    TYER_TRY(core::Lease lease, std::move(renewed));
    keeper_.hold(lease, asked);
    leases_[lease.key] = std::move(lease);
    return {};
  }

  // Renews what is due and drops what is no longer held. How long it may sleep.
  Span step() {
    const Time now = engine_.env().clock.now();
    const Result<Time> next = keeper_.step(now);
    backoff_ = next ? Span::zero() : engine::next_backoff(backoff_);
    for (const engine::Lost& lost : keeper_.take_lost()) leases_.erase(lost.lease.key);
    drop_ended();
    return next ? std::max<Span>(*next - now, 1ms) : backoff_;
  }

  void drop_ended() {
    std::vector<std::string> ended;
    const Result<> read = engine_.read([&](const core::View& view) -> Result<> {
      ended.clear();
      for (const auto& [key, lease] : leases_) {
        TYER_TRY(const auto present, view.lease(key));
        if (!present || present->token != lease.token) ended.push_back(key);
      }
      return {};
    });
    if (!read) return;  // The next renewal tells.
    for (const std::string& key : ended) {
      keeper_.forget(key);
      leases_.erase(key);
    }
  }

  Result<> end_all(const std::string& why) {
    const auto decide = [&](const core::View& view, Time) -> Result<core::Change> {
      core::Change change;
      for (const auto& [key, lease] : leases_) {
        TYER_TRY(const auto present, view.lease(key));
        if (!present || present->token != lease.token) continue;
        change.endings.push_back({key, lease.token, core::End::lapsed,
                                  std::string(core::name(core::Verdict::orphaned)), why});
      }
      return change;
    };
    TYER_TRY_OK(engine_.apply({"run/" + run_}, decide));
    return {};
  }

  Locks& locks_;
  engine::Engine& engine_;
  store::Store& store_;
  const std::string run_;
  const int stop_fd_;
  engine::Keeper keeper_;
  std::map<std::string, core::Lease> leases_;
  std::unique_ptr<store::Watch> watch_;  // None: it looks at each beat.
  Span backoff_{};
};

}  // namespace

Result<> keep(Locks& locks, store::Store& store, const std::vector<std::string>& names,
              const std::string& run, Span heartbeat, int stop_fd) {
  return Keeping(locks, store, run, heartbeat, stop_fd).run(names);
}

}  // namespace tyer::lock
