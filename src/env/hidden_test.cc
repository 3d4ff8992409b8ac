#include "env/hidden.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/fd.h"
#include "env/proc_stat.h"
#include "support/forked.h"

namespace tyer::env {
namespace {

bool can_open(pid_t pid, const char* name) {
  return static_cast<bool>(
      Fd(::open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC)));
}

TEST(HiddenProcess, IsSeenAndNotReadByOthersOfItsUser) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "nothing is hidden in this build: see hidden.h";
#endif
#endif
  testing::in_a_copy([] {
    testing::become_nobody();
    testing::Pipe ready;
    testing::Pipe gone;
    for (const bool hides : {false, true}) {
      testing::Forked other([&] {
        // Whoever has become somebody else is hidden already.
        (void)::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        if (hides) hide_process();
        const bool said = ::write(ready.in.get(), "\n", 1) == 1;
        return said && gone.line() == "go" ? 0 : 1;
      });
      EXPECT_EQ(ready.line(), "");
      for (const char* name : {"environ", "mem", "maps", "auxv", "fd"}) {
        EXPECT_EQ(can_open(other.pid(), name), !hides) << name;
      }
      EXPECT_TRUE(read_proc_stat(other.pid()));
      EXPECT_TRUE(can_open(other.pid(), "cmdline"));
      EXPECT_EQ(::write(gone.in.get(), "go\n", 3), 3);
      EXPECT_EQ(other.code(), 0);
    }
  });
}

TEST(HiddenProcess, HasVariablesForItsLibraries) {
  testing::in_a_copy([] {
    set_variables({{"TYER_HIDDEN_TEST", "in memory"}, {"PATH", "/nowhere"}});
    EXPECT_STREQ(std::getenv("TYER_HIDDEN_TEST"), "in memory");
    EXPECT_STREQ(std::getenv("PATH"), "/nowhere");
  });
}

}  // namespace
}  // namespace tyer::env
