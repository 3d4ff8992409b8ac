// How a run is doing, told by what its processes do (W12c). Minutes of silence are made by setting
// back the time at which something was last heard.

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>

#include <gtest/gtest.h>

#include "env/linux_clock.h"
#include "env/marked.h"
#include "env/proc_stat.h"
#include "support/agent_runs.h"
#include "support/forked.h"

namespace tyer::testing {
namespace {

class AgentHealth : public AgentRunTest {
 protected:
  // A run that has said something.
  std::string start(const std::string& script) {
    const std::string id = detach("demo: say here\n" + script);
    Program following(call({"runs", "follow", id}));
    EXPECT_TRUE(following.wait_for("here"));
    return id;
  }

  void be_quiet_for(const std::string& id, Span span) const {
    const std::int64_t then = to_micros(env::LinuxClock().now() - span);
    const timespec time{.tv_sec = then / 1'000'000, .tv_nsec = then % 1'000'000 * 1'000};
    const timespec times[] = {time, time};
    const std::string path = dir / (".tyer/runs/" + id + "/output.log");
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
  }

  std::int64_t agent_of(const std::string& id) const {
    const std::vector<std::int64_t> agents = env::marked_processes("TYER_RUN=" + id);
    EXPECT_EQ(agents.size(), 1U);
    return agents.empty() ? 0 : agents.front();
  }

  void stop(const std::string& id) const {
    EXPECT_EQ(tyer("runs stop " + id).code, 0);
    EXPECT_EQ(follow(id).code, 130);
  }
};

TEST_F(AgentHealth, OfOneThatJustSpokeIsAlive) {
  const std::string id = start("demo: hang");

  EXPECT_EQ(shown(id, "health"), "alive");
  EXPECT_TRUE(shown(id, "evidence").contains("1 process, ")) << shown(id, "evidence");
  stop(id);
  EXPECT_EQ(shown(id, "health"), "gone");
  expect_nothing_is_left();
}

TEST_F(AgentHealth, OfOneAtWorkIsBusyHoweverLongItIsSilent) {
  const std::string id = start("demo: busy 60");
  for (const Span silence : {Span(1min), Span(10min), Span(5h)}) {
    be_quiet_for(id, silence);
    EXPECT_EQ(shown(id, "health"), "busy") << describe_span(silence);
  }
  EXPECT_TRUE(shown(id, "evidence").contains("ms of a processor")) << shown(id, "evidence");
  EXPECT_EQ(verdicts(), "open");
  stop(id);
  expect_nothing_is_left();
}

// One that waits for itself looks like one that waits for a model, until it takes too long.
TEST_F(AgentHealth, OfADeadlockedOneIsHungInTheEndAndItIsNotKilledForIt) {
  const std::string id = start("demo: hang");
  be_quiet_for(id, 1min);
  EXPECT_EQ(shown(id, "health"), "waiting");
  be_quiet_for(id, 3min);
  EXPECT_EQ(shown(id, "health"), "silent");
  be_quiet_for(id, 11min);
  EXPECT_EQ(shown(id, "health"), "hung");
  EXPECT_EQ(shown(id, "evidence"), "1 process, no output for 11 min, nothing used");

  EXPECT_EQ(verdicts(), "open");
  stop(id);
  expect_nothing_is_left();
}

TEST_F(AgentHealth, OfOneStoppedByASignalIsHungAtOnceAndItCanBeEnded) {
  be_impatient();
  const std::string id = start("demo: hang");
  const std::int64_t agent = agent_of(id);
  ASSERT_GT(agent, 1);
  ::kill(static_cast<pid_t>(agent), SIGSTOP);
  // Until the kernel has got round to it.
  const Time until = env::LinuxClock().now() + give_up_after;
  while (env::read_proc_stat(agent).value_or(env::ProcStat{}).state != 'T') {
    ASSERT_LT(env::LinuxClock().now(), until);
  }

  EXPECT_EQ(shown(id, "health"), "hung");
  EXPECT_EQ(shown(id, "evidence"), "1 process, stopped by a signal");
  EXPECT_TRUE(tyer("runs list").out.contains("hung"));
  stop(id);
  expect_nothing_is_left();
}

}  // namespace
}  // namespace tyer::testing
