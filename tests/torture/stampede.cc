#include "torture/stampede.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "env/fd.h"
#include "env/wait_readable.h"
#include "lock/waiting.h"
#include "sim/rng.h"
#include "torture/aftermath.h"
#include "torture/board.h"
#include "torture/opened.h"
#include "torture/start.h"

namespace tyer::torture {
namespace {

constexpr Span answer_within = 60s;
constexpr std::size_t show_every = 10;

enum class How : std::uint8_t { ready, won, lost, failed };

struct Answer {
  pid_t pid = -1;
  How how = How::ready;
  std::uint64_t token = 0;
  std::array<char, 200> error{};
};
static_assert(sizeof(Answer) <= 4096, "a pipe takes it whole");

class Stampede {
 public:
  Stampede(const Options& options, std::string url, int stop_fd)
      : options_(options), url_(std::move(url)), stop_fd_(stop_fd), rng_(options.seed) {
    std::array<int, 2> ends{};
    TYER_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made");
    answers_ = env::Fd(ends[0]);
    answers_in_ = env::Fd(ends[1]);
    for (env::Fd& gate : gates_) gate = env::Fd(::eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC));
    TYER_CHECK(gates_[0] && gates_[1], "a gate can be made");
  }

  ~Stampede() {
    for (const pid_t pid : at_gate_) end(pid);
    for (const pid_t pid : holders_) end(pid);
    for (const pid_t pid : dead_) end(pid);
  }
  Stampede(const Stampede&) = delete;
  Stampede& operator=(const Stampede&) = delete;

  Result<Verdict> run() {
    TYER_TRY(const std::unique_ptr<Opened> opened, open(url_));
    for (std::uint64_t round = 0; round < options_.stampedes && board_.problems() == 0; ++round) {
      TYER_TRY_OK(fill(round));
      kill_holders();
      TYER_TRY_OK(let_go(round));
      show(round);
    }
    kill_holders();
    TYER_TRY(const Endings endings, examine(*opened, 1, board_));
    return conclude(endings);
  }

 private:
  // Everybody is at the gate before anybody is killed.
  Result<> fill(std::uint64_t round) {
    std::size_t missing = options_.processes - at_gate_.size();
    for (std::size_t i = 0; i < missing; ++i) {
      at_gate_.push_back(start(
          {.words = {"--contender", url_, std::to_string(round), std::to_string(gates_[0].get()),
                     std::to_string(gates_[1].get()), std::to_string(answers_in_.get())},
           .fds = {gates_[0].get(), gates_[1].get(), answers_in_.get()}}));
    }
    for (; missing > 0; --missing) {
      TYER_TRY(const Answer answer, hear());
      if (answer.how != How::ready) board_.problem(answer.error.data());
    }
    return {};
  }

  // Every other time they are not reaped before the stampede: a process that is
  // dead and still in the table holds nothing either.
  void kill_holders() {
    for (const pid_t pid : dead_) end(pid);
    dead_.clear();
    for (const pid_t pid : holders_) {
      ::kill(pid, SIGKILL);
      if (!ends_within(pid, answer_within)) board_.problem("a killed process does not end");
      if (rng_.one_in(2)) {
        dead_.push_back(pid);
      } else {
        end(pid);
      }
      ++killed_;
    }
    holders_.clear();
  }

  Result<> let_go(std::uint64_t round) {
    const std::uint64_t all = at_gate_.size();
    TYER_CHECK(::write(gates_[round % 2].get(), &all, sizeof all) == sizeof all, "a gate opens");
    std::size_t winners = 0;
    for (std::uint64_t i = 0; i < all; ++i) {
      TYER_TRY(const Answer answer, hear());
      if (answer.how == How::failed) board_.problem(answer.error.data());
      if (answer.how != How::won) continue;
      ++winners;
      if (answer.token <= token_) {
        board_.problem(fmt::format("round {}: token {} after {}", round, answer.token, token_));
      }
      token_ = std::max(token_, answer.token);
      std::erase(at_gate_, answer.pid);
      holders_.push_back(answer.pid);
    }
    if (winners != 1) board_.problem(fmt::format("round {}: {} winners", round, winners));
    winners_ += winners;
    return {};
  }

  Result<Answer> hear() {
    const std::array<int, 2> fds{answers_.get(), stop_fd_};
    TYER_TRY(const bool heard, env::wait_any(fds, answer_within));
    if (!heard) return fail(Fault::timeout, "a contender does not answer");
    TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, Span::zero()));
    if (stopped) return fail(Fault::cancelled, "interrupted");
    Answer answer;
    const ssize_t got = ::read(answers_.get(), &answer, sizeof answer);
    TYER_CHECK(got == sizeof answer, "an answer comes whole");
    return answer;
  }

  void show(std::uint64_t round) const {
    if (!options_.show || round % show_every != 0) return;
    fmt::print("\r\033[K{}: {} of {} stampedes", options_.store, round, options_.stampedes);
    std::fflush(stdout);
  }

  Verdict conclude(const Endings& endings) const {
    std::string summary = fmt::format(
        "{} stampedes: {} of {} processes, seed {}; {} winners, {} holders killed, {} taken over; "
        "{} problems",
        options_.store, options_.stampedes, options_.processes, options_.seed, winners_, killed_,
        endings.all_lapsed(), board_.problems());
    for (const std::string& text : board_.texts()) summary += "\n  " + text;
    return {.good = board_.problems() == 0, .summary = std::move(summary)};
  }

  const Options& options_;
  const std::string url_;
  const int stop_fd_;
  sim::Rng rng_;
  Board board_;  // Only for its problems.
  env::Fd answers_;
  env::Fd answers_in_;
  std::array<env::Fd, 2> gates_;
  std::vector<pid_t> at_gate_;
  std::vector<pid_t> holders_;
  std::vector<pid_t> dead_;  // Killed, not reaped.
  std::uint64_t token_ = 0;
  std::uint64_t winners_ = 0;
  std::uint64_t killed_ = 0;
};

Answer to_answer(const Result<lock::Outcome>& outcome) {
  Answer answer{.pid = ::getpid()};
  if (!outcome) {
    answer.how = How::failed;
    fmt::format_to_n(answer.error.data(), answer.error.size() - 1, "acquire: {}",
                     outcome.error().what);
  } else if (outcome->got.empty()) {
    answer.how = How::lost;
  } else {
    answer.how = How::won;
    answer.token = outcome->got.front().token;
  }
  return answer;
}

}  // namespace

Result<Verdict> stampede(const Options& options, const std::string& url, int stop_fd) {
  return Stampede(options, url, stop_fd).run();
}

int run_contender(const ContenderCall& call) {
  const auto say = [&](const Answer& answer) {
    return ::write(call.answers, &answer, sizeof answer) == sizeof answer;
  };
  const auto opened = open(call.url);
  if (!opened) return say(to_answer(std::unexpected(opened.error()))) ? 1 : 2;
  const lock::Request request{.names = {name_of_key(0)},
                              .holder = (*opened)->env().processes.self((*opened)->new_run()),
                              .command = "stampede"};
  bool won = false;
  bool heard = say({.pid = ::getpid()});
  for (std::uint64_t round = call.round; heard && !won; ++round) {
    std::uint64_t one = 0;
    if (::read(call.gates[round % 2], &one, sizeof one) != sizeof one) return 3;
    const Answer answer =
        to_answer(lock::acquire((*opened)->locks, *(*opened)->store, request, {}));
    won = answer.how == How::won;
    heard = say(answer);
  }
  if (!heard) return 4;
  // It holds the key until it is killed.
  while (true) ::pause();
}

}  // namespace tyer::torture
