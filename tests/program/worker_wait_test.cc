// A session whose service asked to be called later: when it goes on, and what there is to be seen
// of it meanwhile (W4, H3).

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "program/clocks.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

class WorkerWait : public WorkerTest {
 protected:
  // An agent whose service says this until there is a file `up`.
  void start(const std::string& answer) {
    start_hub();
    agent = make_scripted("bot",
                          fmt::format("cat >/dev/null\ntest -e up && exec echo fine\n{}", answer));
    session = session_of("bot");
    worker = start_worker("bot");
  }

  // For hub and worker.
  void pass(Span time) {
    EXPECT_EQ(leave(*worker).code, 0);
    end_hub(SIGTERM);
    ahead += time;
    set_clocks_ahead(environment, ahead);
    start_hub();
    worker = start_worker("bot");
  }

  void await_runs(const std::string& wanted) const {
    await(wanted, [&] { return verdicts(session) == wanted; });
  }

  // For how long it waits since its last run; none: it does not.
  [[nodiscard]] Span wait() const {
    const auto until = parse_time(people().get("/api/sessions/" + session).text("not_before"));
    const auto since = parse_time(text_or(runs(session).back(), "ended_at"));
    return until && since ? *until - *since : Span::zero();
  }

  [[nodiscard]] std::string state() const {
    return people().get("/api/agents/" + agent).text("state");
  }

  std::string agent;
  std::string session;
  std::unique_ptr<Program> worker;
  Span ahead{};
};

TEST_F(WorkerWait, GrowsIfItsServiceDoesNotSayForHowLongAndEnds) {
  if (TYER_FAKE_CLOCKS == 0) GTEST_SKIP() << "clocks cannot be set here";
  start("echo overloaded >&2\nexit 75");
  const std::string post = write_post("@bot hello");
  await_runs("later");
  EXPECT_EQ(wait(), Span(30s));
  const Texts told = notices(post);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].starts_with("it goes on at ")) << told[0];

  pass(31s);
  await_runs("later later");
  EXPECT_EQ(wait(), Span(1min));
  EXPECT_EQ(notices(post), told) << "it is said once";
  EXPECT_EQ(state(), "waiting");

  write_file("up", "");
  pass(61s);
  await_answers(post, 1);
  EXPECT_EQ(verdicts(session), "later later done");
  EXPECT_EQ(wait(), Span::zero());
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(1);
}

TEST_F(WorkerWait, IsSeenAndOverWhenSomebodyHasItTriedAgain) {
  start(R"(echo '{"status":"later","error":"too many requests","retry_after":3600}')");
  const std::string post = write_post("@bot hello");
  await_runs("later");
  EXPECT_EQ(state(), "waiting");
  const std::string why = people().get("/api/agents/" + agent).text("state_why");
  EXPECT_TRUE(why.starts_with("its session default waits for its service until 2")) << why;
  const Reply refused = people().post("/api/sessions/" + session + "/runs",
                                      {{"run", "01a1e16b-1e03-70bc-aaf2-08e8ae144b89"}});
  EXPECT_EQ(refused.json()["put_off"], true) << "and not for want of a budget";

  write_file("up", "");
  environment["TYER_URL"] = url();
  EXPECT_TRUE(tyer("agent list").out.contains("  waiting  "));
  const ProgramResult retried = tyer({"feed", "retry", post, session});
  EXPECT_EQ(retried.code, 0) << retried.err;

  await_answers(post, 1);
  EXPECT_EQ(state(), "idle");
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(1);
}

}  // namespace
}  // namespace tyer::testing
