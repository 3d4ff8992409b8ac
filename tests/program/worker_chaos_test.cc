// Everything that can be killed is, at random, while people write. TYER_CHAOS_SECONDS says for how
// long, TYER_CHAOS_SEED which chance.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/kin.h"
#include "env/linux_clock.h"
#include "env/marked.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

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

  // A run that goes on; null if there is none of the session that chance has taken.
  Json any_run() { return running(one_of(sessions)); }

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
    const unsigned what = chance() % 16;
    if (what == 0) {
      end_hub(SIGKILL);
      start_hub();
    } else if (what == 1) {
      worker->signal(SIGKILL);
      (void)worker->finish();
      worker = start_worker("bot");
    } else if (const Json run = any_run(); !run.is_null()) {
      const pid_t front = front_of(run);
      const pid_t keeper = below(front);
      const std::vector<std::int64_t> agents = agents_of(text_or(run, "session_id"));
      if (what == 2) kill_some({front});
      if (what == 3) kill_some({keeper});
      if (what == 4) kill_some({front, keeper});
      if (what == 5 && !agents.empty()) kill_some({static_cast<pid_t>(agents.front())});
    }
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

  std::mt19937 chance;
  Texts threads;
  Texts sessions;
  std::unique_ptr<Program> worker;
  std::size_t met = 0;  // Agents.
};

TEST_P(WorkerChaos, LosesNothingAndAnswersNothingTwice) {
  // Half of it for each place.
  const Span until = env::LinuxClock().mono() + setting("TYER_CHAOS_SECONDS", 6) * Span(1s) / 2;
  std::size_t written = threads.size();
  while (env::LinuxClock().mono() < until) {
    if (chance() % 8 == 0) {
      write_comment(one_of(threads), fmt::format("number {}", written++));
    }
    kill_something();
    look_at_processes();
  }
  // What failed runs have left is for who looks anew.
  worker->signal(SIGKILL);
  (void)worker->finish();
  worker = start_worker("bot");
  await("that nothing is pending", [&] {
    return std::ranges::all_of(sessions, [&](const std::string& session) {
      return list("/api/sessions/" + session + "/pending").empty();
    });
  });
  EXPECT_EQ(leave(*worker).code, 0);

  std::set<std::string> skipped;
  for (const std::string& session : sessions) {
    for (const Json& item : list("/api/sessions/" + session + "/skipped")) {
      EXPECT_EQ(int_or(item, "wakes"), 3) << item;
      skipped.insert(session + text_or(item, "id"));
    }
  }
  expect_all_is_well(written - skipped.size());
  EXPECT_GT(met, 0U);
  RecordProperty("written", std::to_string(written));
  RecordProperty("skipped", std::to_string(skipped.size()));
}

INSTANTIATE_TEST_SUITE_P(, WorkerChaos, ::testing::Values("Near", "Far"),
                         [](const auto& place) { return place.param; });

}  // namespace
}  // namespace tyer::testing
