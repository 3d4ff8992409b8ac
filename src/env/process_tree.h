// All processes below this one, however deep and whatever they did to get away.
//
// A process that adopts orphans becomes the parent of every descendant whose own
// parent ends, so a daemon in a session of its own is still below it: without a
// living child there is no living descendant. That is asked of the kernel in one
// call; the process table only says whom to signal, and by the time it is read
// it is history. Every signal goes by pidfd to the process that was seen, or to
// a process group that nobody outside the tree can be in.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace tyer::env {

// What is left alone.
struct Exempt {
  std::int64_t unreaped = 0;         // A child of ours whose exit somebody else takes.
  std::vector<std::int64_t> spared;  // Children of ours, with all that is below them.
  // Besides our own, a session that others are in as well: its groups are not signalled as such.
  std::int64_t session = 0;
};

struct TreeEnd {
  std::size_t killed = 0;  // Did not end by themselves in time.
  std::size_t left = 0;    // Hang in the kernel, or belong to another user.

  friend bool operator==(const TreeEnd&, const TreeEnd&) = default;
};

// From now on and for as long as this process lives. Its children do not inherit it.
[[nodiscard]] Result<> adopt_orphans();

// Our own children, the zombies among them too.
[[nodiscard]] std::vector<std::int64_t> children();

// Those that live, parents before their children. Children of ours that have
// ended are reaped on the way.
[[nodiscard]] std::vector<std::int64_t> descendants(const Exempt& exempt = {});

// Asks each once to end (SIGTERM; one that is stopped is continued, so that it
// can), and kills and reaps what is still there after `grace`. Without grace
// nobody is asked. Returns as soon as none is left, at the latest
// `limits::reap_wait_max` after the grace. This process must adopt orphans.
TreeEnd end_descendants(Span grace, const Exempt& exempt = {});

}  // namespace tyer::env
