#include "run/health.h"

#include <array>

#include <fmt/format.h>

#include "run/limits.h"

namespace tyer::run {
namespace {

std::string processes(const env::Use& use) {
  return use.processes == 1 ? "1 process" : fmt::format("{} processes", use.processes);
}

// What one that was asked to stop waits for.
Condition stopping(const Evidence& evidence) {
  const std::string asked = fmt::format("asked to stop {} ago by {}",
                                        describe_span(*evidence.stopping), evidence.stopped_by);
  std::string waits;
  if (evidence.waits_for_turn) {
    waits = "its keeper ends it before it begins";
  } else if (evidence.keeper == core::Liveness::unknown) {
    waits = "it runs where it cannot be seen from here";
  } else if (evidence.use.processes == 0) {
    waits = "its agent has ended, and its keeper writes what came of it";
  } else {
    waits = fmt::format("{} may end in order for {}, then what is left is killed",
                        processes(evidence.use), describe_span(limits::agent_grace));
  }
  return {Health::stopping, fmt::format("{}; {}", asked, waits)};
}

}  // namespace

std::string_view name(Health health) {
  constexpr std::array<std::string_view, 7> names{"alive", "busy", "waiting", "silent",
                                                  "hung",  "gone", "stopping"};
  return names[static_cast<std::size_t>(health)];
}

Condition judge_health(const Evidence& evidence) {
  if (evidence.has_ended) return {Health::gone, "it has ended"};
  if (evidence.keeper == core::Liveness::gone) return {Health::gone, "its keeper is dead"};
  if (evidence.stopping) return stopping(evidence);
  if (evidence.waits_for_turn) {
    return {Health::waiting, evidence.turn_in > Span::zero()
                                 ? fmt::format("it is tried in {}", describe_span(evidence.turn_in))
                                 : "it is being started"};
  }
  if (evidence.keeper == core::Liveness::unknown) {
    return {Health::alive, "it runs where it cannot be seen from here, and its lease is live"};
  }
  const env::Use& use = evidence.use;
  if (use.processes == 0) return {Health::waiting, "its agent is being started or was just ended"};
  if (use.stopped == use.processes) {
    return {Health::hung, fmt::format("{}, stopped by a signal", processes(use))};
  }
  const std::string quiet = fmt::format("no output for {}", describe_span(evidence.quiet));
  if (evidence.quiet < limits::fresh_output && evidence.bytes > 0) {
    return {Health::alive, fmt::format("{}, {} bytes of output, the last {} ago", processes(use),
                                       evidence.bytes, describe_span(evidence.quiet))};
  }
  // One twentieth of a processor is more than a program uses that only waits.
  const bool computes = evidence.window > Span::zero() && evidence.cpu * 20 >= evidence.window;
  if (computes || evidence.io > 0) {
    return {Health::busy, fmt::format("{}, but {} and {} bytes read and written in {}", quiet,
                                      fmt::format("{} ms of a processor", evidence.cpu / 1ms),
                                      evidence.io, format_span(evidence.window))};
  }
  const std::string idle = fmt::format("{}, {}, nothing used", processes(use), quiet);
  if (evidence.quiet < limits::quiet_after) return {Health::waiting, idle};
  return {evidence.quiet < limits::hung_after ? Health::silent : Health::hung, idle};
}

}  // namespace tyer::run
