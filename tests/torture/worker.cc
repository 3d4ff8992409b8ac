#include "torture/worker.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "engine/keeper.h"
#include "env/wait_readable.h"
#include "lock/waiting.h"
#include "sim/rng.h"
#include "torture/board.h"
#include "torture/opened.h"

namespace tyer::torture {
namespace {

constexpr std::uint64_t stop_one_in = 300;
constexpr int late_checks = 4;  // That a pretender makes after its time.

enum class Check : std::uint8_t { passed, failed, unknown };

class Worker {
 public:
  Worker(Opened& opened, const WorkerCall& call)
      : opened_(opened),
        locks_(opened.locks),
        clock_(opened.env().clock),
        board_(call.board),
        counts_(board_.counts()),
        keys_(call.keys),
        stop_(call.stop),
        rng_(call.seed),
        keeper_(opened.engine) {}

  void run() {
    while (!pause(Span::zero())) round();
  }

 private:
  void round() {
    const Span at_most = rng_.one_in(4) ? rng_.between(10ms, 1s) : Span::zero();
    if (!acquire(draw_request(), at_most)) {
      pause(rng_.between(0ms, 5ms));
      return;
    }
    switch (rng_.between(0, 59)) {
      case 0: fall_silent(); break;
      case 1: overstay(); break;
      default:
        work(rng_.between(0, 6));
        if (!rng_.one_in(6)) break;
        interrupt();
        work(rng_.between(0, 2));
    }
    leave();
  }

  lock::Request draw_request() {
    std::vector<std::string> names;
    const std::uint64_t wanted = rng_.one_in(3) ? rng_.between(2, 4) : 1;
    while (names.size() < std::min<std::uint64_t>(wanted, keys_)) {
      std::string name = name_of_key(rng_.between(0, keys_ - 1));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return request(std::move(names), rng_.one_in(2));
  }

  lock::Request request(std::vector<std::string> names, bool any) {
    return {.names = std::move(names),
            .any = any,
            .holder = opened_.env().processes.self(opened_.new_run()),
            .command = "torture",
            .silence_max = silence,
            .hold_max = hold};
  }

  // Whether it got what it asked for; it is kept from then on.
  bool acquire(const lock::Request& request, Span at_most) {
    const auto outcome =
        lock::acquire(locks_, *opened_.store, request, {.at_most = at_most, .stop_fds = {stop_}});
    if (!outcome) return note("acquire", outcome.error());
    if (outcome->got.empty()) {
      ++counts_.refused;
      return false;
    }
    if (outcome->got.size() != (request.any ? 1 : request.names.size())) {
      board_.problem(fmt::format("{} of {} locks were given, any: {}", outcome->got.size(),
                                 request.names.size(), request.any));
    }
    counts_.acquired += outcome->got.size();
    mine_ = outcome->got;
    for (const core::Lease& lease : mine_) keeper_.hold(lease, outcome->asked);
    return true;
  }

  // As a good holder does: keeps its leases, and acts only while it trusts them.
  void work(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps && !mine_.empty(); ++i) {
      if (const auto next = keeper_.step(clock_.now()); !next) note("beat", next.error());
      for (const engine::Lost& lost : keeper_.take_lost()) lose(lost.lease);
      // Ctrl+Z. Elsewhere it is stopped by others, mostly in the middle of a transaction.
      if (rng_.one_in(stop_one_in)) ::raise(SIGSTOP);
      for (const core::Lease& lease : mine_) act(lease);
      if (pause(rng_.one_in(20) ? rng_.between(0ms, 400ms) : rng_.between(0ms, 4ms))) return;
    }
  }

  // A keeper that trusts before nobody could take the lease, and says so after, was wrong if
  // the check says otherwise in between.
  void act(const core::Lease& lease) {
    if (!keeper_.trusts(lease.key)) {
      ++counts_.untrusted;
      return;
    }
    if (check(lease) == Check::failed && keeper_.trusts(lease.key)) {
      board_.problem(
          fmt::format("{}: token {} is trusted, but its check fails", lease.key, lease.token));
    }
  }

