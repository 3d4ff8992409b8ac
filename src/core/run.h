// A run is one attempt to do the work of a subject: a process supervised under
// a lease. It is itself a subject, `run/<id>`, and ends in exactly one event.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/time.h"
#include "core/kind.h"
#include "core/lease.h"

namespace tyer::core {

// What is to be started. A back end turns a prompt into `argv`; nothing here
// goes through a shell.
struct RunSpec {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // Secrets live here and nowhere else.
  std::string directory;
  std::string input;  // Given on standard input.
  Span wall_max = 30min;
};

enum class Outcome : std::uint8_t { succeeded, failed, signalled, timed_out, stopped, lost };

[[nodiscard]] std::string_view name(Outcome outcome);

// created → running → ended; a run that never started ends as well. There is no
// way out of `ended`, which is how "exactly one outcome" is kept.
[[nodiscard]] Kind run_kind();

// Who looks after run `id`, as its state has it under `name`: "keeper", "front". None: nobody does.
[[nodiscard]] std::optional<Holder> read_guard(const Json& state, const char* name,
                                               const std::string& id);

}  // namespace tyer::core
