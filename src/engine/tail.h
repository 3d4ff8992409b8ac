// Follows the log from a place onward: the stream, the page, `tyer log --follow`.
//
// The cursor is the reader's own and lives as long as the Tail; reconnecting is
// the same as starting at the last sequence seen.

#pragma once

#include <functional>

#include "engine/engine.h"

namespace tyer::engine {

class Tail {
 public:
  // Gives each event of `root` (empty: all) after `after` to `sink`, once and
  // in order. A sink that answers false is not asked again until the next step.
  using Sink = std::function<bool(const core::Event&)>;
  Tail(Engine& engine, std::uint64_t after, std::string root, Sink sink);

  // `gone` if the log does not reach back to where this reader stands.
  [[nodiscard]] Result<Time> step(Time now);

  [[nodiscard]] std::uint64_t position() const { return after_; }

 private:
  Engine& engine_;
  const std::string root_;
  const Sink sink_;
  std::uint64_t after_;
};

}  // namespace tyer::engine
