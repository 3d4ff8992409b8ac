// One's place in the queue for locks, to be looked after step by step.
//
// Each look is a decision like every other: the locks are taken, or a place in
// the queue is taken or kept. What wakes it up in between is told by `Outcome`
// and is for others to watch (waiting.h); in the simulator it is the clock.

#pragma once

#include <map>
#include <optional>

#include "engine/keeper.h"
#include "lock/locks.h"

namespace tyer::lock {

class Line {
 public:
  // `place` is the id of its tickets. Who does not wait has none, but lets those go
  // first who have one. `waits` is who is judged by them, if not this process.
  Line(Locks& locks, core::Asking asking, std::string place,
       const std::optional<core::Holder>& waits = {});

  // Tickets that it finds, as of an earlier wait at this place, are its own from then on.
  // `likely`: it will be its turn, as when the holder has just ended.
  [[nodiscard]] Result<Outcome> look(bool likely = false);

  // How long nothing can change without news of what `outcome` names.
  [[nodiscard]] Span quiet(const Outcome& outcome) const;

  // Gives the place up. Who is first now. After an error tickets may stay behind;
  // they are judged like every other lease.
  Result<std::vector<core::Lease>> leave();

  // The id of its tickets; empty: it has none.
  [[nodiscard]] const std::string& place() const { return asking_.place; }

  // Whether whoever watches its tickets' holder watches that of its locks as well.
  [[nodiscard]] bool holds_itself() const;

  // Whether those who ring for it find it on this machine.
  [[nodiscard]] bool is_rung_here() const;

  [[nodiscard]] std::size_t wishes() const { return asking_.wishes.size(); }

 private:
  [[nodiscard]] Result<Outcome> look_once(bool likely);
  void pass_over();
  void note_turns(const std::vector<core::Lease>& next);
  [[nodiscard]] Span left(const Seen& seen) const;

  Locks& locks_;
  engine::Engine& engine_;
  const env::Clock& clock_;
  core::Asking asking_;
  engine::Keeper keeper_;                // Of the tickets.
  std::map<std::uint64_t, Span> turns_;  // Since when it is whose turn.
  Span last_look_;
  std::optional<Span> doubted_;  // When something last went wrong here.
  bool looked_ = false;
};

}  // namespace tyer::lock
