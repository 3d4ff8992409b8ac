#include "env/linux_hold.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/hidden.h"
#include "env/linux_child.h"
#include "env/proc_stat.h"
#include "env/wait_readable.h"
#include "support/forked.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

constexpr Span long_enough = 20s;  // A test that passes never waits it out.

// A program that says something at once.
struct Speaker {
  Spawn spawn() const {
    Spawn spawn{.argv = {"/bin/sh", "-c", "echo in"}};
    spawn.output = said.in.get();
    return spawn;
  }

  [[nodiscard]] bool has_spoken() const {
    return wait_readable(said.out.get(), Span::zero()).value_or(true);
  }

  testing::Pipe said;
};

class Holding : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "nothing is held under this sanitizer: see linux_launch.cc";
#endif
#endif
  }
};

std::int64_t only_child() {
  const auto children = read_own_children().value_or(std::vector<std::int64_t>{});
  EXPECT_EQ(children.size(), 1U);
  return children.empty() ? 0 : children.front();
}

std::string read_proc(std::int64_t pid, const char* name) {
  std::ifstream file(fmt::format("/proc/{}/{}", pid, name));
  return {std::istreambuf_iterator<char>(file), {}};
}

// Until it has come to where it is held.
void await_stop(std::int64_t pid) {
  siginfo_t seen{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &seen, WSTOPPED | WNOWAIT | __WALL), 0);
  EXPECT_EQ(seen.si_code, CLD_TRAPPED);
}

// W12
TEST_F(Holding, HasItsProgramLoadedAndDoneNothing) {
  const Speaker speaker;
  const auto held = hold_child(speaker.spawn());
  ASSERT_TRUE(held && *held);

  const std::int64_t child = only_child();
  await_stop(child);
  std::error_code none;
  EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/exe", child), none),
            std::filesystem::canonical("/bin/sh"));
  EXPECT_EQ(read_proc_stat(child).value_or(ProcStat{}).state, 't');
#ifdef __x86_64__
  EXPECT_TRUE(read_proc(child, "maps").contains("libc.so"));
#endif
  EXPECT_FALSE(speaker.has_spoken());
}

TEST_F(Holding, GoesOnAsIfNothingHadBeen) {
  Speaker speaker;
  Spawn spawn = speaker.spawn();
  spawn.argv = {"/bin/sh", "-c", "echo \"in $(tr '\\n' ' ' </proc/$$/status)\""};
  spawn.environment = {{"PATH", "/usr/bin:/bin"}};
  const auto held = hold_child(spawn);
  ASSERT_TRUE(held && *held);
  await_stop(only_child());

  const auto child = (*held)->start();

  ASSERT_TRUE(child) << child.error().what;
  const std::string said = speaker.said.line();
  EXPECT_TRUE(said.starts_with("in ")) << said;
  EXPECT_TRUE(said.contains("TracerPid:\t0 ")) << said;
  EXPECT_TRUE(said.contains("SigBlk:\t0000000000000000 ")) << said;
  EXPECT_EQ((*child)->wait(long_enough).value_or(std::nullopt), Exit{});
}

// Nobody would continue it again.
TEST_F(Holding, IsNotStoppedWhenItIsLetGoBecauseItWasStoppedBefore) {
  for (int i = 0; i < 100; ++i) {
    const Speaker speaker;
    const auto held = hold_child(speaker.spawn());
    ASSERT_TRUE(held && *held);
    const auto pid = static_cast<pid_t>(only_child());
    ::kill(pid, SIGSTOP);
    // By that, or because it was there already.
    await_stop(pid);
    ::kill(pid, SIGCONT);

    const auto child = (*held)->start();

    ASSERT_TRUE(child) << child.error().what;
    ASSERT_EQ((*child)->wait(long_enough).value_or(std::nullopt), Exit{}) << "in turn " << i;
  }
}

// However far its loader has come.
TEST_F(Holding, CanBeLetGoAtAnyTime) {
  for (int i = 0; i < 200; ++i) {
    Speaker speaker;
    const auto held = hold_child(speaker.spawn());
    ASSERT_TRUE(held && *held);
    // From not at all to about as long as it takes.
    for (int turn = 0; turn < i * 10; ++turn) (void)only_child();
    const auto child = (*held)->start();
    ASSERT_TRUE(child) << child.error().what;
    ASSERT_EQ((*child)->wait(long_enough).value_or(std::nullopt), Exit{}) << i;
    ASSERT_EQ(speaker.said.line(), "in") << i;
  }
}

TEST_F(Holding, LeavesNothingIfItIsNotLetGo) {
  Speaker speaker;
  {
    const auto held = hold_child(speaker.spawn());
    ASSERT_TRUE(held && *held);
  }
  EXPECT_TRUE(read_own_children()->empty());
  EXPECT_EQ(speaker.said.rest(), "");
}

// W12: nobody is left who could be told that it runs.
TEST_F(Holding, EndsWithWhoHoldsIt) {
  Speaker speaker;
  testing::Forked keeper([&] {
    const auto held = hold_child(speaker.spawn());
    return held && *held && ::raise(SIGKILL) == 0 ? 0 : 1;
  });

  EXPECT_EQ(keeper.code(), 128 + SIGKILL);
  EXPECT_EQ(speaker.said.rest(), "");  // It is gone, or this would not end, and has said nothing.
}

