// One line of the process table: /proc/PID/stat.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tyer::env {

struct ProcStat {
  char state = '?';
  std::int64_t session = 0;
  std::int64_t threads = 0;
  std::int64_t start = 0;  // Clock ticks after boot.

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

}  // namespace tyer::env
