// What the tests of tyer run share: a store or a hub, and a shell under a lock.

#pragma once

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "env/proc_stat.h"
#include "support/locks.h"
#include "support/screen.h"

namespace tyer::testing {

class RunCommand : public LockDesks {
 protected:
  // tyer run K with these options, and a shell that does `script`.
  [[nodiscard]] ProgramCall run(const std::string& options, const std::string& script) const {
    std::vector<std::string> words = split_words("run K " + options + " --");
    words.insert(words.end(), {"sh", "-c", script});
    return call(words);
  }
};

// Besides "store" and "hub", on a store: "leader", of a session with a terminal, and "job", of a
// shell that leads one.
class RunAnywhere : public RunCommand {
 protected:
  [[nodiscard]] ProgramCall run(const std::string& options, const std::string& script) const {
    ProgramCall call = RunCommand::run(options, script);
    const std::string_view where = GetParam();
    if (where == "leader" || where == "job") call.terminal = screen_.path();
    if (where != "job") return call;
    call.words.insert(call.words.begin(), {"-c", "set -m; $TYER \"$@\" & wait $!", "sh"});
    call.program = "sh";
    return call;
  }

  // To the process that was started, whoever did that.
  void signal_front(int number) const {
    const auto keeper = env::read_proc_stat(std::stoi(lease("pid")));
    ASSERT_TRUE(keeper);
    ::kill(static_cast<pid_t>(keeper->parent), number);
  }

 private:
  Screen screen_{80, 24};
};

inline const auto anywhere = ::testing::Values("store", "hub", "leader", "job");

}  // namespace tyer::testing
