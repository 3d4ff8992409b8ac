// Makes agents, and writes posts and comments for them.

#pragma once

#include "feed/ids.h"
#include "sim/world.h"

namespace tyer::testing {

class Person final : public sim::Actor {
 public:
  explicit Person(const sim::Home& home) : home_(home) {}

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return doing_; }

 private:
  [[nodiscard]] Result<core::Change> decide(const core::View& view, feed::Ids& ids, Time now);
  [[nodiscard]] Result<core::Change> set_up(const core::View& view, feed::Ids& ids, Time now);
  [[nodiscard]] Result<core::Change> write(const core::View& view, const feed::Ids& ids, Time now);
  [[nodiscard]] Result<core::Change> delete_session(const core::View& view, Time now);

  sim::Home home_;
  std::string doing_;
};

}  // namespace tyer::testing
