// Everything that can be killed is, at random, while people write. TYER_CHAOS_SECONDS says for how
// long, each time, TYER_CHAOS_SEED which chance.

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/kin.h"
#include "env/linux_clock.h"
#include "env/marked.h"
#include "env/wait_readable.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

// More than 500 in two minutes, evenly, however long it takes to kill. Less often than they are
// answered something is killed, or all would be given up after three times.
constexpr Span comment_every = 200ms;
constexpr Span kill_every = 100ms;  // On average, if there is something to be killed.
constexpr Span look_every = 10ms;

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// Whether workers share the hub's store, or have one of their own as on another machine.
class WorkerChaos : public WorkerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  WorkerChaos() : chance(static_cast<unsigned>(setting("TYER_CHAOS_SEED", 1))) {
    if (std::string(GetParam()) == "Near") work_place = dir.path();
    start_hub();
    // Long enough to be met, and with something that outlives it.
    make_scripted("bot", R"(
cat >/dev/null
setsid sleep 600 &
sleep 0.1
echo "done by $TYER_RUN")");
    for (const char* name : {"", "/a", "/b", "/c", "/d"}) {
      threads.push_back(write_post(fmt::format("@bot{} begin", name)));
      sessions.push_back(session_of(fmt::format("bot{}", name)));
    }
    worker = start_worker("bot");
  }

  template <class List>
  auto& one_of(List& list) {
    return list[chance() % list.size()];
  }

  // A run that goes on; null if there is none.
  Json any_run() {
    std::vector<Json> all;
    for (const std::string& session : sessions) {
      const Json newest = people().get("/api/sessions/" + session + "/runs?limit=2").json();
      for (const Json& run : newest.value("data", Json::array())) {
        if (text_or(run, "status") == "running") all.push_back(run);
      }
    }
    return all.empty() ? Json() : one_of(all);
  }

  static void kill_some(const std::vector<pid_t>& pids) {
    for (const int signal : {SIGSTOP, SIGKILL}) {
      for (const pid_t pid : pids) {
        if (pid > 1) ::kill(pid, signal);
      }
    }
  }

  static pid_t below(pid_t front) {
    const auto kin = env::kin_below(front);
    return kin.empty() ? 0 : static_cast<pid_t>(kin.front().pid);
  }

  void kill_something() {
    const auto what = chance() % 10;
    if (what == 0) {
      end_hub(SIGKILL);
      start_hub();
      ++kills["hub"];
    } else if (what == 1) {
      worker->signal(SIGKILL);
      (void)worker->finish();
      worker = start_worker("bot");
      ++kills["worker"];
    } else if (const Json run = any_run(); !run.is_null()) {
      kill_some_of(run, what / 2);
    }
  }

  void kill_some_of(const Json& run, std::mt19937::result_type what) {
    const pid_t front = front_of(run);
    const pid_t keeper = below(front);
    if (keeper == 0) return;  // It has just ended.
    const std::vector<std::int64_t> agents = agents_of(text_or(run, "session_id"));
    const auto kill = [&](const char* kind, const std::vector<pid_t>& pids) {
      kill_some(pids);
      ++kills[kind];
    };
    if (what == 1) kill("front", {front});
    if (what == 2) kill("keeper", {keeper});
    if (what == 3) kill("front and keeper", {front, keeper});
    if (what == 4 && !agents.empty()) kill("agent", {static_cast<pid_t>(agents.front())});
  }

  // Never two runs' agents of one session at a time, by what the kernel says.
  void look_at_processes() {
    const std::string session = one_of(sessions);
    std::map<std::string, std::int64_t> seen;
    for (const std::int64_t pid : agents_of(session)) seen[run_of(pid)] = pid;
    seen.erase("");
    met += seen.size();
    if (seen.size() < 2) return;
    // A look takes a while: the first may have ended before the next one began.
    std::size_t still = 0;
    for (const auto& [run, pid] : seen) still += run_of(pid) == run ? 1 : 0;
    EXPECT_LT(still, 2U) << "two runs of " << session;
  }

  // What process `pid` is marked with; "" if it is gone.
  static std::string run_of(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.find(std::string("\0TYER_RUN=", 10));
    return at == std::string::npos ? "" : text.substr(at + 10, text.find('\0', at + 10) - at - 10);
  }

  // How many were written.
  std::size_t write_and_kill(Span time) {
    const env::LinuxClock clock;
    const Span began = clock.mono();
    std::size_t written = threads.size();
    Span kill_at{};
    for (Span spent{}; spent < time; spent = clock.mono() - began) {
      while (written < threads.size() + static_cast<std::size_t>(spent / comment_every)) {
        write_comment(one_of(threads), fmt::format("number {}", written++));
      }
      if (spent >= kill_at) {
        kill_something();
        kill_at = spent + 2 * kill_every * static_cast<int>(chance() % 100) / 100;
      }
      look_at_processes();
      (void)env::wait_any({}, look_every);
    }
    return written;
  }

  // What was given up: each after three runs, and not much of what was written.
  [[nodiscard]] std::size_t count_skipped(std::size_t written) const {
    std::set<std::string> skipped;
    for (const std::string& session : sessions) {
      for (const Json& item : list("/api/sessions/" + session + "/skipped")) {
        EXPECT_EQ(int_or(item, "wakes"), 3) << item;
        skipped.insert(session + text_or(item, "id"));
      }
    }
    EXPECT_LE(skipped.size(), written / 4);
    return skipped.size();
  }

  [[nodiscard]] std::string told_kills() const {
    std::string text;
    for (const auto& [kind, times] : kills) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, times);
    }
    return text;
  }

  std::mt19937 chance;
  Texts threads;
  Texts sessions;
  std::unique_ptr<Program> worker;
  std::size_t met = 0;  // Agents.
  std::map<std::string, int> kills;
};

