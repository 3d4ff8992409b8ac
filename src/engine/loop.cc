#include "engine/loop.h"

#include <algorithm>

#include "engine/limits.h"

namespace tyer::engine {

Loop::Loop(std::string name, const env::Clock& clock, const Log& log, Step step)
    : name_(std::move(name)), clock_(clock), log_(log), step_(std::move(step)), thread_([this] {
        run();
      }) {}

Loop::~Loop() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Loop::hint() {
  {
    const std::scoped_lock lock(mutex_);
    hinted_ = true;
  }
  changed_.notify_one();
}

void Loop::run() {
  Span backoff{};
  std::unique_lock lock(mutex_);
  while (!ending_) {
    hinted_ = false;
    lock.unlock();
    const Time now = clock_.now();
    const Result<Time> next = step_(now);
    Span pause = next ? *next - now : Span::zero();
    if (next) {
      backoff = Span::zero();
    } else {
      backoff = pause = next_backoff(backoff);
      log_.warn("a step failed",
                {{"part", name_}, {"error", next.error().what}, {"again_in", format_span(pause)}});
    }
    lock.lock();
    // A hint cuts a planned wait short, but not the pause after a failure.
    changed_.wait_for(lock, std::clamp(pause, Span::zero(), Span(1h)),
                      [&] { return ending_ || (hinted_ && next); });
  }
}

Span next_backoff(Span before) {
  if (before == Span::zero()) return limits::backoff_first;
  return std::min(before * 2, limits::backoff_most);
}

}  // namespace tyer::engine
