// tyer run: a command under a lock (L13, L14).

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/locking.h"
#include "cli/stop_signals.h"
#include "engine/keeper.h"
#include "engine/loop.h"
#include "env/supervise.h"
#include "lock/breaking.h"
#include "lock/limits.h"

namespace tyer::cli {
namespace {

struct RunWish {
  std::string name;
  std::vector<std::string> words;
  std::optional<Span> wait;
  std::optional<Span> ttl;
  std::optional<Span> most;
  int conflict_exit = 1;
  bool stops_when_lost = true;
  std::string command;
  std::string owner;
  bool json = false;
};

Result<int> read_exit_code(const Arguments& arguments) {
  const auto text = arguments.value("--conflict-exit");
  if (!text) return 1;
  int code = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), code);
  if (error == std::errc{} && end == text->data() + text->size() && code >= 0 && code <= 255) {
    return code;
  }
  return fail(Fault::invalid, fmt::format("--conflict-exit '{}' is not a number from 0 to 255",
                                          printable(*text, 80)));
}

Result<RunWish> read_wish(const Arguments& arguments) {
  RunWish wish{.name = *arguments.value("KEY"),
               .words = arguments.values("CMD"),
               .stops_when_lost = arguments.value("--on-lost") != "warn",
               .json = arguments.has("--json")};
  TYER_TRY_OK(lock::key_of(wish.name));
  TYER_TRY(wish.wait, read_duration(arguments, "--wait"));
  TYER_TRY(wish.ttl, read_duration(arguments, "--ttl"));
  if (wish.ttl && *wish.ttl < limits::ttl_least) {
    return fail(Fault::invalid,
                fmt::format("--ttl {} is too short: the least is {}", format_span(*wish.ttl),
                            format_span(limits::ttl_least)));
  }
  TYER_TRY(wish.most, read_duration(arguments, "--max"));
  TYER_TRY(wish.conflict_exit, read_exit_code(arguments));
  TYER_TRY(wish.owner, read_label(arguments, "--owner"));
  TYER_TRY(wish.command, read_label(arguments, "--command"));
  if (wish.command.empty()) {
    for (const std::string& word : wish.words) {
      wish.command += (wish.command.empty() ? "" : " ") + printable(word, 80);
      if (wish.command.size() > 200) break;
    }
  }
  return wish;
}

// The lock's heartbeat in a thread of its own: neither a busy command nor a slow
// store holds the other up.
class Heart {
 public:
  Heart(World& world, Locking& locking, const core::Lease& lease, Span asked, Span most,
        bool stops_when_lost)
      : world_(world),
        lease_(lease),
        renew_(locking.desk->renewer()),
        keeper_(world.env.clock, renew_, locking.settings.heartbeat),
        stops_when_lost_(stops_when_lost),
        ends_at_(asked + most),
        stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    keeper_.hold(lease, asked);
    loop_.emplace("keeper", world.env.clock, log_, [this](Time now) { return step(now); });
  }

  // Somebody has ended the lease, or only says so: it is asked for at once.
  void doubt() {
    doubts_ = true;
    loop_->hint();
  }

  // No beat comes after this.
  void stop() { loop_.reset(); }

  [[nodiscard]] int stop_fd() const { return stop_.get(); }
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  Result<Time> step(Time now) {
    const Span left = ends_at_ - world_.env.clock.boot_time();
    if (left <= Span::zero()) tell_stop();
    if (doubts_.exchange(false) && !lost_) ask_whether_lost();
    Result<Time> next = keeper_.step(now);
    for (const engine::Lost& lost : keeper_.take_lost()) lose(lost.why);
    const Span pause = next ? *next - now : pause_after_trouble();
    backoff_ = next ? Span::zero() : backoff_;
    return now + std::max<Span>(std::min(pause, left), 1ms);
  }

  // What goes wrong otherwise is seen at the next beat.
  void ask_whether_lost() {
    const auto renewed = renew_(lease_, keeper_.trusted_for());
    if (renewed || renewed.error().fault != Fault::fenced) return;
    keeper_.forget(lease_.key);
    lose(renewed.error().what);
  }

  void lose(const std::string& why) {
    lost_ = true;
    // Nobody else writes to the output while the command runs.
    world_.output.remark(
        fmt::format("the lock {} was lost: {}", lock::name_of(lease_.key), printable(why, 400)));
    if (stops_when_lost_) tell_stop();
  }

  // The end of the trust in the lock is not slept through.
  Span pause_after_trouble() {
    backoff_ = engine::next_backoff(backoff_);
    return std::min(backoff_, keeper_.trusted_for());
  }

  void tell_stop() const { ::eventfd_write(stop_.get(), 1); }

  World& world_;
  const core::Lease lease_;
  const engine::Renew renew_;
  engine::Keeper keeper_;
  const bool stops_when_lost_;
  const Span ends_at_;
  const env::Fd stop_;
  std::atomic<bool> lost_ = false;
  std::atomic<bool> doubts_ = false;
  Span backoff_{};
  const Log log_;
  std::optional<engine::Loop> loop_;
};

// Before the silence limit is over, nothing of the command may be left.
Span grace_of(Span silence_max) {
  return std::min(limits::run_grace, silence_max / 8);
}

