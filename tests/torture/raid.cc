#include "torture/raid.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "env/marked.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"
#include "run/settle.h"
#include "sim/rng.h"
#include "support/program.h"
#include "support/temp_dir.h"
#include "torture/board.h"
#include "torture/opened.h"

namespace tyer::torture {
namespace {

using testing::Program;
using testing::ProgramResult;

constexpr Span over_within = 30s;        // Of one agent, with all that is done to it.
constexpr Span strike_within = 60ms;     // After the victim was seen first.
constexpr std::uint64_t misses_max = 3;  // For each one that is hit: some have ended before.

enum Victim : std::uint8_t { starter, front, keeper, agent };
constexpr std::array<std::string_view, 4> victim_names{"starters", "fronts", "keepers", "agents"};

// Its words, each with a zero behind it; nothing once it is gone.
std::string command_line_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::string line;
  // Unlike iterators, it does not throw if the process ends meanwhile.
  std::getline(file, line, '\x01');
  return line;
}

// Whether it has ended, or does within that time.
bool await_end(std::int64_t pid, Span at_most) {
  const env::Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  return !ended || env::wait_readable(ended.get(), at_most).value_or(true);
}

// Those with the mark who are `wanted` now. Of the processes called `agent keep` the first is the
// front, the one below it the keeper, and one below that is not the agent yet.
std::vector<std::int64_t> find(const std::string& mark, Victim wanted) {
  std::map<std::int64_t, int> depth_of;
  std::vector<std::int64_t> found;
  for (const std::int64_t pid : env::marked_processes(mark)) {
    const std::string line = command_line_of(pid);
    Victim is = line.contains("demo-agent") ? agent : starter;
    if (line.contains(std::string_view("\0keep", 5))) {
      const auto stat = env::read_proc_stat(pid);
      const auto parent = depth_of.find(stat ? stat->parent : 0);
      const int depth = depth_of[pid] = parent == depth_of.end() ? 0 : parent->second + 1;
      is = depth == 0 ? front : depth == 1 ? keeper : agent;
    }
    if (is == wanted) found.push_back(pid);
  }
  return found;
}

class Raid {
 public:
  Raid(const Options& options, std::string url, int stop_fd)
      : options_(options), url_(std::move(url)), stop_fd_(stop_fd), rng_(options.seed) {}

  Result<Verdict> run() {
    TYER_TRY(opened_, open(url_));
    std::uint64_t rounds = 0;
    for (; struck_ < options_.raids && board_.problems() == 0; ++rounds) {
      if (rounds > misses_max * options_.raids) return fail(Fault::timeout, "nobody is hit");
      TYER_TRY(const bool stopped, env::wait_readable(stop_fd_, Span::zero()));
      if (stopped) return fail(Fault::cancelled, "interrupted");
      // Another program of this kind may raid with the same seed at the same time.
      TYER_TRY_OK(
          // Keepers have this variable of all that they are started with, and pass it on.
          raid_one(fmt::format("TYER_SESSION=raid-{}-{}-{}", ::getpid(), options_.seed, rounds)));
      show();
    }
    TYER_TRY_OK(examine_all());
    return conclude();
  }

 private:
  [[nodiscard]] testing::ProgramCall tyer(std::vector<std::string> words) const {
    return {.words = std::move(words),
            .directory = dir_.path(),
            .environment = {{"HOME", dir_.path()},
                            {"TYER_STORE", url_},
                            {"TYER_DURABILITY", "normal"},
                            // An eighth of it is what an agent has to end by itself.
                            {"TYER_LEASE_SILENCE", "4s"},
                            {"TYER_LEASE_HEARTBEAT", "1s"}}};
  }

  Result<> raid_one(const std::string& mark) {
    const bool hangs = rng_.one_in(2);
    std::string script = rng_.one_in(4) ? "demo: daemonise\n" : "";
    if (rng_.one_in(4)) script += "demo: ignore-term\n";
    for (int i = 1; i <= 30; ++i) {
      script += fmt::format("demo: say line {}.\ndemo: sleep 0.001\n", i);
    }
    testing::ProgramCall call = tyer({"agent", "run", "--backend", "demo", "--json", "--prompt",
                                      script + (hangs ? "demo: hang" : "")});
    call.environment[mark.substr(0, mark.find('='))] = mark.substr(mark.find('=') + 1);
    Program running(call);
    // The kernel lets us go on a moment before its environment can be read.
    while (env::marked_processes(mark).empty() && !await_end(running.pid(), 1ms)) {
    }
    bool was_struck = false;
    do {
      was_struck |= strike(mark, running.pid(), static_cast<Victim>(rng_.between(0, 3)));
    } while (rng_.one_in(3));
    struck_ += was_struck ? 1 : 0;
    const std::size_t first = ids_.size();
    TYER_TRY_OK(end_all(mark, hangs));
    return compare(running.finish().out, first);
  }

  // Whether it was there and is dead by us.
  bool strike(const std::string& mark, pid_t starting, Victim victim) {
    const env::Clock& clock = opened_->env().clock;
    const Span until = clock.mono() + over_within;
    const Span later = rng_.between(Span::zero(), strike_within);
    const std::uint64_t which = rng_.next();
    while (find(mark, victim).empty()) {
      // The starter was there before all others.
      const bool is_over = victim == starter || env::marked_processes(mark).empty();
      if (is_over || clock.mono() >= until) return false;
      (void)await_end(starting, 1ms);
    }
    (void)env::wait_readable(stop_fd_, later);
    const std::vector<std::int64_t> there = find(mark, victim);
    if (there.empty()) return false;
    const bool hit = ::kill(static_cast<pid_t>(there[which % there.size()]), SIGKILL) == 0;
    killed_[victim] += hit ? 1 : 0;
    return hit;
  }

