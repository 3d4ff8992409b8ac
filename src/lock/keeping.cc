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
  Keeping(Desk& desk, std::string run, Span heartbeat, int stop_fd)
      : desk_(desk),
        env_(desk.env()),
        run_(std::move(run)),
        stop_fd_(stop_fd),
        keeper_(env_.clock, desk.renewer(), heartbeat) {}

  Result<> run(const std::vector<std::string>& names) {
    for (const std::string& name : names) TYER_TRY_OK(take(name));
    if (leases_.empty()) return nothing_to_keep_;
    nothing_to_keep_ = {};
    const core::Holder holder = leases_.begin()->second.holder;
    const auto watched = env_.processes.watch_end(holder);
    const std::array fds{stop_fd_, watched && *watched ? (*watched)->get() : -1};
    for (bool is_first = true;; is_first = false) {
      const Span wait = step();
      const core::Sight sight = env_.processes.look(holder);
      if (sight.liveness == core::Liveness::gone) return end_all(sight.evidence);
      // What is lost in the first step was not there to be kept.
      if (leases_.empty()) return is_first ? nothing_to_keep_ : Result<>();
      const Span until = env_.clock.mono() + wait;
      TYER_TRY_OK(desk_.rest(leases(), fds, wait));
      // Whether the holder lives is seen at once, what there is to know of its locks a little
      // later: not so often, and not before it can be seen.
      const Span deaf = std::min(until - env_.clock.mono(), limits::keep_look_every);
      TYER_TRY_OK(env::wait_any(fds, deaf));
      TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, Span::zero()));
      if (stopped) return {};
    }
  }

 private:
  // As long as another attempt helps, for a while. Nothing if it was told to stop.
  template <class Ask>
  Result<core::Lease> insist(const Ask& ask) {
    const Span begun = env_.clock.boot_time();
    while (true) {
      Result<core::Lease> answer = ask();
      const bool again = !answer && info(answer.error().fault).retry_helps &&
                         env_.clock.boot_time() - begun < limits::keep_start_max;
      if (!again) return answer;
      backoff_ = engine::next_backoff(backoff_);
      TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, backoff_));
      if (stopped) return answer;
    }
  }

  Result<> take(const std::string& name) {
    Span asked{};
    auto renewed = insist([&] {
      asked = env_.clock.boot_time();
      return desk_.renew(name, run_);
    });
    const bool ended = !renewed && (renewed.error().fault == Fault::not_found ||
                                    renewed.error().fault == Fault::fenced);
    if (ended) {  // The others are kept all the same.
      nothing_to_keep_ = std::unexpected(renewed.error());
      take_orphan(name);
      return {};
    }
    TYER_TRY(core::Lease lease, std::move(renewed));
    keeper_.hold(lease, asked);
    leases_[lease.key] = std::move(lease);
    return {};
  }

  // One whose process is gone cannot be renewed; that it has ended is still to be said.
  void take_orphan(const std::string& name) {
    const auto seen = desk_.look(name);
    if (!seen || !*seen || (*seen)->lease.holder.run != run_) return;
    const core::Lease& lease = (*seen)->lease;
    const bool is_gone = env_.processes.look(lease.holder).liveness == core::Liveness::gone;
    if (is_gone) leases_[lease.key] = lease;
  }

  // Renews what is due and drops what is no longer held. How long it may sleep.
  Span step() {
    const Time now = env_.clock.now();
    const Result<Time> next = keeper_.step(now);
    backoff_ = next ? Span::zero() : engine::next_backoff(backoff_);
    for (const engine::Lost& lost : keeper_.take_lost()) {
      leases_.erase(lost.lease.key);
      nothing_to_keep_ =
          fail(Fault::fenced, fmt::format("{}: {}", name_of(lost.lease.key), lost.why));
    }
    drop_ended();
    return next ? std::max<Span>(*next - now, 1ms) : backoff_;
  }

  void drop_ended() {
    std::erase_if(leases_, [&](const auto& each) {
      const auto& [key, lease] = each;
      const auto seen = desk_.look(std::string(name_of(key)));
      if (!seen) return false;  // The next renewal tells.
      const bool ended = !*seen || (*seen)->lease.token != lease.token;
      if (ended) keeper_.forget(key);
      return ended;
    });
  }

  Result<> end_all(const std::string& why) {
    for (const auto& [key, lease] : leases_) {
      const auto ended = insist([&] { return desk_.report_gone(lease, why); });
      if (!ended && ended.error().fault != Fault::not_found) {
        return std::unexpected(ended.error());
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<core::Lease> leases() const {
    std::vector<core::Lease> all;
    for (const auto& [key, lease] : leases_) all.push_back(lease);
    return all;
  }

  Desk& desk_;
  env::Env& env_;
  const std::string run_;
  const int stop_fd_;
  engine::Keeper keeper_;
  std::map<std::string, core::Lease> leases_;
  Span backoff_{};
  Result<> nothing_to_keep_ = fail(Fault::not_found, "no lock was named");
};

}  // namespace

Result<> keep(Desk& desk, const std::vector<std::string>& names, const std::string& run,
              Span heartbeat, int stop_fd) {
  return Keeping(desk, run, heartbeat, stop_fd).run(names);
}

}  // namespace tyer::lock