lock::Request to_request(World& world, const RunWish& wish, const Settings& settings, Span most) {
  const std::string session = uuid7(world.env.clock.now(), world.env.random.bits());
  const Span silence = wish.ttl.value_or(settings.silence);
  return {.names = {wish.name},
          .holder = world.env.processes.self(session),
          .command = wish.command,
          .owner = wish.owner,
          .silence_max = silence,
          // The command has all of its time; ending it and giving the lock back come on top.
          .hold_max =
              std::min(most + 2 * (limits::run_grace + limits::trust_margin), limits::hold_most)};
}

env::Spawn to_spawn(const World& world, const RunWish& wish, const core::Lease& lease,
                    const env::Front& front) {
  env::Spawn spawn{.argv = wish.words};
  spawn.environment.insert(world.environment.begin(), world.environment.end());
  spawn.environment["TYER_LOCK"] = wish.name;
  spawn.environment["TYER_SESSION"] = lease.holder.run;
  spawn.environment["TYER_TOKEN"] = std::to_string(lease.token);
  spawn.input = STDIN_FILENO;
  spawn.output = STDOUT_FILENO;
  spawn.errors = STDERR_FILENO;
  spawn.ignored = front.ignored();
  spawn.group = front.group();
  return spawn;
}

// What a run was started with.
struct Around {
  const env::Front& front;
  const std::optional<env::Bell>& bell;  // None: a loss is seen at the next beat.
};

// Runs the command under `lease`, which is released in any case.
Done run_locked(World& world, Locking& locking, const RunWish& wish, const core::Lease& lease,
                Span asked, Span most, const Around& around) {
  const env::Front& front = around.front;
  Heart heart(world, locking, lease, asked, most, wish.stops_when_lost);
  const auto release = [&] {
    heart.stop();
    const auto released = locking.desk->release(wish.name, lease.holder.run);
    if (!released && !heart.lost() && released.error().fault != Fault::not_found) {
      world.output.remark(released.error().what);
    }
  };
  std::vector<env::Signal> early = front.take_signals();
  const auto child = world.env.processes.spawn(to_spawn(world, wish, lease, front));
  if (!child) {
    release();
    (void)finish(std::unexpected(Failure{child.error()}), world, wish.json);
    return child.error().fault == Fault::not_found ? 127 : 126;
  }
  env::give_up_input();
  const auto ended = env::supervise({.child = **child,
                                     .front = front,
                                     .stop_fd = heart.stop_fd(),
                                     .grace = grace_of(lease.silence_max),
                                     .news_fd = around.bell ? around.bell->fd() : -1,
                                     .on_news =
                                         [&] {
                                           if (around.bell->silence()) heart.doubt();
                                         },
                                     .early = std::move(early)});
  release();
  if (!ended) return std::unexpected(Failure{ended.error()});
  if (ended->why != env::Ended::Why::stopped) {
    return ended->exit.signal != 0 ? 128 + ended->exit.signal : ended->exit.code;
  }
  if (heart.lost()) {
    return std::unexpected(
        Failure{{Fault::fenced, fmt::format("{} was ended: its lock was lost", wish.name)}});
  }
  return std::unexpected(
      Failure{{Fault::timeout, fmt::format("{} was ended after {}, its time limit", wish.name,
                                           describe_span(most))}});
}

std::optional<env::Bell> hang_bell(const core::Holder& holder, bool ends) {
  auto bell = env::Bell::hang(ends ? lock::ending_bell(holder) : lock::listening_bell(holder));
  return bell ? std::optional(*std::move(bell)) : std::nullopt;
}

// 1 is for a lock that somebody has: whatever keeps it from being asked for is no answer.
Failure as_outage(Failure failure) {
  if (info(failure.error.fault).exit_code == 1) failure.error.fault = Fault::unavailable;
  return failure;
}

Done run_guarded(World& world, const Arguments& arguments, const RunWish& wish,
                 const env::Front& front) {
  auto opened = open_locks(world, arguments, Access::write);
  if (!opened) return std::unexpected(as_outage(opened.error()));
  Locking& locking = *opened;
  const Span most =
      wish.most.value_or(hold_for(locking.settings, wish.command, limits::run_hold_default));
  const lock::Request request = to_request(world, wish, locking.settings, most);
  // It hangs before there is a lock that could be lost.
  const std::optional<env::Bell> bell = hang_bell(request.holder, wish.stops_when_lost);
  // One that comes when the wait is over is the command's.
  const env::Fd signals = watch_ending_signals();
  const auto outcome = locking.desk->acquire(
      request,
      {.at_most = wish.wait.value_or(Span::zero()), .stop_fds = {signals.get(), front.gone_fd()}});
  if (!outcome) return std::unexpected(as_outage(outcome.error()));
  if (outcome->got.empty()) {
    // Standard output is the command's, also if it does not run.
    world.output.warn(describe_held(*outcome, wish.json));
    return wish.conflict_exit;
  }
  return run_locked(world, locking, wish, outcome->got.front(), outcome->asked, most,
                    {front, bell});
}

}  // namespace

Done run_run(World& world, const Arguments& arguments) {
  TYER_TRY(const RunWish wish, read_wish(arguments));
  TYER_TRY(const int code, env::run_behind_front(
                               [&](const env::Front& front) {
                                 return finish(run_guarded(world, arguments, wish, front), world,
                                               wish.json);
                               },
                               env::Terminal::shared));
  return code;
}

}  // namespace tyer::cli
