#include "env/linux_launch.h"

#include <sys/socket.h>

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "env/linux_child.h"
#include "env/proc_stat.h"
#include "support/forked.h"

namespace tyer::env {
namespace {

// A gate, and who stands behind it.
struct Gateway {
  Gateway() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    here = Fd(ends[0]);
    there = Fd(ends[1]);
  }

  Spawn guarded() const {
    Spawn spawn{.argv = {"/bin/sh", "-c", "echo in"}};
    spawn.gate = Gate{here.get(), "go:7"};
    return spawn;
  }

  void say(std::string_view text) const {
    EXPECT_EQ(::send(there.get(), text.data(), text.size(), 0), std::ssize(text));
  }

  Fd here;
  Fd there;
};

TEST(LinuxLaunch, PassesAGateWhenTheWordComesAndLeavesItThere) {
  const Gateway gateway;
  std::jthread porter([&] { gateway.say("now go:7!"); });

  testing::Pipe pipe;
  Spawn spawn = gateway.guarded();
  spawn.output = pipe.in.get();
  const auto child = start_child(spawn);
  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ(pipe.line(), "in");

  std::array<char, 32> heard{};
  EXPECT_EQ(::recv(gateway.here.get(), heard.data(), heard.size(), 0), 9);
  EXPECT_EQ(std::string_view(heard.data(), 9), "now go:7!");
}

TEST(LinuxLaunch, IsNoneIfSomethingElseComesAtItsGate) {
  const Gateway gateway;
  gateway.say("go:8");

  const auto child = start_child(gateway.guarded());

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().fault, Fault::cancelled);
  EXPECT_TRUE(read_own_children()->empty());
}

TEST(LinuxLaunch, IsNoneIfItsGateEnds) {
  Gateway gateway;
  gateway.there = Fd();

  const auto child = start_child(gateway.guarded());

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().fault, Fault::cancelled);
}

}  // namespace
}  // namespace tyer::env
