// A keeper of sessions' runs: it takes a session that has something to do, holds it while its agent
// works, and tells what came of it.

#pragma once

#include <string>

#include "engine/keeper.h"
#include "feed/shifts.h"
#include "sim/session_world.h"

namespace tyer::testing {

class SessionKeeper final : public sim::Actor {
 public:
  SessionKeeper(const sim::Home& home, SessionFlaw flaw);

  [[nodiscard]] Result<Time> step(Time now) override;
  [[nodiscard]] std::string doing() const override { return doing_; }
  [[nodiscard]] bool trusts(const std::string& key) const override { return keeper_.trusts(key); }

 private:
  // `unheard`: it asked to begin and does not know what became of that.
  enum class Stage : std::uint8_t { idle, unheard, working, ending };

  [[nodiscard]] Result<> act();
  [[nodiscard]] Result<> look();
  [[nodiscard]] Result<> begin(const std::string& session);
  void work();
  [[nodiscard]] Result<> finish();
  [[nodiscard]] feed::Finish draw_finish();

  sim::Home home_;
  const SessionFlaw flaw_;
  limits::FeedRules rules_;
  engine::Keeper keeper_;
  Stage stage_ = Stage::idle;
  std::string key_;  // Of the session's lease.
  feed::Finish finish_;
  std::uint64_t work_left_ = 0;
  std::string doing_;
};

}  // namespace tyer::testing
