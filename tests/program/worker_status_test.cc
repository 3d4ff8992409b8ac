// What people see who start a worker on a terminal (W16).

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/screen.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

class WorkerStatus : public WorkerTest {
 protected:
  // Works until it is let go.
  static constexpr const char* gated =
      "cat >/dev/null\necho here >news\nread -r word <gate\necho ok";

  Screen screen{70, 24};
};

TEST_F(WorkerStatus, ShowsWhatASessionWorksOnForAsLongAsItDoes) {
  start_hub();
  make_scripted("bot", gated);
  ProgramCall seen = worker_call("bot", "--all-sessions");
  seen.out_to = screen.path();
  Program worker(seen);
  const std::string post = write_post("have a look");
  write_comment(post, "@bot/schema please\nadd it, 빨리 " + std::string(100, 'x'));
  EXPECT_EQ(news->line(), "here");

  const std::string shown = screen.until("running");
  EXPECT_TRUE(shown.contains("session     state     working on  last result")) << shown;
  EXPECT_TRUE(shown.contains("bot/schema  starting")) << shown;
  // As much of it as fits into the line, and nothing that would leave it.
  EXPECT_EQ(screen.until("…"), "  @bot/schema please add it, 빨리 xx…");
  gate->put("go");
  await_answers(post, 1);
  screen.until("bot/schema  idle" + std::string(15, ' ') + "done");
  EXPECT_EQ(leave(worker).code, 0);
  expect_all_is_well(1);
}

// The terminal has broken the first of the two lines in two.
TEST_F(WorkerStatus, PaintsOverItselfOnATerminalThatBecameNarrower) {
  start_hub();
  make_scripted("bot", gated);
  ProgramCall seen = worker_call("bot", "");
  seen.out_to = screen.path();
  Program worker(seen);
  const std::string post = write_post("@bot please");
  EXPECT_EQ(news->line(), "here");
  (void)screen.until("running");
  (void)screen.until("\x1b[J");

  screen.resize(40, 24);
  gate->put("go");

  (void)screen.until("\r\x1b[3A");
  await_answers(post, 1);
  EXPECT_EQ(leave(worker).code, 0);
}

TEST_F(WorkerStatus, SaysWhatItWaitsForWhenItIsToldToLeave) {
  start_hub();
  make_scripted("bot", gated);
  ProgramCall seen = worker_call("bot", "");
  seen.out_to = screen.path();
  Program worker(seen);
  const std::string post = write_post("@bot please");
  EXPECT_EQ(news->line(), "here");
  screen.until("running");

  worker.signal(SIGINT);

  screen.until("Leaving: 1 run finishes first, at most 5m. Ctrl+C again ends it now.");
  EXPECT_TRUE(screen.until("running").contains("session")) << "the table is gone";
  gate->put("go");
  EXPECT_EQ(worker.finish().code, 0);
  EXPECT_EQ(answers(post).size(), 1U);
}

TEST_F(WorkerStatus, SaysThatTheHubIsBack) {
  start_hub();
  make_agent("bot");
  ProgramCall seen = worker_call("bot", "");
  seen.out_to = screen.path();
  seen.err_to = screen.path();
  Program worker(seen);
  await_answers(write_post("@bot please"), 1);

  end_hub(SIGKILL);
  screen.until("no hub");
  start_hub();

  screen.until("The hub is back.");
  EXPECT_EQ(leave(worker).code, 0);
}

TEST_F(WorkerStatus, OfUpIsBelowWhereItIs) {
  ProgramCall seen = call(split_words("up --open-loopback --listen 127.0.0.1:0"));
  seen.out_to = screen.path();
  Program up(seen);
  screen.until("Tyer is at ");
  const std::string line = screen.until("\r\n");
  Visitor people(line.substr(0, line.size() - 2));
  screen.until("Ctrl+C");
  const std::string feed = text_or(people.get("/api/feeds").json()["data"][0], "id");
  people.make("/api/feeds/" + feed + "/posts",
              {{"title", "Water the plants"}, {"content", "@demo\ndemo: hang"}});

  screen.until("demo/default  running  Water the plants");
  up.signal(SIGINT);
  up.signal(SIGTERM);
  EXPECT_EQ(up.finish().code, 0);
}

}  // namespace
}  // namespace tyer::testing
