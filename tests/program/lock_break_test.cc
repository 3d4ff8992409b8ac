// Locks that are taken from a `tyer run` that ends with them: nobody gets one before that is gone,
// whoever breaks it from wherever, and however many at once.

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/locks.h"

namespace tyer::testing {
namespace {

class LockBreak : public LockProgramTest {
 protected:
  // Says that it is to end, and ends when it is told to go.
  const std::string victim =
      "exec 9>heard; echo $$ >pid; trap 'echo told >&9' TERM; echo ready; until read x <go; do :; "
      "done; echo victim >>story";
  [[nodiscard]] static std::string holder_of(const ProgramResult& broken) {
    return text_or(parse_json(broken.out).value_or(Json::object()), "holder");
  }

  Fifo heard{dir / "heard"};
};

TEST_F(LockBreak, KeepsOthersOutAlsoIfWhoBreaksItIsKilled) {
  Program holder(call({"run", "K", "--", "sh", "-c", victim}));
  ASSERT_TRUE(holder.wait_for("ready"));
  Program breaker(call({"lock", "break", "K", "--yes"}));
  EXPECT_EQ(heard.line(), "told");

  breaker.signal(SIGKILL);
  (void)breaker.finish();

  EXPECT_EQ(tyer("lock acquire K --no-keeper").code, 1);
  tell_go();
  EXPECT_EQ(holder.finish().code, 4);
  EXPECT_EQ(tyer("lock acquire K --no-keeper --wait 1m").code, 0);
}

// Each victim learns of its loss through the hub that waits for its end.
TEST_F(LockBreak, IsToldToManyAtOnceThroughAHub) {
  start_hub();
  constexpr int many = 10;
  std::vector<std::unique_ptr<Program>> holders;
  std::vector<std::unique_ptr<Program>> breakers;
  for (int i = 0; i < many; ++i) {
    holders.push_back(
        std::make_unique<Program>(call({"run", fmt::format("K{}", i), "--", "sh", "-c", victim})));
    ASSERT_TRUE(holders.back()->wait_for("ready"));
  }

  for (int i = 0; i < many; ++i) {
    breakers.push_back(std::make_unique<Program>(
        call({"lock", "break", fmt::format("K{}", i), "--yes", "--json"})));
  }
  for (int i = 0; i < many; ++i) EXPECT_EQ(heard.line(), "told");
  for (int i = 0; i < many; ++i) tell_go();

  std::map<std::string, int> answers;
  for (const auto& breaker : breakers) ++answers[holder_of(breaker->finish())];
  EXPECT_GE(answers["ended"], 1);
  EXPECT_EQ(answers["ended"] + answers["ending"], many);
  for (const auto& holder : holders) EXPECT_EQ(holder->finish().code, 4);
}

// The holder's machine is not the hub's. It would learn of its loss by its next heartbeat.
class LockBreakElsewhere : public LockBreak {
 protected:
  LockBreakElsewhere() {
    start_hub();
    environment["VICTIM"] = victim;
    environment["TYER_LEASE_HEARTBEAT"] = "10m";
    environment["TYER_LEASE_SILENCE"] = "1h";
  }

  [[nodiscard]] ProgramCall there(const std::string& script) const {
    ProgramCall wanted = call({"--uts", "sh", "-c", "hostname elsewhere && exec " + script});
    wanted.program = "unshare";
    return wanted;
  }
};

TEST_F(LockBreakElsewhere, EndsAHolderBesideWhoBreaksIt) {
  Program holder(there("$TYER run K -- sh -c \"$VICTIM\""));
  ASSERT_TRUE(holder.wait_for("ready"));
  Program follower(follow());
  Program waiter(call({"run", "K", "--wait", "1m", "--owner", "next", "--", "sh", "-c",
                       "kill -0 $(cat pid) 2>/dev/null && echo beside; echo next >>story"}));
  ASSERT_TRUE(is_queued(follower, "next"));

  Program breaker(there("$TYER lock break K --yes --json"));
  EXPECT_EQ(heard.line(), "told");
  tell_go();

  EXPECT_EQ(holder_of(breaker.finish()), "ended");
  EXPECT_EQ(waiter.finish().out, "");
  EXPECT_EQ(holder.finish().code, 4);
  EXPECT_EQ(read_file("story"), "victim\nnext\n");
}

TEST_F(LockBreakElsewhere, TellsAHolderBesideWhoReleasesItsLock) {
  Program holder(there("$TYER run K -- sh -c 'echo ready; exec tail -f /dev/null'"));
  ASSERT_TRUE(holder.wait_for("ready"));

  EXPECT_EQ(run_program(there("$TYER lock release K --session " + lease("sessionId"))).code, 0);

  EXPECT_EQ(holder.finish().code, 4);
}

}  // namespace
}  // namespace tyer::testing
