#include "torture/torment.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "env/fd.h"
#include "env/linux_clock.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"
#include "sim/rng.h"
#include "support/temp_dir.h"
#include "torture/aftermath.h"
#include "torture/board.h"
#include "torture/opened.h"
#include "torture/start.h"
#include "torture/worker.h"

namespace tyer::torture {
namespace {

constexpr Span end_within = 60s;  // More than a store may make a worker wait.
constexpr Span wake_every = 100ms;
constexpr Span show_every = 500ms;
constexpr std::uint64_t stopped_max = 4;  // At a time.
constexpr std::size_t one_clock_in = 4;   // So many workers read a clock that is set.

struct Member {
  pid_t pid = -1;
  std::optional<Span> stopped_until = {};
};

class Torment {
 public:
  Torment(const Options& options, std::string url, int stop_fd)
      : options_(options), url_(std::move(url)), stop_fd_(stop_fd), rng_(options.seed) {
    std::array<int, 2> ends{};
    TYER_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made");
    told_ = env::Fd(ends[0]);
    tell_ = env::Fd(ends[1]);
    set_clock(0);
  }

  ~Torment() {
    for (const Member& member : members_) end(member.pid);
  }
  Torment(const Torment&) = delete;
  Torment& operator=(const Torment&) = delete;

  Result<Verdict> run() {
    TYER_TRY(const std::unique_ptr<Opened> opened, open(url_));
    members_.resize(options_.processes);
    for (std::size_t i = 0; i < members_.size(); ++i) enter(i);
    const Span began = clock_.mono();
    const Span until = began + std::chrono::seconds(options_.seconds);
    while (clock_.mono() < until) {
      TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, rng_.between(10ms, 90ms)));
      if (stopped) return fail(Fault::cancelled, "interrupted");
      wake(clock_.mono());
      look_after(clock_.mono());
      do_harm();
      show(clock_.mono() - began);
    }
    finish();
    TYER_TRY(const Endings endings, examine(*opened, options_.keys, board_));
    return conclude(endings);
  }

 private:
  void enter(std::size_t place) {
    Start call{
        .words = {"--worker", url_, std::to_string(rng_.next()), std::to_string(options_.keys),
                  std::to_string(board_.fd()), std::to_string(told_.get())},
        .fds = {board_.fd(), told_.get()}};
    if (place % one_clock_in == 0) call.variables = clock_variables_;
    members_[place] = {.pid = start(call)};
  }

  void do_harm() {
    const std::size_t place = rng_.between(0, members_.size() - 1);
    Member& member = members_[place];
    switch (rng_.between(0, 9)) {
      case 0:
      case 1:
      case 2:
        end(member.pid);
        ++kills_;
        enter(place);
        break;
      case 3:
      case 4:
      case 5: stop_some(clock_.mono()); break;
      case 6: set_clock(static_cast<int>(rng_.between(0, 240)) - 120); break;
      default: break;
    }
  }

