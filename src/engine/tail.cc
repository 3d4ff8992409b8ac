#include "engine/tail.h"

#include <fmt/format.h>

#include "engine/limits.h"

namespace tyer::engine {

Tail::Tail(Engine& engine, std::uint64_t after, std::string root, Sink sink)
    : engine_(engine), root_(std::move(root)), sink_(std::move(sink)), after_(after) {}

Result<Time> Tail::step(Time now) {
  std::vector<core::Event> events;
  core::Head head;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(head, view.head());
    if (head.first > after_ + 1) return {};
    TYER_TRY(events, view.events({.after = after_, .root = root_, .limit = limits::tail_rows_max}));
    return {};
  }));
  if (head.first > after_ + 1) {
    return fail(Fault::gone,
                fmt::format("the log begins at {}, this reader stands at {}; start from a snapshot",
                            head.first, after_));
  }
  for (const core::Event& event : events) {
    if (!sink_(event)) return now + limits::poll_every;
    after_ = event.seq;
  }
  if (events.size() == limits::tail_rows_max) return now;
  // Events of other keys up to here need not be looked at again.
  after_ = std::max(after_, head.seq);
  return now + limits::poll_every;
}

}  // namespace tyer::engine
