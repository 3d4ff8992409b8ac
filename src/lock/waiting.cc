#include "lock/waiting.h"

#include <algorithm>

#include "env/bell.h"
#include "env/wait_readable.h"
#include "lock/limits.h"
#include "lock/line.h"

namespace tyer::lock {
namespace {

class Waiter {
 public:
  Waiter(Locks& locks, store::Store& store, core::Asking asking, const Patience& patience)
      : locks_(locks),
        env_(locks.engine().env()),
        store_(store),
        patience_(patience),
        place_(choose_place()),
        line_(locks, std::move(asking), place_.name, waits()),
        until_(env_.clock.boot_time() + (patience.at_most > Span::zero()
                                             ? std::min(patience.at_most, limits::hold_most)
                                             : 2 * limits::turn_max)) {}

  Result<Outcome> run() {
    Result<Outcome> outcome = wait();
    const bool has_left = outcome && !outcome->got.empty() ? go(outcome->behind) : leave(outcome);
    if (watch_) locks_.give_back(std::move(watch_));
    if (has_left && !patience_.proxy && !place_.name.empty()) locks_.give_back(std::move(place_));
    return outcome;
  }

 private:
  Place choose_place() {
    if (patience_.at_most <= Span::zero()) return {};
    return patience_.proxy ? Place{patience_.proxy->place, std::nullopt} : locks_.borrow_place();
  }

  [[nodiscard]] std::optional<core::Holder> waits() const {
    return patience_.proxy ? std::optional(patience_.proxy->waits) : std::nullopt;
  }

  // With what it wanted. Those behind see the end of this process, and are rung for when it gives
  // the locks back; if that is not enough they must see for themselves who has them.
  bool go(const std::vector<core::Lease>& behind) {
    if (store_.is_private() && line_.holds_itself()) return true;
    for (const core::Lease& ticket : behind) locks_.ring(ticket);
    return true;
  }

  bool leave(const Result<Outcome>& outcome) {
    const bool returns = patience_.proxy && !outcome && outcome.error().fault == Fault::cancelled;
    if (returns) return false;
    const auto behind = line_.leave();
    if (!behind) return false;
    for (const core::Lease& ticket : *behind) locks_.ring(ticket);
    return true;
  }

  Result<Outcome> wait() {
    while (true) {
      TYER_TRY(Outcome outcome, look());
      if (!outcome.got.empty() || is_over(outcome)) return outcome;
      if (patience_.proxy) patience_.proxy->on_look(outcome);
      TYER_TRY(const bool stopped, rest(outcome));
      if (stopped) return fail(Fault::cancelled, "stopped waiting for the lock: interrupted");
    }
  }

  // A store that is out of reach for a while has not said no; only at the very
  // first look is that an answer.
  Result<Outcome> look() {
    Result<Outcome> outcome = line_.look(std::exchange(likely_, false));
    const bool is_first = !std::exchange(looked_, true);
    trouble_ = !outcome;
    const bool final = is_first || !trouble_ || !info(outcome.error().fault).retry_helps ||
                       env_.clock.boot_time() >= until_;
    if (final) return outcome;
    return Outcome{};
  }

  // Without patience it is over as soon as somebody has them.
  bool is_over(const Outcome& outcome) const {
    if (trouble_) return false;
    return env_.clock.boot_time() >= until_ ||
           (patience_.at_most <= Span::zero() && outcome.next.empty());
  }

