// How a run is doing, judged by evidence and told with it (W12c).
//
// Nothing is ended because of it: a busy agent may be silent for as long as it likes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/lease.h"
#include "env/proc_use.h"
#include "run/record.h"

namespace tyer::run {

enum class Health : std::uint8_t {
  alive,    // It spoke a moment ago.
  busy,     // Silent, but at work.
  waiting,  // For its turn, or for an answer from elsewhere.
  silent,   // For longer than usual, and without work.
  hung,     // It will hardly come back by itself.
  gone,
  stopping,  // Somebody asked for it.
};

[[nodiscard]] std::string_view name(Health health);

struct Evidence {
  bool has_ended = false;
  bool waits_for_turn = false;        // It is created, and its keeper lives.
  Span turn_in{};                     // That is when; zero: it is being started.
  std::optional<Span> stopping = {};  // Since it was asked to stop.
  std::string stopped_by = {};        // Who asked.
  core::Liveness keeper = core::Liveness::unknown;
  env::Use use;             // Of the agent and all below it, now.
  Span cpu{};               // Used within `window`.
  std::uint64_t io = 0;     // The same in bytes.
  Span window{};            // Zero: not measured.
  Span quiet{};             // Since its last output, or since its start.
  std::uint64_t bytes = 0;  // Of output so far.
};

struct Condition {
  Health health = Health::gone;
  std::string why;  // One sentence with the evidence, without a full stop.
};

[[nodiscard]] Condition judge_health(const Evidence& evidence);

}  // namespace tyer::run
