// Processes: who we are, who others are, and starting and ending them.
//
// A child runs in a session and process group of its own unless it is to share
// ours, sees no file descriptor but the three it is given, and is waited for by
// pidfd, so that a pid that was reused is never hit. No shell is involved.

#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "core/lease.h"
#include "env/fd.h"

namespace tyer::env {

struct Spawn {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH if it has no slash.
  // All of it; nothing is inherited.
  std::map<std::string, std::string, std::less<>> environment;
  std::string directory;  // Empty: ours.
  // File descriptors of ours that become the child's 0, 1 and 2; -1 is /dev/null.
  int input = -1;
  int output = -1;
  int errors = -1;
  // Of the signals that we ignore, those that the child ignores as well. All
  // others are as by default.
  std::vector<int> ignored;
  // A process group of our session that it joins instead of a session of its own, so that the
  // terminal is its own as much as theirs; 0: none.
  int group = 0;
};

struct Exit {
  int code = 0;    // Of a normal end.
  int signal = 0;  // Or the signal that ended it.

  friend bool operator==(const Exit&, const Exit&) = default;
};

class Child {
 public:
  virtual ~Child() = default;
  [[nodiscard]] virtual std::int64_t pid() const = 0;
  [[nodiscard]] virtual std::int64_t pid_start() const = 0;

  // Readable once the child has ended.
  [[nodiscard]] virtual int fd() const = 0;

  // The exit if it has ended or ends within `at_most`, else nothing.
  [[nodiscard]] virtual Result<std::optional<Exit>> wait(Span at_most) = 0;

  // To the whole process group of the child, or to it alone if it joined one that was there.
  // Nobody there is not an error.
  [[nodiscard]] virtual Result<> signal_group(int signal) = 0;

  // From now on the child may outlive this object, which otherwise ends it.
  virtual void let_go() = 0;
};

class Processes : public core::Witness {
 public:
  [[nodiscard]] virtual core::Place here() const = 0;

  // This process as a holder under the run id `run`.
  [[nodiscard]] virtual core::Holder self(std::string run) const = 0;

  // The holder that process `pid` on this machine would be; not_found if there is none.
  [[nodiscard]] virtual Result<core::Holder> holder(std::int64_t pid, std::string run) const = 0;

  [[nodiscard]] virtual Result<std::unique_ptr<Child>> spawn(const Spawn& spawn) = 0;

  // A descriptor that becomes readable when the process of `holder` ends. Nothing
  // if it has ended already, or is not known for sure to be a process that is
  // seen from here.
  [[nodiscard]] virtual Result<std::optional<Fd>> watch_end(const core::Holder& holder) const = 0;

  // Rings the bell of that name on this machine, if there is one: see bell.h.
  virtual void ring(const std::string& bell) const = 0;
};

}  // namespace tyer::env
