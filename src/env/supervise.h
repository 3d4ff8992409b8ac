// One command from its start to the end of everything it started.
//
// The keeper's part behind a front: it passes signals on, notices what ends the
// run, and does not return before all descendants of this process are gone, the
// daemons among them too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "env/front.h"
#include "env/processes.h"

namespace tyer::env {

struct Supervision {
  Child& child;
  const Front& front;
  int stop_fd = -1;  // Readable: the run must end. -1: nothing but the command ends it.
  Span grace{};      // Between SIGTERM and SIGKILL.
  int news_fd = -1;  // Readable: `on_news` is called, which makes it unreadable.
  std::function<void()> on_news = {};
  std::vector<Signal> early = {};  // Taken before the child was started: it has none of them.
};

struct Ended {
  enum class Why : std::uint8_t { by_itself, stopped, front_gone };

  Exit exit;
  Why why = Why::by_itself;
  std::size_t killed = 0;  // Processes that outlived the grace.
  std::size_t left = 0;    // That even SIGKILL did not end: they hang in the kernel.
};

// Signals go to the process group of the child. That group is orphaned, so the
// kernel would discard a TSTP: it becomes a STOP, which nobody can catch. A child
// that shares the terminal with the front gets alone what the terminal has not
// sent to it already.
//
// When the command has ended, or must, whoever is left is ended with the grace.
// `timeout` if the command itself is still there after that.
[[nodiscard]] Result<Ended> supervise(const Supervision& run);

}  // namespace tyer::env