  // One that is stopped in the middle of a transaction stops all others, because there is one
  // writer at a time: between such times they get some of their own.
  void stop_some(Span now) {
    if (now < next_stops_) return;
    const std::uint64_t wanted = rng_.between(1, stopped_max);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      Member& member = members_[rng_.between(0, members_.size() - 1)];
      if (!member.stopped_until) stop(member, now);
    }
    next_stops_ = now + rng_.between(silence, 2 * silence);
  }

  void stop(Member& member, Span now) {
    ::kill(member.pid, SIGSTOP);
    member.stopped_until = now + rng_.between(silence + 100ms, silence + 800ms);
    ++stops_;
  }

  void wake(Span now) {
    for (Member& member : members_) {
      if (!member.stopped_until || now < *member.stopped_until) continue;
      ::kill(member.pid, SIGCONT);
      member.stopped_until.reset();
    }
  }

  // Nobody ends unless we end it. Some stop by themselves.
  void look_after(Span now) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      int status = 0;
      if (::waitpid(member.pid, &status, WNOHANG | WUNTRACED) != member.pid) continue;
      if (WIFSTOPPED(status)) {
        if (!member.stopped_until) stop(member, now);
        continue;
      }
      clear_away(member.pid);
      report_end(member.pid, status);
      enter(i);
    }
  }

  void report_end(pid_t pid, int status) {
    board_.problem(WIFEXITED(status)
                       ? fmt::format("worker {} ended with {}", pid, WEXITSTATUS(status))
                       : fmt::format("worker {} was ended by signal {}", pid, WTERMSIG(status)));
  }

  // Seconds that some of the workers' wall clocks are ahead.
  void set_clock(int seconds) {
    if (clock_variables_.empty()) clock_variables_ = fake_clock(dir_ / "offset");
    if (clock_variables_.empty()) return;
    std::ofstream(dir_ / "new") << fmt::format("{:+}\n", seconds);
    TYER_CHECK(::rename((dir_ / "new").c_str(), (dir_ / "offset").c_str()) == 0,
               "a file can be renamed");
    if (!members_.empty()) ++steps_;
  }

  // No more harm, but for those who die at the very end.
  void finish() {
    for (const Member& member : members_) {
      if (rng_.one_in(2)) ::kill(member.pid, SIGKILL);
    }
    tell_ = env::Fd();
    const Span until = clock_.mono() + end_within;
    for (const Member& member : members_) {
      bool over = false;
      while (!over && clock_.mono() < until) {
        // Again and again: some stop by themselves, and hold up the others.
        for (const Member& each : members_) continue_stopped(each.pid);
        over = ends_within(member.pid, wake_every);
      }
      if (!over) {
        board_.problem(fmt::format("worker {} does not end", member.pid));
        ::kill(member.pid, SIGKILL);
      }
    }
    reap();
  }

  // Only who is stopped: a sanitizer that looks for leaks at the end of a worker stops its threads
  // itself, and waits for ever if others continue them.
  static void continue_stopped(pid_t pid) {
    const auto stat = env::read_proc_stat(pid);
    if (stat && stat->state == 'T') ::kill(pid, SIGCONT);
  }

  void reap() {
    for (const Member& member : members_) {
      int status = 0;
      env::uninterrupted([&] { return ::waitpid(member.pid, &status, 0); });
      clear_away(member.pid);
      const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      if (!killed && status != 0) report_end(member.pid, status);
    }
    members_.clear();
  }

  void show(Span spent) {
    if (!options_.show || spent < shown_ + show_every) return;
    shown_ = spent;
    fmt::print(
        "\r\033[K{}: {} s of {}: {} leases, {} checks passed, {} kills, {} stops, {} problems",
        options_.store, spent / 1s, options_.seconds, board_.counts().acquired.load(),
        board_.counts().passed.load(), kills_, stops_, board_.problems());
    std::fflush(stdout);
  }

  Verdict conclude(const Endings& endings) {
    const Counts& counts = board_.counts();
    const auto lapsed = [&](const char* verdict) {
      const auto found = endings.lapsed.find(verdict);
      return found == endings.lapsed.end() ? 0 : found->second;
    };
    std::string summary = fmt::format(
        "{} torture: {} s, seed {}, {} processes, {} keys; {} kills, {} stops, {} clock steps; "
        "{} leases granted, {} refused, {} takeovers ({} orphaned, {} silent, {} overdue), "
        "{} superseded; {} checks passed, {} failed, {} not trusted, {} pretenders caught, {} "
        "lost, "
        "{} asked again, {} store troubles; {} problems",
        options_.store, options_.seconds, options_.seed, options_.processes, options_.keys, kills_,
        stops_, steps_, endings.granted, counts.refused.load(), endings.all_lapsed(),
        lapsed("orphaned"), lapsed("silent"), lapsed("overdue"), endings.superseded,
        counts.passed.load(), counts.stale.load(), counts.untrusted.load(), counts.caught.load(),
        counts.lost.load(), counts.again.load(), counts.troubles.load(), board_.problems());
    for (const std::string& text : board_.texts()) summary += "\n  " + text;
    return {.good = board_.problems() == 0, .summary = std::move(summary)};
  }

  const Options& options_;
  const std::string url_;
  const int stop_fd_;
  sim::Rng rng_;
  const env::LinuxClock clock_;
  Board board_;
  testing::TempDir dir_;
  std::vector<std::string> clock_variables_;
  env::Fd told_;
  env::Fd tell_;
  std::vector<Member> members_;
  std::uint64_t kills_ = 0;
  std::uint64_t stops_ = 0;
  std::uint64_t steps_ = 0;
  Span next_stops_{};
  Span shown_{};
};

}  // namespace

Result<Verdict> torment(const Options& options, const std::string& url, int stop_fd) {
  return Torment(options, url, stop_fd).run();
}

}  // namespace tyer::torture
