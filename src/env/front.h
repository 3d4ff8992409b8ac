// Two processes around one piece of work, so that SIGKILL of either leaves
// nothing behind.
//
// The *front* is the process that was started: a shell, a terminal or cron knows
// it, and it does nothing that could fail. The *keeper* is its child in a session
// of its own, with the work below it. Each notices at once, from the kernel, that
// the other is gone. The front adopts what a killed keeper leaves and kills it
// without grace, because whatever right the keeper held is gone with it; the
// keeper sees `gone_fd` and ends its work in order.
//
// Signals to the front reach the keeper as something to read, not as an
// interruption: INT, TERM, HUP, QUIT, USR1, USR2, WINCH, TSTP and CONT, but for
// those that were ignored from the start (nohup). On TSTP the front stops as
// well, so a shell sees a stopped job.
//
// A command that shares the terminal is in the front's process group: it can read
// /dev/tty when the shell's job is in the foreground, and the terminal sends its
// signals to both. Only one who is in their session can start somebody there, so the
// keeper leaves it when the command is there (`supervise`): a stopped job is kept. If
// it stayed, as the command's parent in another group, the kernel would take it for a
// shell that continues what is stopped.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/error.h"
#include "env/fd.h"

namespace tyer::env {

struct Signal {
  int number = 0;
  // From the terminal: whoever is in the front's process group has got it as well.
  bool is_everybodys = false;
};

// What the keeper sees of the front.
class Front {
 public:
  Front(Fd signals, Fd gone, std::vector<int> ignored, int group = 0)
      : signals_(std::move(signals)),
        gone_(std::move(gone)),
        ignored_(std::move(ignored)),
        group_(group) {}

  // Readable when there is a signal to take.
  [[nodiscard]] int signals_fd() const { return signals_.get(); }
  // Readable once the front has ended.
  [[nodiscard]] int gone_fd() const { return gone_.get(); }
  // Those of the signals above that were ignored when we were started; for Spawn::ignored.
  [[nodiscard]] const std::vector<int>& ignored() const { return ignored_; }

  // The front's process group, for Spawn::group; 0: the terminal is not shared.
  [[nodiscard]] int group() const { return group_; }

  // The next signal to this process, or nothing if there is none now.
  [[nodiscard]] std::optional<Signal> take_signal() const;
  [[nodiscard]] std::optional<int> next_signal() const;
  // All that there are.
  [[nodiscard]] std::vector<Signal> take_signals() const;

 private:
  Fd signals_;
  Fd gone_;
  std::vector<int> ignored_;
  int group_;
};

// Whether the work may share the terminal that we were started on, if there is one.
enum class Terminal : bool { own_session, shared };

// Forks; `keeper` runs in the child and says its exit code. In this process, the
// front, returns that code, or 128 + n if signal n ended the keeper. By then
// nothing of it is left, and the signals above stay blocked: this process has
// nothing to do but to end with the code. An error means that nothing was begun.
//
// To be called while there is only one thread. Standard streams that are closed
// become /dev/null, and the front gives up its standard input.
[[nodiscard]] Result<int> run_behind_front(const std::function<int(const Front&)>& keeper,
                                           Terminal terminal = Terminal::own_session);

// Puts /dev/null in place of our standard input. A process that has passed it on
// does so, or whoever writes into it would not learn that nobody reads any more.
void give_up_input();

}  // namespace tyer::env
