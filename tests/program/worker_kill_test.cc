// Whoever around a session's run is killed, what was written is answered, once (W10, W11, W12).

#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/forked.h"
#include "support/other_user.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

// Whether workers share the hub's store, or have one of their own as on another machine.
class WorkerKill : public WorkerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  WorkerKill() {
    if (std::string(GetParam()) == "Near") work_place = dir.path();
    start_hub();
    make_scripted("bot", R"(
cat >/dev/null
setsid sleep 600 &
echo here
read -r word <gate
echo "{\"result\":\"$word\"}")");
    bot = session_of("bot");
    worker = start_worker("bot");
    post = write_post("@bot hello");
    run = await_run(bot);
  }

  // The next run is let go, and everything is as if nothing had happened.
  void expect_answer(const std::string& verdicts_wanted) {
    // What is left of one that was lost is gone before the next one speaks.
    (void)await_run(bot);
    gate->put("fine");
    await_answers(post, 1);
    EXPECT_EQ(answers(post), Texts{"fine"});
    EXPECT_EQ(verdicts(bot), verdicts_wanted);
    write_comment(post, "and now?");
    gate->put("still fine");
    await_answers(post, 2);
    EXPECT_EQ(answers(post), (Texts{"fine", "still fine"}));
    EXPECT_EQ(leave(*worker).code, 0);
    expect_all_is_well(2);
  }

  void await_lost() const {
    await("that it is lost", [&] { return verdicts(bot).starts_with("lost"); });
  }

  void kill_worker() const {
    worker->signal(SIGKILL);
    (void)worker->finish();
  }

  std::string bot;
  std::unique_ptr<Program> worker;
  std::string post;
  Json run;
};

TEST_P(WorkerKill, OfTheWorkerLeavesItsRunAlone) {
  kill_worker();
  worker = start_worker("bot");
  expect_answer("done");
}

TEST_P(WorkerKill, OfTheWorkerIsNoMatterIfItComesBackLater) {
  kill_worker();
  gate->put("fine");
  await_answers(post, 1);
  write_comment(post, "and now?");
  gate->put("still fine");
  worker = start_worker("bot");
  await_answers(post, 2);
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(2);
}

TEST_P(WorkerKill, OfTheKeeperHasItTriedAgain) {
  kill_together({keeper_of(run)});
  await_lost();
  expect_answer("lost done");
}

TEST_P(WorkerKill, OfTheFrontHasItTriedAgain) {
  kill_together({front_of(run)});
  await_lost();
  expect_answer("lost done");
}

TEST_P(WorkerKill, OfFrontAndKeeperHasItTriedAgain) {
  kill_together({front_of(run), keeper_of(run)});
  await_lost();
  expect_answer("lost done");
}

TEST_P(WorkerKill, OfAllThreeIsFoundByTheNextWorker) {
  // Those that wait for something to do would look what is left before they do.
  kill_together(stop_worker(*worker, bot));
  (void)worker->finish();
  await_lost();
  EXPECT_FALSE(agents_of(bot).empty());
  worker = start_worker("bot");
  expect_answer("lost done");
}

TEST_P(WorkerKill, OfTheAgentHasItTriedAgainByItsKeeper) {
  const auto agents = agents_of(bot);
  ASSERT_FALSE(agents.empty());
  // The shell that is the agent; what it has left is ended with it.
  kill_together({static_cast<pid_t>(agents.front())});
  expect_answer("done");
}

TEST_P(WorkerKill, OfTheHubLosesNothing) {
  end_hub(SIGKILL);
  gate->put("fine");
  start_hub();
  await_answers(post, 1);
  write_comment(post, "and now?");
  gate->put("still fine");
  await_answers(post, 2);

  EXPECT_EQ(answers(post), (Texts{"fine", "still fine"}));
  EXPECT_EQ(verdicts(bot), "done done");
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(2);
}

TEST_P(WorkerKill, OfHubAndKeeperTogetherLosesNothing) {
  const pid_t keeper = keeper_of(run);
  end_hub(SIGKILL);
  kill_together({front_of(run), keeper});
  start_hub();
  await_lost();
  expect_answer("lost done");
}

INSTANTIATE_TEST_SUITE_P(, WorkerKill, ::testing::Values("Near", "Far"),
                         [](const auto& place) { return place.param; });

struct Takeover {
  const char* name;
  bool is_killed;  // Else its worker, front and keeper are stopped.
  bool is_near;    // Workers share the hub's store; else each has one of its own.
  // Workers are not root's: what hides from its user is found all the same.
  bool is_others = false;
};

// Another worker on the same machine takes a session whose agent lives on.
class WorkerTakeover : public WorkerTest, public ::testing::WithParamInterface<Takeover> {
 protected:
  WorkerTakeover() {
    environment["TYER_LEASE_SILENCE"] = "3s";
    environment["TYER_LEASE_HEARTBEAT"] = "500ms";
    if (GetParam().is_near) work_place = dir.path();
    if (GetParam().is_others) OtherUser::give(dir.path());
    start_hub();
    // What a run leaves has the lock as well.
    make_scripted("bot", R"(
cat >/dev/null
exec 9>busy
flock -n 9 || echo "two at once" >>wrong
setsid sleep 600 &
echo here
read -r word <gate
echo "{\"result\":\"$word\"}")");
  }

  [[nodiscard]] std::unique_ptr<Program> start() const {
    if (!GetParam().is_others) return start_worker("bot");
    for (const std::string& place : {work_place, home.path()}) OtherUser::give(place);
    return std::make_unique<Program>(other.call(worker_call("bot", "--all-sessions")));
  }

  const OtherUser other;
};

TEST_P(WorkerTakeover, NeverMeetsTheAgentBefore) {
  const std::string bot = session_of("bot");
  const auto worker = start();
  const std::string post = write_post("@bot hello");
  const Json run = await_run(bot);
  const std::vector<pid_t> guards{front_of(run), keeper_of(run)};
  const std::vector<pid_t> gone = stop_worker(*worker, bot);
  if (GetParam().is_killed) {
    kill_together(gone);
    (void)worker->finish();
  } else {
    for (const pid_t pid : gone) ::kill(pid, SIGSTOP);
  }
  EXPECT_FALSE(agents_of(bot).empty());
  const TempDir another;
  if (!GetParam().is_near) work_place = another.path();

  const auto next = start();
  await("that it is lost", [&] { return verdicts(bot).starts_with("lost"); });
  (void)await_run(bot);
  gate->put("fine");
  await_answers(post, 1);

  EXPECT_EQ(answers(post), Texts{"fine"});
  EXPECT_EQ(read_file("wrong"), "");
  for (const pid_t pid : guards) EXPECT_TRUE(has_ended(pid));
  if (!GetParam().is_killed) {
    for (const pid_t pid : gone) ::kill(pid, SIGCONT);
    EXPECT_EQ(leave(*worker).code, 0);
  }
  EXPECT_EQ(leave(*next).code, 0);
  expect_all_is_well(1);
}

INSTANTIATE_TEST_SUITE_P(
    , WorkerTakeover,
    ::testing::Values(Takeover{"OfOneKilled", true, false}, Takeover{"OfOneStopped", false, false},
                      Takeover{"OfOneStoppedNear", false, true},
                      Takeover{"OfOneStoppedOfAnotherUser", false, false, true}),
    [](const auto& takeover) { return takeover.param.name; });

}  // namespace
}  // namespace tyer::testing