  // Whether it was told to stop.
  Result<bool> rest(const Outcome& outcome) {
    TYER_TRY(const bool watches, get_ready(outcome));
    Ends ends;
    if (watches || outcome.before.empty()) {
      for (const Seen& seen : outcome.held) watch_end(seen.lease.holder, ends);
    }
    for (const core::Lease& ticket : outcome.next) watch_end(ticket.holder, ends);
    for (const core::Lease& ticket : outcome.before) watch_end(ticket.holder, ends);

    std::vector<int> fds = patience_.stop_fds;
    for (const env::Fd& fd : ends.fds) fds.push_back(fd.get());
    if (place_.bell) fds.push_back(place_.bell->fd());
    // A line that is broken would wake at once and again.
    if (watches && !trouble_) fds.push_back(watch_->fd());
    // What has happened between the look and the watch is not told.
    const bool again = ends.seen || std::exchange(is_new_, false);
    TYER_TRY_OK(env::wait_any(fds, again ? Span::zero() : span_of(outcome, watches)));
    likely_ = (place_.bell && place_.bell->silence()) ||
              ((watches || outcome.before.empty()) && has_ended(ends));
    // What comes in while we look is told again.
    if (watch_ && watches) {
      const auto told = watch_->wait(Span::zero());
      if (!told && !info(told.error().fault).retry_helps) return std::unexpected(told.error());
    }
    if (patience_.stop_fds.empty()) return false;
    return env::wait_any(patience_.stop_fds, Span::zero());
  }

  // Whether the store is to be watched. Every commit wakes whoever does, so those
  // do not for whom somebody rings.
  Result<bool> get_ready(const Outcome& outcome) {
    if (!std::exchange(is_hung_, true) && !place_.bell && line_.is_rung_here()) {
      if (auto bell = env::Bell::hang(place_.name)) place_.bell.emplace(*std::move(bell));
      is_new_ = true;
    }
    const bool watches = !others_ring(outcome);
    if (!watches || watch_) return watches;
    TYER_TRY(watch_, locks_.borrow_watch(store_));
    is_new_ = true;
    return true;
  }

  // Who is before us on this machine rings when it goes. In a private store, so does whoever gives
  // a lock back.
  bool others_ring(const Outcome& outcome) const {
    if (!place_.bell) return false;
    const auto is_here = [&](const core::Lease& lease) {
      return lease.holder.place == env_.processes.here();
    };
    const auto is_held_here = [&](const Seen& seen) { return is_here(seen.lease); };
    return std::ranges::all_of(outcome.before, is_here) &&
           (outcome.before.size() == line_.wishes() ||
            (store_.is_private() && std::ranges::all_of(outcome.held, is_held_here)));
  }

  struct Ends {
    std::vector<env::Fd> fds;
    bool seen = false;  // One has ended since the look.
  };

  void watch_end(const core::Holder& holder, Ends& ends) const {
    // Who cannot be watched is judged by its silence.
    if (auto fd = env_.processes.watch_end(holder); fd && *fd) {
      ends.fds.push_back(**std::move(fd));
    } else if (env_.processes.look(holder).liveness == core::Liveness::gone) {
      ends.seen = true;
    }
  }

  static bool has_ended(const Ends& ends) {
    const auto is_readable = [](const env::Fd& fd) {
      return env::wait_readable(fd.get(), Span::zero()).value_or(false);
    };
    return ends.seen || std::ranges::any_of(ends.fds, is_readable);
  }

  Span span_of(const Outcome& outcome, bool watches) const {
    Span wait = std::min(line_.quiet(outcome), until_ - env_.clock.boot_time());
    if (trouble_) {
      wait = std::min(wait, limits::wait_retry_every);
    } else if (!watches) {
      wait = std::min(wait, limits::wait_behind_every);
    } else if (watch_->fd() < 0) {
      wait = std::min(wait, limits::wait_blind_every);
    }
    return std::max<Span>(wait, 1ms);
  }

  Locks& locks_;
  const env::Env& env_;
  store::Store& store_;
  const Patience patience_;
  Place place_;
  Line line_;
  const Span until_;
  std::unique_ptr<store::Watch> watch_;
  bool is_hung_ = false;  // It was tried.
  bool is_new_ = false;   // Bell or watch: look once more before trusting them.
  bool likely_ = false;   // The holder has just ended.
  bool trouble_ = false;
  bool looked_ = false;
};

}  // namespace

Result<Outcome> acquire(Locks& locks, store::Store& store, const Request& request,
                        const Patience& patience) {
  TYER_TRY(core::Asking asking, locks.to_asking(request));
  return Waiter(locks, store, std::move(asking), patience).run();
}

}  // namespace tyer::lock
