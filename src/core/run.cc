#include "core/run.h"

#include <array>

namespace tyer::core {

std::string_view name(Outcome outcome) {
  constexpr std::array<std::string_view, 6> names{"succeeded", "failed",  "signalled",
                                                  "timed_out", "stopped", "lost"};
  return names[static_cast<std::size_t>(outcome)];
}

Kind run_kind() {
  return {.name = "run",
          .transitions = {{"run.created", {absent}, "created"},
                          {"run.started", {"created"}, "running"},
                          {"run.noted", {"created", "running"}, same},
                          {"run.stop_asked", {"created", "running"}, same},
                          {"run.ended", {"created", "running"}, "ended"}},
          .hidden = {"environment"}};
}

}  // namespace tyer::core