  // Until every run has ended and no process with the mark is left.
  Result<> end_all(const std::string& mark, bool hangs) {
    const env::Clock& clock = opened_->env().clock;
    for (const Span until = clock.mono() + over_within; clock.mono() < until;) {
      TYER_TRY_OK(read_log());
      std::vector<std::string> open;
      for (const std::string& id : ids_) {
        if (!ended_.contains(id)) open.push_back(id);
      }
      const std::vector<std::int64_t> left = env::marked_processes(mark);
      if (open.empty() && left.empty()) return read_log();
      for (const std::string& id : open) {
        // A stop that comes too late is refused, and the attempt after it would hang as well.
        if (hangs && run_program(tyer({"runs", "stop", id})).code != 0) continue;
        (void)run_program(tyer({"runs", "follow", id}));
      }
      if (open.empty()) (void)await_end(left.front(), 5ms);
    }
    for (const std::int64_t pid : env::marked_processes(mark)) {
      std::string line = command_line_of(pid);
      std::ranges::replace(line, '\0', ' ');
      board_.problem(fmt::format("{}: process {} is left: {}", mark, pid, line.substr(0, 80)));
    }
    env::end_marked(mark);
    return {};
  }

  // What is new in the log.
  Result<> read_log() {
    return opened_->store->read([&](const core::View& view) -> Result<> {
      while (true) {
        TYER_TRY(const std::vector<core::Event> page, view.events({.after = read_}));
        if (page.empty()) return {};
        for (const core::Event& event : page) read_event(event);
        read_ = page.back().seq;
      }
    });
  }

  void read_event(const core::Event& event) {
    const std::string id = event.key.substr(event.key.find('/') + 1);
    if (event.type == "run.created") ids_.push_back(id);
    if (event.type != "run.ended") return;
    if (!ended_.insert(id).second) board_.problem(id + " has two outcomes");
    // Whoever reads `ended` may rely on it.
    for (const std::int64_t pid : env::marked_processes(run::mark_of(id))) {
      board_.problem(fmt::format("{} has ended, but process {} is there", id, pid));
    }
    const Json body = parse_json_object(event.body).value_or(Json::object());
    ++verdicts_[text_or(body, "verdict", text_or(body, "outcome"))];
  }

  // Each line that was shown is in the transcript of a run since the first of this raid.
  Result<> compare(const std::string& shown, std::size_t first) {
    std::set<std::string, std::less<>> kept;
    for (std::size_t i = first; i < ids_.size(); ++i) {
      TYER_TRY(const run::Record record, run::look_at_run(opened_->engine, ids_[i]));
      std::ifstream file(record.folder + "/transcript.jsonl", std::ios::binary);
      for (std::string line; std::getline(file, line);) kept.insert(line);
    }
    std::string_view rest = shown;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      // The others are the outcomes.
      if (!line.contains(R"("n":)")) continue;
      ++lines_;
      if (!kept.contains(line)) board_.problem(fmt::format("a line is lost: {}", line));
    }
    return {};
  }

  Result<> examine_all() {
    TYER_TRY_OK(opened_->store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(const std::vector<core::Lease> leases, view.leases("", limits::page_rows_max));
      for (const core::Lease& lease : leases) board_.problem("a lease is left: " + lease.key);
      return {};
    }));
    for (const std::string& id : ids_) {
      if (!ended_.contains(id)) board_.problem(id + " has no outcome");
    }
    const ProgramResult checked = run_program(tyer({"store", "check"}));
    if (!checked.out.contains("Nothing is wrong")) board_.problem(checked.out + checked.err);
    return {};
  }

  void show() const {
    if (!options_.show) return;
    fmt::print("\r\033[K{}: {} of {} raids", options_.store, struck_, options_.raids);
    std::fflush(stdout);
  }

  [[nodiscard]] Verdict conclude() const {
    std::string summary =
        fmt::format("{} raids: {}, seed {};", options_.store, struck_, options_.seed);
    for (std::size_t i = 0; i < killed_.size(); ++i) {
      summary += fmt::format(" {} {},", killed_[i], victim_names[i]);
    }
    summary.back() = ' ';
    summary += fmt::format("killed; {} runs:", ids_.size());
    for (const auto& [verdict, count] : verdicts_)
      summary += fmt::format(" {} {},", count, verdict);
    summary.back() = ';';
    summary += fmt::format(" {} lines shown; {} problems", lines_, board_.problems());
    for (const std::string& text : board_.texts()) summary += "\n  " + text;
    return {.good = board_.problems() == 0, .summary = std::move(summary)};
  }

  const Options& options_;
  const std::string url_;
  const int stop_fd_;
  sim::Rng rng_;
  testing::TempDir dir_;
  Board board_;  // Only for its problems.
  std::unique_ptr<Opened> opened_;
  std::uint64_t read_ = 0;  // Of the log.
  std::vector<std::string> ids_;
  std::set<std::string> ended_;
  std::map<std::string, std::uint64_t> verdicts_;
  std::array<std::uint64_t, victim_names.size()> killed_{};
  std::uint64_t struck_ = 0;
  std::uint64_t lines_ = 0;
};

}  // namespace

Result<Verdict> raid(const Options& options, const std::string& url, int stop_fd) {
  return Raid(options, url, stop_fd).run();
}

}  // namespace tyer::torture