  // `tyer lock check KEY --token N`, in the key's turn: see board.h.
  Check check(const core::Lease& lease) {
    const std::string name(lock::name_of(lease.key));
    Turn turn(board_.key(std::strtoul(name.substr(name.find('-') + 1).c_str(), nullptr, 10)));
    if (!turn) return Check::unknown;
    std::uint64_t head = 0;
    const Result<> read = opened_.store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head ends, view.head());
      head = ends.seq;
      return {};
    });
    const auto seen = locks_.look(name);
    if (!read || !seen) {
      note("check", read ? seen.error() : read.error());
      return Check::unknown;
    }
    const bool good = *seen && (*seen)->judgement.verdict == core::Verdict::live &&
                      (*seen)->lease.token == lease.token;
    ++(good ? counts_.passed : counts_.stale);
    if (!good) return Check::failed;
    if (const auto wrong = turn.pass(lease.token, head)) {
      board_.problem(fmt::format("{}: {}", lease.key, *wrong));
    }
    return Check::passed;
  }

  // Stops renewing and goes on pretending.
  void fall_silent() {
    pretend(silence, [] {});
  }

  // Goes on renewing beyond the hold limit, which a keeper would not do.
  void overstay() {
    Span renewed = clock_.mono();
    pretend(hold, [&] {
      if (clock_.mono() - renewed < silence / 3) return;
      renewed = clock_.mono();
      for (const core::Lease& lease : mine_) {
        note_own("renew", lease,
                 locks_.renew(std::string(lock::name_of(lease.key)), lease.holder.run));
      }
    });
  }

  // When `limit` is over no check may pass any more, whether somebody else asked or not.
  template <class Step>
  void pretend(Span limit, Step step) {
    const Span until = clock_.mono() + limit;
    bool caught = false;
    for (int late = 0; late < late_checks;) {
      step();
      const bool over = clock_.mono() > until;
      for (const core::Lease& lease : mine_) {
        const Check answer = check(lease);
        caught = caught || answer == Check::failed;
        if (over && answer == Check::passed) {
          board_.problem(fmt::format("{}: token {} passes after its limit of {}", lease.key,
                                     lease.token, describe_span(limit)));
        }
      }
      late += over ? 1 : 0;
      if (pause(rng_.between(10ms, 100ms))) return;
    }
    if (caught) ++counts_.caught;
  }

  // Ctrl+C, and the same command again in the same process (L7).
  void interrupt() {
    if (mine_.empty()) return;
    const std::vector<core::Lease> before = mine_;
    std::vector<std::string> names;
    for (const core::Lease& lease : before) names.emplace_back(lock::name_of(lease.key));
    troubled_ = false;
    if (!acquire(request(std::move(names), false), Span::zero())) {
      const auto trusted = [&](const core::Lease& lease) { return keeper_.trusts(lease.key); };
      if (!troubled_ && !pause(Span::zero()) && std::ranges::all_of(before, trusted)) {
        board_.problem(fmt::format("{}: its own process does not get it again", before[0].key));
      }
      return;
    }
    ++counts_.again;
    for (const core::Lease& lease : before) {
      if (check(lease) != Check::passed) continue;
      board_.problem(fmt::format("{}: token {} passes after the same process asked again",
                                 lease.key, lease.token));
    }
  }

  // Mostly lets go of them; sometimes just forgets them.
  void leave() {
    for (const core::Lease& lease : mine_) {
      if (rng_.one_in(50)) {
        keeper_.forget(lease.key);
        continue;
      }
      const auto released = locks_.release(std::string(lock::name_of(lease.key)), lease.holder.run);
      note_own("release", lease, released);
      if (!released && is_loss(released.error().fault) && keeper_.trusts(lease.key)) {
        board_.problem(fmt::format("{}: token {} is trusted, but cannot be released: {}", lease.key,
                                   lease.token, released.error().what));
      }
      keeper_.forget(lease.key);
    }
    mine_.clear();
  }

  // Renewal and release act on one's own lease or not at all (L6).
  void note_own(std::string_view what, const core::Lease& lease, const Result<core::Lease>& met) {
    if (!met) {
      note(what, met.error());
    } else if (met->token != lease.token) {
      board_.problem(
          fmt::format("{}: {} of token {} met token {}", lease.key, what, lease.token, met->token));
    }
  }

  static bool is_loss(Fault fault) { return fault == Fault::fenced || fault == Fault::not_found; }

  // Always false: it was not had.
  bool note(std::string_view what, const Error& error) {
    if (error.fault == Fault::cancelled) return false;
    if (is_loss(error.fault) && what != "acquire") {
      ++counts_.lost;
    } else if (info(error.fault).retry_helps) {
      ++counts_.troubles;
      troubled_ = true;
      std::fprintf(stderr, "tyer_torture: %s: %s\n", std::string(what).c_str(), error.what.c_str());
    } else {
      board_.problem(fmt::format("{}: {}: {}", what, info(error.fault).name, error.what));
    }
    return false;
  }

  // One that does not listen to its keeper would ask once more.
  void lose(const core::Lease& lost) {
    ++counts_.lost;
    check(lost);
    std::erase_if(mine_, [&](const core::Lease& lease) { return lease.key == lost.key; });
  }

  // Whether it is time to end.
  bool pause(Span span) const {
    const auto told = env::wait_readable(stop_, span);
    return !told || *told;
  }

  Opened& opened_;
  lock::Locks& locks_;
  const env::Clock& clock_;
  Board board_;
  Counts& counts_;
  const std::size_t keys_;
  const int stop_;
  sim::Rng rng_;
  engine::Keeper keeper_;
  std::vector<core::Lease> mine_;
  bool troubled_ = false;  // The store did not answer.
};

}  // namespace

int run_worker(const WorkerCall& call) {
  const auto opened = open(call.url);
  if (!opened) {
    std::fprintf(stderr, "tyer_torture: %s\n", opened.error().what.c_str());
    return 1;
  }
  Worker(**opened, call).run();
  return 0;
}

}  // namespace tyer::torture
