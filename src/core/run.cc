#include "core/run.h"

#include <array>

#include "base/json.h"

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

std::optional<Holder> read_guard(const Json& state, const char* name, const std::string& id) {
  const auto found = state.find(name);
  if (found == state.end() || !found->is_object()) return std::nullopt;
  return Holder{
      {text_or(*found, "host"), text_or(*found, "boot"), text_or(*found, "pid_namespace")},
      int_or(*found, "pid"),
      int_or(*found, "pid_start"),
      id};
}

}  // namespace tyer::core
