#include "sim/daemon.h"

#include <algorithm>

#include "engine/limits.h"

namespace tyer::sim {

Daemon::Daemon(const Home& home)
    : rng_(home.rng),
      pump_(home.engine),
      timers_(home.engine),
      sweeper_(home.engine),
      parts_{{{"pumps", [this](Time now) { return pump_.step(now); }},
              {"rings", [this](Time now) { return timers_.step(now); }},
              {"sweeps", [this](Time now) { return sweeper_.step(now); }}}} {}

Result<Time> Daemon::step(Time now) {
  // The wall clock may have jumped either way; then all are asked.
  const Span elapsed = std::max(Span::zero(), now - now_);
  const bool jumped = now < now_ || elapsed > 1h;
  now_ = now;
  for (Part& part : parts_)
    part.pause = jumped ? Span::zero() : std::max(Span::zero(), part.pause - elapsed);
  std::vector<Part*> due;
  for (Part& part : parts_) {
    if (part.pause == Span::zero()) due.push_back(&part);
  }
  last_ = "waits";
  if (!due.empty()) {
    Part& part = *due[rng_.below(due.size())];
    const Result<Time> next = part.step(now);
    last_ = next ? part.name : part.name + " in vain";
    part.pause = next ? std::max(Span::zero(), *next - now) : limits::backoff_most;
    if (!next) return std::unexpected(next.error());
  }
  const auto soonest = std::ranges::min_element(parts_, {}, &Part::pause);
  return now + soonest->pause;
}

}  // namespace tyer::sim
