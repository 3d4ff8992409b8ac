// Runs the git program: no shell, no hooks, no questions, no end without a bound.
//
// The environment is the caller's without what an outer git left in it (GIT_DIR,
// GIT_INDEX_FILE, …) and without what is Tyer's own, such as keys. Editor, pager, prompts,
// fsmonitor and signing are off, since nobody is there to answer; so are hooks, because an agent
// may have written them. Maintenance in the background is off: what a call started has ended with
// it.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "env/env.h"
#include "git/limits.h"

namespace tyer::git {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Call {
  std::vector<std::string> words;  // "status", "--porcelain", …; without "git".
  std::string directory = "/";
  std::map<std::string, std::string, std::less<>> environment = {};  // On top of the runner's.
  std::string input = {};
  Span at_most = limits::git_quick_max;
};

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

// What a runner heeds while git is at work.
struct Watching {
  std::vector<int> stop_fds = {};  // One readable: git is ended, the answer is `cancelled`.
  std::function<void(std::string_view what)> busy = {};  // Called now and then: "worktree".
};

class Runner {
 public:
  Runner(env::Env& env, const Variables& variables, Watching watching = {});

  // Whatever git's exit code is. An error: it cannot be run, took too long, said too
  // much, was ended by a signal or by `stop_fds`.
  [[nodiscard]] Result<Answer> ask(const Call& call) const;

  // What git printed, if it ended with 0; else `conflict` with what it complained of.
  [[nodiscard]] Result<std::string> run(const Call& call) const;

  // The same without the newline at the end: for a path, a ref, an id.
  [[nodiscard]] Result<std::string> line(const Call& call) const;

  [[nodiscard]] env::Env& env() const { return env_; }

  // Whether the variable was set where tyer was called.
  [[nodiscard]] bool has(std::string_view variable) const;

 private:
  env::Env& env_;
  std::map<std::string, std::string, std::less<>> environment_;
  Watching watching_;
};

// "git worktree add: 'x' already exists": what was called and the first thing git said.
[[nodiscard]] Error complaint(const Call& call, const Answer& answer);

// "a\0b\0" as a list of "a" and "b".
[[nodiscard]] std::vector<std::string> split_nul(std::string_view text);

}  // namespace tyer::git
