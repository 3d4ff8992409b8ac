#include "env/linux_launch.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/linux_child.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"
#include "support/forked.h"
#include "support/temp_dir.h"

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
    spawn.output = said.in.get();
    spawn.gate = Gate{here.get(), "go:7"};
    return spawn;
  }

  void say(std::string_view text) const {
    EXPECT_EQ(::send(there.get(), text.data(), text.size(), 0), std::ssize(text));
  }

  Fd here;
  Fd there;
  testing::Pipe said;  // By who came through.
};

TEST(LinuxLaunch, PassesAGateWhenTheWordComesAndLeavesItThere) {
  Gateway gateway;
  std::jthread porter([&] { gateway.say("now go:7!"); });

  Spawn spawn = gateway.guarded();
  const auto child = start_child(spawn);
  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ(gateway.said.line(), "in");

  std::array<char, 32> heard{};
  EXPECT_EQ(::recv(gateway.here.get(), heard.data(), heard.size(), 0), 9);
  EXPECT_EQ(std::string_view(heard.data(), 9), "now go:7!");
}

// W12
TEST(LinuxLaunch, HasBecomeTheProgramBeforeTheWordComesAndDoneNothing) {
  Gateway gateway;
  Spawn spawn = gateway.guarded();
  spawn.gate->meanwhile = [&] {
    const auto children = read_own_children().value_or(std::vector<std::int64_t>{});
    EXPECT_EQ(children.size(), 1U);
    const std::int64_t child = children.empty() ? 0 : children.front();
    std::error_code none;
    EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/exe", child), none),
              std::filesystem::canonical("/bin/sh"));
    EXPECT_EQ(read_proc_stat(child).value_or(ProcStat{}).state, 't');
    EXPECT_FALSE(wait_readable(gateway.said.out.get(), Span::zero()).value_or(true));
    gateway.say("go:7");
    return true;
  };
  const auto child = start_child(spawn);

  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ(gateway.said.line(), "in");
}

TEST(LinuxLaunch, IsNoneIfWhatComesBeforeItFails) {
  Gateway gateway;
  gateway.say("go:7");
  Spawn spawn = gateway.guarded();
  spawn.gate->meanwhile = [] { return false; };

  const auto child = start_child(spawn);

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().fault, Fault::cancelled);
  EXPECT_TRUE(read_own_children()->empty());
  EXPECT_EQ(gateway.said.rest(), "");
}

// W12: nobody is left who could be told that it runs.
TEST(LinuxLaunch, EndsWithWhoHoldsItAtItsGate) {
  Gateway gateway;
  testing::Forked keeper([&] {
    Spawn spawn = gateway.guarded();
    spawn.gate->meanwhile = [&] {
      gateway.say("go:7");
      return ::raise(SIGKILL) == 0;
    };
    return start_child(spawn) ? 0 : 1;
  });

  EXPECT_EQ(keeper.code(), 128 + SIGKILL);
  EXPECT_EQ(gateway.said.rest(), "");  // It is gone, or this would not end, and has said nothing.
}

// It is held only where that changes nothing for it.
TEST(LinuxLaunch, LetsAScriptWaitBeforeItIsRun) {
  Gateway gateway;
  const testing::TempDir dir;
  const std::string script = dir / "script";
  std::ofstream(script) << "#!/bin/sh\necho in\n";
  ASSERT_EQ(::chmod(script.c_str(), 0700), 0);
  Spawn spawn = gateway.guarded();
  spawn.argv = {script};
  spawn.gate->meanwhile = [] { return read_own_children()->empty(); };
  std::jthread porter([&] { gateway.say("go:7"); });

  const auto child = start_child(spawn);

  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ(gateway.said.line(), "in");
}

// As a container may.
void forbid_ptrace() {
  std::array filter{sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))),
                    sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1)),
                    sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)),
                    sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW))};
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST(LinuxLaunch, PassesAGateWhereItCannotBeHeld) {
  testing::in_a_copy([] {
    forbid_ptrace();
    Gateway gateway;
    gateway.say("go:7");
    Spawn spawn = gateway.guarded();
    const auto child = start_child(spawn);

    ASSERT_TRUE(child) << child.error().what;
    EXPECT_EQ(gateway.said.line(), "in");
  });
}

TEST(LinuxLaunch, MayRunWhereverWeMay) {
  Gateway gateway;
  gateway.say("go:7");
  Spawn spawn = gateway.guarded();
  spawn.argv = {"/bin/sh", "-c",
                "while read -r name value; do case $name in Cpus_allowed:) echo \"$value\";; esac; "
                "done < /proc/$$/status"};
  const auto child = start_child(spawn);

  ASSERT_TRUE(child) << child.error().what;
  const std::string its = gateway.said.line();
  std::ifstream status("/proc/thread-self/status");
  std::string ours;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Cpus_allowed:")) ours = line.substr(line.find('\t') + 1);
  }
  EXPECT_EQ(its, ours);
}

TEST(LinuxLaunch, IsNoneIfSomethingElseComesAtItsGate) {
  Gateway gateway;
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
