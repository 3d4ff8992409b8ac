// What a prompt tells the demo agent to do: its lines "demo: VERB ARGS", in order.
//
// They are found wherever they stand at the start of a line, also behind the marks
// of a quotation, because a prompt often wraps what a person wrote.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace tyer::cli {

struct DemoStep {
  enum class Verb : std::uint8_t {
    say,           // TEXT
    tool,          // NAME TEXT: pretends to use it.
    edit,          // PATH TEXT: appends a line to a file in the working directory.
    fail,          // CODE [TEXT]
    rate_limit,    // SECONDS
    crash,         // By SIGKILL.
    hang,          // Silently.
    sleep,         // SECONDS
    busy,          // SECONDS of processor time, silently.
    flood,         // BYTES of events.
    garbage,       // BYTES that are no text.
    daemonise,     // Leaves a process behind that SIGTERM does not end.
    ignore_term,   // SIGTERM does not end it from now on.
    close_output,  // Nothing comes any more.
  };

  Verb verb;
  std::string name;  // Of a tool or a file.
  std::string text;
  Span span{};
  std::uint64_t bytes = 0;
  int code = 0;
};

// `invalid` names the line that is not understood; `limit` one that asks for too much.
[[nodiscard]] Result<std::vector<DemoStep>> read_demo_script(std::string_view prompt);

}  // namespace tyer::cli
