#include "env/supervise.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include <fmt/format.h>

#include "env/os_error.h"
#include "env/process_tree.h"

namespace tyer::env {
namespace {

using Why = Ended::Why;

// A command that has become another user may refuse it; it goes on all the same.
void pass_on(const Supervision& run, const Signal& signal) {
  const bool stops = signal.number == SIGTSTP && run.front.group() == 0;
  static_cast<void>(run.child.signal_group(stops ? SIGSTOP : signal.number));
}

// The child has what came to everybody since it is there.
void pass_on_signals(const Supervision& run) {
  const bool shares = run.front.group() != 0;
  while (const std::optional<Signal> signal = run.front.take_signal()) {
    if (!shares || !signal->is_everybodys) pass_on(run, *signal);
  }
}

Result<Why> wait_for_reason(const Supervision& run) {
  for (const Signal& signal : run.early) pass_on(run, signal);
  while (true) {
    // poll(2) passes over a descriptor of -1.
    std::array<pollfd, 5> entries{pollfd{.fd = run.child.fd(), .events = POLLIN},
                                  pollfd{.fd = run.stop_fd, .events = POLLIN},
                                  pollfd{.fd = run.front.gone_fd(), .events = POLLIN},
                                  pollfd{.fd = run.front.signals_fd(), .events = POLLIN},
                                  pollfd{.fd = run.news_fd, .events = POLLIN}};
    const int ready = uninterrupted([&] { return poll(entries.data(), entries.size(), -1); });
    if (ready < 0) return std::unexpected(os_error(errno, "wait for", "a command"));
    if (entries[0].revents != 0) return Why::by_itself;
    if (entries[1].revents != 0) return Why::stopped;
    if (entries[2].revents != 0) return Why::front_gone;
    if (entries[4].revents != 0) run.on_news();
    pass_on_signals(run);
  }
}

}  // namespace

Result<Ended> supervise(const Supervision& run) {
  // We shared it to start the child there: see front.h.
  const pid_t session = ::getsid(0);
  if (run.front.group() != 0) ::setsid();
  const Result<Why> why = wait_for_reason(run);
  // Also if waiting failed: nothing may go on unwatched.
  const TreeEnd end = end_descendants(run.grace, {.unreaped = run.child.pid(), .session = session});
  if (!why) return std::unexpected(why.error());
  TYER_TRY(const std::optional<Exit> exit, run.child.wait(Span::zero()));
  if (!exit) {
    return fail(Fault::timeout, fmt::format("process {} does not end although it was killed; "
                                            "it may hang on a device or a network disk",
                                            run.child.pid()));
  }
  return Ended{*exit, *why, end.killed, end.left};
}

}  // namespace tyer::env
