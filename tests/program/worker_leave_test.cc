// What becomes of a run that a worker ends: because it leaves, or the session is deleted (W13,
// H14).

#include <csignal>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/forked.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

class LeavingWorker : public WorkerTest {
 protected:
  LeavingWorker() { start_hub(); }

  // One that waits for a moment where others wait for five minutes.
  [[nodiscard]] ProgramCall hasty_call() const {
    ProgramCall hasty = worker_call("bot", "--all-sessions");
    hasty.environment["TYER_WORKER_LEAVE"] = "200ms";
    return hasty;
  }
};

TEST_F(LeavingWorker, EndsItsRunsWhenItIsToldTwice) {
  make_agent("bot");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot\ndemo: daemonise\ndemo: say here\ndemo: hang");
  (void)await_run(session_of("bot"));
  worker->signal(SIGTERM);
  worker->signal(SIGINT);
  EXPECT_EQ(worker->finish().code, 0);

  EXPECT_EQ(verdicts(session_of("bot")), "lost");
  EXPECT_EQ(agents_of(session_of("bot")), std::vector<std::int64_t>());
  EXPECT_TRUE(notices(post).empty()) << "others may go on with it";
}

// W13: nobody has to come and look for what is left.
TEST_F(LeavingWorker, KillsWhatDoesNotEndWhenItIsToldTwice) {
  make_scripted("bot", "cat >/dev/null\nsetsid sleep 600 &\necho here\nsleep 600");
  const std::string bot = session_of("bot");
  const auto worker = start_worker("bot");
  (void)write_post("@bot hello");
  const Json run = await_run(bot);
  const pid_t front = front_of(run);
  const pid_t keeper = keeper_of(run);
  for (const pid_t pid : {front, keeper}) ::kill(pid, SIGSTOP);

  worker->signal(SIGTERM);
  worker->signal(SIGINT);

  EXPECT_EQ(worker->finish().code, 0);
  EXPECT_TRUE(has_ended(front));
  EXPECT_TRUE(has_ended(keeper));
  EXPECT_EQ(agents_of(bot), std::vector<std::int64_t>());
}

// W13: nobody but the worker wanted it to end.
TEST_F(LeavingWorker, LeavesToOthersWhatItCannotFinish) {
  make_scripted("bot", R"(
cat >/dev/null
echo begun >news
test -e again || { touch again; sleep 1000 & wait; exit 1; }
echo done)");
  Program leaving(hasty_call());
  const std::string post = write_post("@bot do it");
  EXPECT_EQ(news->line(), "begun");
  const auto other = start_worker("bot");

  EXPECT_EQ(leave(leaving).code, 0);

  EXPECT_EQ(news->line(), "begun");
  await_answers(post, 1);
  EXPECT_EQ(verdicts(session_of("bot")), "lost done");
  EXPECT_EQ(leave(*other).code, 0);
}

// W13: five minutes, if nobody says otherwise.
TEST_F(LeavingWorker, EndsItsRunsWhenTheyTakeTooLongForItToLeave) {
  make_agent("bot");
  Program worker(hasty_call());
  const std::string post = write_post("@bot\ndemo: daemonise\ndemo: say here\ndemo: hang");
  (void)await_run(session_of("bot"));
  EXPECT_EQ(leave(worker).code, 0);

  EXPECT_EQ(verdicts(session_of("bot")), "lost");
  EXPECT_TRUE(notices(post).empty());
  EXPECT_EQ(agents_of(session_of("bot")), std::vector<std::int64_t>());
}

// H14: the same time for a run whose session is deleted; then the tree is killed.
TEST_F(LeavingWorker, EndsTheRunOfADeletedSessionThatTakesTooLong) {
  make_scripted("bot", R"(
trap '' TERM
cat >/dev/null
echo "$TYER_SESSION" >news
test -e again || { touch again; sleep 1000 & wait; sleep 1000; }
echo done)");
  // Also if the worker that started it has died since.
  Program dead(hasty_call());
  const std::string post = write_post("@bot/short do it");
  const std::string session = news->line();
  dead.signal(SIGKILL);
  (void)dead.finish();
  Program worker(hasty_call());
  EXPECT_EQ(people().ask("DELETE", "/api/sessions/" + session).status, 204);

  // What it had to answer is the default session's now.
  EXPECT_EQ(news->line(), session_of("bot"));
  await_answers(post, 1);
  EXPECT_EQ(agents_of(session), std::vector<std::int64_t>());
  EXPECT_EQ(leave(worker).code, 0);
  expect_all_is_well(1);
}

}  // namespace
}  // namespace tyer::testing
