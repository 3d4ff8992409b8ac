#include "lock/line.h"

#include <algorithm>

#include "engine/limits.h"
#include "lock/limits.h"

namespace tyer::lock {

Line::Line(Locks& locks, core::Asking asking, std::string place,
           const std::optional<core::Holder>& waits)
    : locks_(locks),
      engine_(locks.engine()),
      clock_(engine_.env().clock),
      asking_(std::move(asking)),
      keeper_(engine_),
      last_look_(clock_.boot_time()) {
  if (place.empty()) return;
  const env::Env& env = engine_.env();
  const core::Grant& wish = asking_.wishes.front();
  asking_.place = std::move(place);
  asking_.ticket = core::Grant{.holder = waits.value_or(env.processes.self(asking_.place)),
                               .silence_max = limits::ticket_silence_max,
                               .hold_max = limits::ticket_hold_max,
                               .command = wish.command,
                               .owner = wish.owner,
                               .asker = wish.asker};
  asking_.ticket->holder.run = asking_.place;
}

Result<Outcome> Line::look(bool likely) {
  // After trouble or a sleep, silences may be our own: holders get time to be heard.
  const Span now = clock_.boot_time();
  if (now - last_look_ > limits::silence_confirm) doubted_ = now;
  last_look_ = now;
  asking_.believes_silence = !doubted_ || now - *doubted_ >= limits::silence_confirm;
  Result<Outcome> outcome = look_once(likely);
  if (!outcome) {
    doubted_ = clock_.boot_time();
    return outcome;
  }
  note_turns(outcome->next);
  for (const core::Lease& ticket : outcome->tickets) {
    asking_.kept[ticket.key] = ticket.token;
    keeper_.hold(ticket, outcome->asked);
  }
  if (!outcome->got.empty()) {
    for (const core::Grant& wish : asking_.wishes) {
      keeper_.forget(core::ticket_key(wish.key, asking_.place));
    }
  }
  return outcome;
}

// The first one is likely to succeed, those after it are not unless it is said; nor is the first of
// one who was refused the same before and does not wait.
Result<Outcome> Line::look_once(bool likely) {
  if (!std::exchange(looked_, true)) {
    const std::string& key = asking_.wishes.front().key;
    const bool refused = asking_.place.empty() && locks_.refused() == key;
    auto outcome = refused ? locks_.acquire_in_turn(asking_) : locks_.acquire(asking_);
    locks_.set_refused(outcome && outcome->got.empty() ? key : "");
    return outcome;
  }
  TYER_TRY_OK(keeper_.step(clock_.now()));
  // A place that was lost is taken anew; one that could only not be renewed in time is found again.
  for (const engine::Lost& lost : keeper_.take_lost()) asking_.kept.erase(lost.lease.key);
  pass_over();
  return likely ? locks_.acquire(asking_) : locks_.acquire_in_turn(asking_);
}

// Who has had its turn for `turn_max` and did not take it is passed over.
void Line::pass_over() {
  for (const auto& [token, since] : turns_) {
    if (clock_.mono() - since >= limits::turn_max) asking_.passed.insert(token);
  }
}

void Line::note_turns(const std::vector<core::Lease>& next) {
  std::map<std::uint64_t, Span> turns;
  for (const core::Lease& ticket : next) {
    const auto known = turns_.find(ticket.token);
    turns[ticket.token] = known == turns_.end() ? clock_.mono() : known->second;
  }
  turns_ = std::move(turns);
}

Span Line::quiet(const Outcome& outcome) const {
  Span wait = limits::wait_look_every;
  if (!asking_.place.empty()) {
    wait = std::min(wait, engine::beat_every(limits::ticket_silence_max));
  }
  for (const auto& [token, since] : turns_) {
    wait = std::min(wait, since + limits::turn_max - clock_.mono());
  }
  for (const Seen& seen : outcome.held) wait = std::min(wait, left(seen));
  return std::max<Span>(wait, 1ms);
}

// Until the holder would be judged without news of it.
Span Line::left(const Seen& seen) const {
  const core::Lease& lease = seen.lease;
  // It would be but for our own doubt.
  if (seen.judgement.verdict != core::Verdict::live) {
    return doubted_.value_or(Span::zero()) + limits::silence_confirm - clock_.boot_time();
  }
  return std::min(lease.silence_max - seen.silent, lease.hold_max - seen.held) + 1ms;
}

bool Line::holds_itself() const {
  if (!asking_.ticket) return false;
  const core::Holder& waits = asking_.ticket->holder;
  const core::Holder& holds = asking_.wishes.front().holder;
  return waits.place == holds.place && waits.pid == holds.pid && waits.pid_start == holds.pid_start;
}

bool Line::is_rung_here() const {
  return asking_.ticket && asking_.ticket->holder.place == engine_.env().processes.here();
}

Result<std::vector<core::Lease>> Line::leave() {
  std::vector<core::Lease> behind;
  if (asking_.place.empty()) return behind;
  const auto decide = [&](const core::View& view, Time) -> Result<core::Change> {
    core::Change change;
    behind.clear();
    for (const core::Grant& wish : asking_.wishes) {
      const std::string own = core::ticket_key(wish.key, asking_.place);
      TYER_TRY(const auto waiting, core::tickets(view, wish.key));
      const auto mine = std::ranges::find(waiting, own, &core::Lease::key);
      if (mine == waiting.end() || mine->asker.who != wish.asker.who) continue;
      change.endings.push_back({own, mine->token, core::End::released, "", "gave up waiting"});
      if (mine + 1 != waiting.end()) behind.push_back(*(mine + 1));
    }
    return change;
  };
  const core::Asker& asker = asking_.wishes.front().asker;
  const std::string actor = asker.who.empty() ? "run/" + asking_.place : asker.who;
  TYER_TRY_OK(engine_.apply({actor}, decide));
  return behind;
}

}  // namespace tyer::lock
