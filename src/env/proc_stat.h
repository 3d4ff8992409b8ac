// One line of the process table: /proc/PID/stat.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tyer::env {

struct ProcStat {
  char state = '?';
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t session = 0;
  std::int64_t threads = 0;
  std::int64_t start = 0;  // Clock ticks after boot.
  // Of a thread of the kernel it is for certain, and of who was started with none.
  // In the middle of an exec it cannot be told, nor of one that we may not look into.
  bool has_no_environment = false;

  // A zombie works on nothing. Its main thread alone may be one: the process
  // lives on in its other threads.
  [[nodiscard]] bool is_over() const {
    return (state == 'Z' || state == 'X' || state == 'x') && threads <= 1;
  }

  friend bool operator==(const ProcStat&, const ProcStat&) = default;
};

// Programs choose their names: one may hold spaces, brackets and line breaks.
[[nodiscard]] std::optional<ProcStat> parse_proc_stat(std::string_view text);

// Nothing if there is no such process, or if it cannot be told: /proc is not
// mounted, hides it, or shows the pids of another namespace than ours.
[[nodiscard]] std::optional<ProcStat> read_proc_stat(std::int64_t pid);
[[nodiscard]] std::optional<ProcStat> read_own_proc_stat();

// The numbers of all processes that can be seen, rising.
[[nodiscard]] std::vector<std::int64_t> read_pids();

// Our own children, those that have ended too, as far as none comes or goes
// meanwhile. Nothing if this kernel does not list them.
[[nodiscard]] std::optional<std::vector<std::int64_t>> read_own_children();

struct ProcEntry {
  std::int64_t pid = 0;
  ProcStat stat;
};

// All processes that can be seen, by pid. They go on while it is read: one that
// was there all the time is in it, one that came or went meanwhile may not be.
[[nodiscard]] std::vector<ProcEntry> read_proc_table();

}  // namespace tyer::env
