// Nothing that was written is lost because a worker or the hub was away, and nothing is answered
// twice (W11, W12). TYER_CHAOS_AWAY_SECONDS says for how long the hub is, if not for as long as a
// start takes.

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/wait_readable.h"
#include "program/clocks.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

class WorkerAway : public WorkerTest {
 protected:
  // The first run waits to be let go, the others do not.
  void start() {
    start_hub();
    make_scripted("bot", R"(
cat >/dev/null
test -e open && exec echo done
echo here >news
read -r word <gate
echo done)");
    bot = session_of("bot");
    worker = start_worker("bot");
    post = write_post("a thread");
    write("first");
    EXPECT_EQ(news->line(), "here");
    write_file("open", "");
  }

  void write(const std::string& text) { written.push_back(write_comment(post, "@bot " + text)); }
  void write_some(int count) {
    for (int i = 0; i < count; ++i) write(fmt::format("number {}", written.size()));
  }

  std::string bot;
  std::string post;
  std::unique_ptr<Program> worker;
  Texts written;
};

// What becomes of the worker that goes, its run's front and its keeper.
class WorkerAwayForAnHour : public WorkerAway, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] bool is_frozen() const { return std::string(GetParam()) == "Frozen"; }

  void go_away() {
    end_hub(SIGTERM);
    if (is_frozen()) {
      for (const pid_t pid : gone) ::kill(pid, SIGSTOP);
    } else {
      kill_together(gone);
    }
  }

  std::vector<pid_t> gone;
};

TEST_P(WorkerAwayForAnHour, BeginsWithTheOldestAndAnswersAllOnce) {
  if (TYER_FAKE_CLOCKS == 0) GTEST_SKIP() << "clocks cannot be set here";
  start();
  const Json run = running(bot);
  gone = is_frozen() ? stop_worker(*worker, bot)
                     : std::vector<pid_t>{worker->pid(), front_of(run), keeper_of(run)};
  write_some(3);
  go_away();
  for (const Span passed : {20min, 40min, 60min}) {
    set_clocks_ahead(environment, passed);
    start_hub();
    write_some(10);
    if (passed < 60min) end_hub(SIGTERM);
  }
  const TempDir another;
  if (is_frozen()) work_place = another.path();
  const auto next = start_worker("bot");
  // A hub that was away itself believes a silence only after a while.
  await("that the run is lost", [&] { return verdicts(bot).starts_with("lost"); });
  await_nothing_pending({bot});

  EXPECT_EQ(handled(bot), written);
  const std::vector<Json> all = runs(bot);
  EXPECT_EQ(text_or(all.at(0), "verdict"), "lost");
  const auto left = parse_time(text_or(all.at(0), "started_at"));
  const auto back = parse_time(text_or(all.at(1), "started_at"));
  ASSERT_TRUE(left && back);
  EXPECT_GE(*back - *left, Span(1h));
  // One that comes back after all has nothing to say any more.
  if (is_frozen()) {
    for (const pid_t pid : gone) ::kill(pid, SIGCONT);
    gate->put("go");
    EXPECT_EQ(leave(*worker).code, 0);
  }
  EXPECT_EQ(leave(*next).code, 0);
  expect_all_is_well(written.size());
}

INSTANTIATE_TEST_SUITE_P(, WorkerAwayForAnHour, ::testing::Values("Killed", "Frozen"),
                         [](const auto& how) { return how.param; });

struct Restart {
  const char* name;
  bool is_near;  // Workers share the hub's store.
  int signal;
};

class HubAway : public WorkerAway, public ::testing::WithParamInterface<Restart> {
 protected:
  HubAway() {
    if (GetParam().is_near) work_place = dir.path();
  }

  // It is the worker that has to live on meanwhile.
  void stay_away() const {
    const char* text = std::getenv("TYER_CHAOS_AWAY_SECONDS");
    const Span away = text == nullptr ? Span::zero() : std::atoi(text) * Span(1s);
    const env::Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, worker->pid(), 0)));
    EXPECT_FALSE(env::wait_readable(ended.get(), away).value_or(true));
  }
};

TEST_P(HubAway, LosesNoTrigger) {
  start();
  const std::string other = write_post("@bot/idle a thread of somebody who has nothing to do");
  const std::string idle = session_of("bot/idle");
  Texts theirs{other};
  await_nothing_pending({idle});
  // Written and not yet heard of, when it goes.
  write_some(3);
  theirs.push_back(write_comment(other, "and that"));
  end_hub(GetParam().signal);
  // What is written on the store itself, while it is away, and what comes of the run.
  for (int i = 0; i < 3; ++i) {
    const ProgramResult made = tyer({"feed", "comment", post, "@bot from the shell"});
    EXPECT_EQ(made.code, 0) << made.err;
    written.push_back(made.out.substr(0, made.out.find('\n')));
  }
  gate->put("go");
  stay_away();
  start_hub();
  // Before anybody is back.
  write_some(3);
  theirs.push_back(write_comment(other, "and this"));
  await_nothing_pending({bot, idle});

  EXPECT_EQ(handled(bot), written);
  EXPECT_EQ(handled(idle), theirs);
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(written.size() + theirs.size());
}

INSTANTIATE_TEST_SUITE_P(, HubAway,
                         ::testing::Values(Restart{"AskedByOneNear", true, SIGTERM},
                                           Restart{"KilledFarAway", false, SIGKILL}),
                         [](const auto& restart) { return restart.param.name; });

}  // namespace
}  // namespace tyer::testing