TEST_P(WorkerChaos, LosesNothingAndAnswersNothingTwice) {
  const Span time = setting("TYER_CHAOS_SECONDS", 3) * Span(1s);
  const std::size_t written = write_and_kill(time);
  // What failed runs have left is for who looks anew.
  worker->signal(SIGKILL);
  (void)worker->finish();
  worker = start_worker("bot");
  await_nothing_pending(sessions);
  EXPECT_EQ(leave(*worker).code, 0);

  const std::size_t skipped = count_skipped(written);
  expect_all_is_well(written - skipped);
  EXPECT_GT(met, 0U);
  EXPECT_GE(written, static_cast<std::size_t>(time * 500 / 2min));
  fmt::print("{}: {} written in {} s, {} answered, {} skipped; killed: {}\n", GetParam(), written,
             time / 1s, written - skipped, skipped, told_kills());
}

INSTANTIATE_TEST_SUITE_P(, WorkerChaos, ::testing::Values("Near", "Far"),
                         [](const auto& place) { return place.param; });

// Fronts and keepers are stopped for longer than they may be silent, and continued.
class WorkerStops : public WorkerChaos {
 protected:
  WorkerStops() {
    worker->signal(SIGKILL);
    (void)worker->finish();
    environment["TYER_LEASE_SILENCE"] = "2s";
    environment["TYER_LEASE_HEARTBEAT"] = "300ms";
    worker = start_worker("bot");
    if (std::string(GetParam()) == "Far") work_place = another.path();
    second = start_worker("bot");
  }

  // Fronts and keepers of both workers, those that wait for something to do too.
  [[nodiscard]] std::vector<pid_t> keepers() const {
    std::vector<pid_t> all;
    for (const Program* each : {worker.get(), second.get()}) {
      for (const env::Kin& kin : env::kin_below(each->pid())) {
        std::ifstream file(fmt::format("/proc/{}/cmdline", kin.pid), std::ios::binary);
        const std::string words{std::istreambuf_iterator<char>(file), {}};
        if (words.contains("worker-keep")) all.push_back(static_cast<pid_t>(kin.pid));
      }
    }
    return all;
  }

  void stop_something() {
    const auto all = keepers();
    if (all.empty()) return;
    const pid_t one = one_of(all);
    stop(one);
    ++kills["one"];
    if (chance() % 3 != 0 || below(one) == 0) return;
    stop(below(one));
    ++kills["with the one below"];
  }

  void stop(pid_t pid) {
    env::Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    ::syscall(SYS_pidfd_send_signal, fd.get(), SIGSTOP, nullptr, 0);
    const Span longest = setting("TYER_CHAOS_STOP_SECONDS", 4) * Span(1s);
    const std::lock_guard lock(mutex);
    stopped.emplace_back(clock.mono() + longest * static_cast<int>(chance() % 100) / 100,
                         std::move(fd));
  }

  void go_on(bool all) {
    const std::lock_guard lock(mutex);
    std::erase_if(stopped, [&](const auto& one) {
      if (!all && clock.mono() < one.first) return false;
      ::syscall(SYS_pidfd_send_signal, one.second.get(), SIGCONT, nullptr, 0);
      return true;
    });
  }

  std::size_t write_and_stop(Span time) {
    // Not by us: who is stopped may have what we wait for.
    const std::jthread hand([this](const std::stop_token& over) {
      for (; !over.stop_requested(); (void)env::wait_any({}, look_every)) go_on(false);
      go_on(true);
    });
    const Span began = clock.mono();
    std::size_t written = threads.size();
    Span stop_at{};
    for (Span spent{}; spent < time; spent = clock.mono() - began) {
      while (written < threads.size() + static_cast<std::size_t>(spent / comment_every)) {
        write_comment(one_of(threads), fmt::format("number {}", written++));
      }
      if (spent >= stop_at) {
        stop_something();
        stop_at = spent + stop_every * static_cast<int>(50 + chance() % 100) / 100;
      }
      look_at_processes();
      (void)env::wait_any({}, look_every);
    }
    return written;
  }

  static constexpr Span stop_every = 500ms;
  const env::LinuxClock clock;
  TempDir another;
  std::unique_ptr<Program> second;
  std::mutex mutex;
  std::vector<std::pair<Span, env::Fd>> stopped;
};

TEST_P(WorkerStops, NeedNoHandAfterwards) {
  const Span time = setting("TYER_CHAOS_SECONDS", 8) * Span(1s);

  const std::size_t written = write_and_stop(time);

  await_nothing_pending(sessions);
  EXPECT_EQ(leave(*worker).code, 0);
  EXPECT_EQ(leave(*second).code, 0);
  const std::size_t skipped = count_skipped(written);
  expect_all_is_well(written - skipped);
  EXPECT_GT(met, 0U);
  fmt::print("{}: {} written in {} s, {} skipped; stopped: {}\n", GetParam(), written, time / 1s,
             skipped, told_kills());
}

INSTANTIATE_TEST_SUITE_P(, WorkerStops, ::testing::Values("Near", "Far"),
                         [](const auto& place) { return place.param; });

}  // namespace
}  // namespace tyer::testing
