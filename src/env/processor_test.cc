#include "env/processor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "env/fd.h"
#include "env/limits.h"
#include "env/sched_attr.h"

namespace tyer::env {
namespace {

cpu_set_t processors_of(pid_t pid = 0) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(pid, sizeof set, &set), 0);
  return set;
}

// A connection of this machine with itself.
struct Loopback {
  Loopback() {
    const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), any, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), any, &size), 0);
    here = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(here.get(), any, size), 0);
    there = Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

  void say() const { EXPECT_EQ(::send(there.get(), "!", 1, 0), 1); }

  Fd here;
  Fd there;
};

TEST(Processor, MayBeAnyOfOursAfterSteppingAside) {
  const cpu_set_t before = processors_of();
  step_aside();
  const cpu_set_t after = processors_of();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Processor, IsOneForUsAndWhomWeStartUntilTheyAreReleased) {
  const cpu_set_t before = processors_of();
  pid_t child = 0;
  {
    const OnOneProcessor here;
    const cpu_set_t one = processors_of();
    EXPECT_EQ(CPU_COUNT(&one), 1);
    child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    cpu_set_t its = processors_of(child);
    EXPECT_TRUE(CPU_EQUAL(&one, &its));
    here.release(child);
    its = processors_of(child);
    EXPECT_TRUE(CPU_EQUAL(&before, &its));
  }
  const cpu_set_t after = processors_of();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(Processor, IsWhereASenderOfThisMachineWas) {
  const OnOneProcessor here;
  const Loopback connection;
  connection.say();
  EXPECT_TRUE(was_sent_from_here(connection.here.get()));

  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Fd one(ends[0]);
  const Fd other(ends[1]);
  EXPECT_EQ(::send(other.get(), "!", 1, 0), 1);
  EXPECT_FALSE(was_sent_from_here(one.get()));
}

TEST(Processor, IsNotWhereASenderWasWhoIsElsewhere) {
  cpu_set_t all = processors_of();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one processor only";
  const Loopback connection;
  const OnOneProcessor here;
  std::jthread([&] {
    CPU_CLR(static_cast<std::size_t>(::sched_getcpu()), &all);
    ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
    connection.say();
  }).join();
  EXPECT_FALSE(was_sent_from_here(connection.here.get()));
}

SchedAttr attributes_of(pid_t pid = 0) {
  SchedAttr its{};
  EXPECT_TRUE(get_attr(its, pid));
  return its;
}

// A thread of its own: there is no way back.
TEST(Processor, IsGivenSoonToWhoIsPromptAndToNobodyItStarts) {
  std::jthread([] {
    const SchedAttr before = attributes_of();
    be_prompt();
    const SchedAttr after = attributes_of();
    EXPECT_EQ(after.policy, before.policy);
    EXPECT_EQ(after.nice, before.nice);
    if (before.runtime == 0) GTEST_SKIP() << "this kernel has one turn for all";
    EXPECT_LT(after.runtime, before.runtime);

    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    EXPECT_EQ(attributes_of(child).runtime, before.runtime);
    ::kill(child, SIGKILL);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  }).join();
}

TEST(Processor, IsNotQuietWhileManyRun) {
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> busy;
  std::atomic<int> begun = 0;
  for (int i = 0; i < limits::quiet_threads_max + 1; ++i) {
    busy.emplace_back([&] {
      ++begun;
      while (!is_over) continue;
    });
  }
  while (begun < limits::quiet_threads_max + 1) ::sched_yield();
  EXPECT_FALSE(is_quiet());
  is_over = true;
}

}  // namespace
}  // namespace tyer::env
