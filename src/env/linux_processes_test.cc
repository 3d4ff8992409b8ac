#include "env/linux_processes.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <limits>
#include <thread>

#include "env/linux_env.h"
#include "env/wait_readable.h"

namespace tyer::env {
namespace {

using core::Holder;
using core::Liveness;
using core::Sight;

constexpr int not_possible_here = 77;

struct Table {
  LinuxEnv owner;
  Processes& processes = owner.env().processes;
  Holder self = processes.self("run");

  std::unique_ptr<Child> start(std::vector<std::string> argv) {
    Spawn spawn;
    spawn.argv = std::move(argv);
    auto child = processes.spawn(spawn);
    EXPECT_TRUE(child) << child.error().what;
    return std::move(child).value();
  }
};

int exit_code_of_fork(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(LinuxProcesses, KnowWhereTheyAre) {
  const Table table;
  const core::Place here = table.processes.here();

  EXPECT_FALSE(here.host.empty());
  EXPECT_EQ(here.boot.size(), 36U) << here.boot;
  EXPECT_EQ(here.pid_namespace.find_first_not_of("0123456789"), std::string::npos);
  EXPECT_FALSE(here.pid_namespace.empty());
}

TEST(LinuxProcesses, SeeThemselvesAlive) {
  const Table table;
  const Sight sight = table.processes.look(table.self);

  EXPECT_EQ(table.self.pid, getpid());
  EXPECT_EQ(table.self.run, "run");
  EXPECT_EQ(table.self.place, table.processes.here());
  EXPECT_GT(table.self.pid_start, 0);
  EXPECT_EQ(sight.liveness, Liveness::alive) << sight.evidence;
  EXPECT_TRUE(sight.mono_now.has_value());
}

TEST(LinuxProcesses, DescribeThemselvesAsOthersWould) {
  const Table table;

  EXPECT_EQ(table.processes.holder(getpid(), "run").value(), table.self);
}

TEST(LinuxProcesses, AreNotFooledByAReusedPid) {
  const Table table;
  Holder former = table.self;
  former.pid_start -= 1;
  const Sight sight = table.processes.look(former);

  EXPECT_EQ(sight.liveness, Liveness::gone);
  EXPECT_TRUE(sight.evidence.contains("another process")) << sight.evidence;
}

TEST(LinuxProcesses, CannotTellWithoutAStartTime) {
  const Table table;
  Holder vague = table.self;
  vague.pid_start = 0;

  EXPECT_EQ(table.processes.look(vague).liveness, Liveness::unknown);
}

TEST(LinuxProcesses, GiveUpAHolderOfAnotherBootAtOnce) {
  const Table table;
  Holder former = table.self;
  former.place.boot = "00000000-0000-0000-0000-000000000000";
  const Sight sight = table.processes.look(former);

  EXPECT_EQ(sight.liveness, Liveness::gone);
  EXPECT_FALSE(sight.mono_now.has_value());
}

TEST(LinuxProcesses, DoNotProbeAnotherHostOrNamespace) {
  const Table table;
  Holder far = table.self;
  far.place.host += "-other";
  Holder contained = table.self;
  contained.place.pid_namespace += "1";

  for (Holder* holder : {&far, &contained}) {
    EXPECT_EQ(table.processes.look(*holder).liveness, Liveness::unknown);
    // Here there is no such process, and still nothing is known.
    holder->pid = std::numeric_limits<pid_t>::max();
    EXPECT_EQ(table.processes.look(*holder).liveness, Liveness::unknown);
  }
}

TEST(LinuxProcesses, SeeAChildLiveAndBeGone) {
  Table table;
  const auto child = table.start({"sleep", "1000"});
  const Holder holder = table.processes.holder(child->pid(), "run").value();
  EXPECT_EQ(holder.pid_start, child->pid_start());
  EXPECT_EQ(table.processes.look(holder).liveness, Liveness::alive);

  ASSERT_TRUE(child->signal_group(SIGKILL));
  ASSERT_TRUE(child->wait(20s)->has_value());

  // Not reaped yet: a zombie works on nothing.
  EXPECT_EQ(table.processes.look(holder).liveness, Liveness::gone);
  EXPECT_EQ(table.processes.holder(child->pid(), "run").error().fault, Fault::not_found);
}

TEST(LinuxProcesses, SeeAReapedProcessGone) {
  const Table table;
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  Holder holder = table.self;
  holder.pid = pid;
  const Sight sight = table.processes.look(holder);

  EXPECT_EQ(sight.liveness, Liveness::gone) << sight.evidence;
}

TEST(LinuxProcesses, SeeAStoppedProcessAlive) {
  Table table;
  const auto child = table.start({"sleep", "1000"});
  ASSERT_TRUE(child->signal_group(SIGSTOP));

  const Holder holder = table.processes.holder(child->pid(), "run").value();
  EXPECT_EQ(table.processes.look(holder).liveness, Liveness::alive);
}

TEST(LinuxProcesses, TellTheEndOfAHolder) {
  Table table;
  const auto child = table.start({"sleep", "1000"});
  const Holder holder = table.processes.holder(child->pid(), "run").value();
  const auto end = table.processes.watch_end(holder);
  ASSERT_TRUE(end && end->has_value());
  EXPECT_FALSE(*wait_readable((*end)->get(), 0s));

  ASSERT_TRUE(child->signal_group(SIGKILL));

  EXPECT_TRUE(*wait_readable((*end)->get(), 20s));
}

TEST(LinuxProcesses, HaveNothingToWatchWhereNobodyIsSeen) {
  Table table;
  const auto child = table.start({"true"});
  const Holder ended{table.processes.here(), child->pid(), child->pid_start(), "run"};
  ASSERT_TRUE(child->wait(20s)->has_value());
  Holder former = table.self;
  former.pid_start -= 1;
  Holder vague = table.self;
  vague.pid_start = 0;
  Holder far = table.self;
  far.place.host += "-other";
  Holder impossible = table.self;
  impossible.pid = -1;

  for (const Holder& holder : {ended, former, vague, far, impossible}) {
    const auto end = table.processes.watch_end(holder);
    ASSERT_TRUE(end) << end.error().what;
    EXPECT_FALSE(end->has_value());
  }
}

TEST(LinuxProcesses, HaveNoHolderForAPidThatCannotBe) {
  const Table table;
  const std::int64_t wraps_to_us = (std::int64_t{1} << 32) + getpid();

  for (const std::int64_t pid : {std::int64_t{0}, std::int64_t{-1}, wraps_to_us}) {
    EXPECT_EQ(table.processes.holder(pid, "run").error().fault, Fault::not_found) << pid;
  }
  Holder holder = table.self;
  holder.pid = wraps_to_us;
  EXPECT_NE(table.processes.look(holder).liveness, Liveness::alive);
}

TEST(LinuxProcesses, TakeAProcessOfAnotherUserForAlive) {
  const Table table;
  const int code = exit_code_of_fork([&] {
    // Root may signal everybody, so it becomes nobody and looks at what is still root.
    if (geteuid() == 0 && setuid(65534) != 0) return not_possible_here;
    Holder holder = table.self;
    holder.pid = getppid();
    if (kill(getppid(), 0) == 0) holder.pid = 1;
    if (kill(static_cast<pid_t>(holder.pid), 0) == 0 || errno != EPERM) return not_possible_here;
    return table.processes.look(holder).liveness == Liveness::alive ? 0 : 1;
  });

  if (code == not_possible_here) GTEST_SKIP() << "there is no process of another user";
  EXPECT_EQ(code, 0);
}

TEST(LinuxProcesses, DoNotConvictAnybodyByTheProcOfAnotherNamespace) {
  const int code = exit_code_of_fork([] {
    if (unshare(geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWUSER | CLONE_NEWPID) != 0) {
      return not_possible_here;
    }
    return exit_code_of_fork([] {
      // We are pid 1 here, and /proc/1 is the old namespace's init.
      const LinuxClock clock;
      const LinuxProcesses processes(clock);
      const Holder self = processes.self("run");
      if (self.pid != 1 || self.pid_start == 0) return 1;
      return processes.look(self).liveness == Liveness::gone ? 2 : 0;
    });
  });

  if (code == not_possible_here) GTEST_SKIP() << "this user may not make a pid namespace";
  EXPECT_EQ(code, 0);
}

// L8: who waits for its end would wait for a long time.
TEST(LinuxProcesses, SeesThatAProcessIsGoneWhoseEndCannotBeWatched) {
  constexpr int tries = 500;
  LinuxEnv real;
  const Processes& processes = real.env().processes;
  for (int i = 0; i < tries; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::pause();
      ::_exit(0);
    }
    const core::Holder holder = *processes.holder(pid, "run");
    std::jthread end([&] {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    });
    while (processes.watch_end(holder).value_or(std::nullopt)) continue;
    ASSERT_EQ(processes.look(holder).liveness, core::Liveness::gone);
  }
}

}  // namespace
}  // namespace tyer::env