TEST_F(Holding, GivesItWhatItWasSentMeanwhile) {
  Speaker speaker;
  const auto held = hold_child(speaker.spawn());
  ASSERT_TRUE(held && *held);
  const std::int64_t pid = only_child();
  await_stop(pid);
  ASSERT_EQ(::kill(static_cast<pid_t>(pid), SIGTERM), 0);
  EXPECT_FALSE(read_own_children()->empty());

  const auto child = (*held)->start();

  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ((*child)->wait(long_enough).value_or(std::nullopt), Exit{.signal = SIGTERM});
  EXPECT_EQ(speaker.said.rest(), "");
}

TEST_F(Holding, SeesThatItWasKilledMeanwhile) {
  Speaker speaker;
  const auto held = hold_child(speaker.spawn());
  ASSERT_TRUE(held && *held);
  ASSERT_EQ(::kill(static_cast<pid_t>(only_child()), SIGKILL), 0);

  const auto child = (*held)->start();

  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ((*child)->wait(long_enough).value_or(std::nullopt), Exit{.signal = SIGKILL});
}

// They could do anything when they are loaded.
TEST_F(Holding, LoadsNothingIfLibrariesAreNamedForIt) {
  const Speaker speaker;
  for (const char* name : {"LD_PRELOAD", "LD_AUDIT"}) {
    Spawn spawn = speaker.spawn();
    spawn.environment[name] = "libm.so.6";
    const auto held = hold_child(spawn);
    ASSERT_TRUE(held && *held);
    await_stop(only_child());
    EXPECT_FALSE(read_proc(only_child(), "maps").contains("libc.so")) << name;
  }
}

// It is held only where that changes nothing for it.
TEST_F(Holding, DoesNotHoldAScript) {
  const testing::TempDir dir;
  const std::string script = dir / "script";
  std::ofstream(script) << "#!/bin/sh\necho in\n";
  ASSERT_EQ(::chmod(script.c_str(), 0700), 0);

  const auto held = hold_child({.argv = {script}});

  ASSERT_TRUE(held) << held.error().what;
  EXPECT_EQ(*held, nullptr);
  EXPECT_TRUE(read_own_children()->empty());
}

TEST_F(Holding, DoesNotHoldWhatHasRightsOfItsOwn) {
  const testing::TempDir dir;
  const std::string program = dir / "program";
  std::filesystem::copy_file("/bin/sh", program);
  ASSERT_EQ(::chmod(program.c_str(), 04700), 0);

  const auto held = hold_child({.argv = {program}});

  ASSERT_TRUE(held) << held.error().what;
  EXPECT_EQ(*held, nullptr);
}

TEST_F(Holding, SaysWhatIsWrongWithAProgram) {
  const auto held = hold_child({.argv = {"/nowhere/at/all"}});
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().fault, Fault::not_found);
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

TEST_F(Holding, HoldsNothingWhereThatIsForbidden) {
  testing::in_a_copy([] {
    forbid_ptrace();
    const Speaker speaker;
    const auto held = hold_child(speaker.spawn());

    ASSERT_TRUE(held) << held.error().what;
    EXPECT_EQ(*held, nullptr);
    EXPECT_TRUE(read_own_children()->empty());
  });
}

// A keeper is such a one.
TEST_F(Holding, HoldsForOneThatHides) {
  testing::in_a_copy([] {
    testing::become_nobody();
    hide_process();
    Speaker speaker;
    const auto held = hold_child(speaker.spawn());
    ASSERT_TRUE(held && *held);
    await_stop(only_child());
    EXPECT_FALSE(speaker.has_spoken());

    const auto child = (*held)->start();

    ASSERT_TRUE(child) << child.error().what;
    EXPECT_EQ(speaker.said.line(), "in");
    EXPECT_EQ((*child)->wait(long_enough).value_or(std::nullopt), Exit{});
  });
}

TEST_F(Holding, LetsItRunWhereAndAsWeMay) {
  Speaker speaker;
  Spawn spawn = speaker.spawn();
  spawn.argv = {"/bin/sh", "-c",
                "while read -r name value; do case $name in Cpus_allowed:) echo \"$value\";; esac; "
                "done < /proc/$$/status; read -r word"};
  const testing::Pipe asked;
  spawn.input = asked.out.get();
  const auto held = hold_child(spawn);
  ASSERT_TRUE(held && *held);
  const auto child = (*held)->start();

  ASSERT_TRUE(child) << child.error().what;
  const std::string its = speaker.said.line();
  std::ifstream status("/proc/thread-self/status");
  std::string ours;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Cpus_allowed:")) ours = line.substr(line.find('\t') + 1);
  }
  EXPECT_EQ(its, ours);
  EXPECT_EQ(::sched_getscheduler(static_cast<pid_t>((*child)->pid())), ::sched_getscheduler(0));
}

}  // namespace
}  // namespace tyer::env
