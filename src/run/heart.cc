#include "run/heart.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "env/kin.h"
#include "run/limits.h"
#include "run/settle.h"

namespace tyer::run {

Heart::Heart(engine::Engine& engine, Span heartbeat, const std::string& id)
    : engine_(engine),
      id_(id),
      keeper_(engine, heartbeat),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (auto bell = env::Bell::hang(mark_of(id))) bell_ = *std::move(bell);
}

void Heart::start() {
  loop_.emplace("run", engine_.env().clock, log_, [this](Time now) { return step(now); });
}

void Heart::listen() {
  if (bell_ && bell_->silence() && loop_) loop_->hint();
}

// A record that cannot be written is one less to find a daemon by.
void Heart::note_kin() {
  if (!kin_file_) return;
  std::string kin = env::encode(env::kin_below(::getpid()));
  if (kin == kin_) return;
  // Lines behind it, of when there were more, name processes that have ended.
  if (kin_file_->write(0, kin)) kin_ = std::move(kin);
}

Result<Time> Heart::step(Time now) {
  // What it looks at was written a moment ago, and the agent that is started now comes first.
  if (!std::exchange(has_looked_, true)) return now + limits::run_look_every;
  note_kin();
  Result<Time> next = keeper_.step(now);
  bool is_lost = !keeper_.take_lost().empty();
  if (other_ != nullptr) {
    const Result<Time> others = other_->step(now);
    is_lost = is_lost || !other_->take_lost().empty();
    // One that cannot be renewed now is tried again soon, whatever the other one says.
    if (next && others) next = std::min(*next, *others);
    if (next && !others) next = others;
  }
  if (is_lost) {
    lost_ = true;
    ::eventfd_write(news_.get(), 1);
  }
  const auto record = look_at_run(engine_, id_);
  if (record && record->stop_asked) {
    stop_asked_ = true;
    ::eventfd_write(news_.get(), 1);
  }
  if (!next) return next;
  return std::min(*next, now + limits::run_look_every);
}

}  // namespace tyer::run
