#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/event_lines.h"
#include "cli/limits.h"
#include "cli/locking.h"
#include "cli/stop_signals.h"
#include "env/wait_readable.h"

namespace tyer::cli {
namespace {

constexpr std::size_t text_width_max = 40;

std::string shown(std::string_view text) {
  return text.empty() ? "-" : clip(printable(text, 400), text_width_max);
}

std::string left(const lock::Seen& seen) {
  const core::Lease& lease = seen.lease;
  const Span span = lease.hold_max - seen.held;
  return span > Span::zero() ? describe_span(span) : "none";
}

std::string verdict(const lock::Seen& seen, bool color) {
  if (seen.judgement.verdict == core::Verdict::live) return paint(color, Style::good, "live");
  return paint(color, Style::bad,
               fmt::format("{}: {}", core::name(seen.judgement.verdict),
                           printable(seen.judgement.why, 200)));
}

std::string lock_table(const std::vector<lock::Seen>& locks, bool color) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back(
      {"KEY", "COMMAND", "WHO", "HOST", "AGE", "HEARTBEAT", "LEFT", "WAITING", "VERDICT"});
  for (const lock::Seen& seen : locks) {
    const core::Lease& lease = seen.lease;
    const std::string who = lease.owner.empty()
                                ? fmt::format("pid {}", lease.holder.pid)
                                : fmt::format("{} (pid {})", shown(lease.owner), lease.holder.pid);
    rows.push_back({shown(lock::name_of(lease.key)), shown(lease.command), who,
                    shown(lease.holder.place.host), describe_span(seen.held),
                    describe_span(seen.silent) + " ago", left(seen),
                    seen.waiting == 0 ? "-" : std::to_string(seen.waiting), verdict(seen, color)});
  }
  return table(rows);
}

std::string json_list(const std::vector<lock::Seen>& locks) {
  return json_of(locks) + "\n";
}

// The table in place of the one before it. Lines that do not fit are left out:
// a screen that scrolls cannot be painted over.
class LiveTable {
 public:
  explicit LiveTable(World& world, bool color) : world_(world), color_(color) {}

  Result<> show(const std::vector<lock::Seen>& locks) {
    std::string text = locks.empty() ? "No locks.\n" : lock_table(locks, color_);
    std::string painted = lines_ > 0 ? fmt::format("\x1b[{}A", lines_) : "";
    lines_ = 0;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      painted += fmt::format("{}\x1b[K\n", color_ ? line : clip(line, world_.output.width()));
      at = end + 1;
      ++lines_;
    }
    world_.output.print(painted + "\x1b[J");
    return world_.output.flush();
  }

 private:
  World& world_;
  const bool color_;
  std::size_t lines_ = 0;
};

Done watch_table(World& world, const Locking& locking, const StopSignals& stop) {
  LiveTable live(world, wants_color(world, locking.settings));
  TYER_TRY(const auto watch, locking.store->watch());
  while (true) {
    TYER_TRY(const std::vector<lock::Seen> locks, locking.locks->list());
    TYER_TRY_OK(live.show(locks));
    const int fds[]{stop.fd(), watch->fd()};
    TYER_TRY_OK(env::wait_any(fds, limits::watch_every));
    if (stop.arrived()) return 0;
    (void)watch->wait(Span::zero());
  }
}

// Not on a terminal: what happens to locks, as it happens, after what happened last.
Done watch_events(World& world, const Arguments& arguments, const Locking& locking,
                  const StopSignals& stop) {
  TYER_TRY(const auto watch, locking.store->watch());
  EventColumns columns(world.catalog, {});
  std::uint64_t after = 0;
  TYER_TRY_OK(locking.store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    after = head.seq - std::min(head.seq, limits::follow_rows);
    return {};
  }));
  while (!stop.arrived() && !world.output.closed()) {
    std::vector<core::Event> page;
    TYER_TRY_OK(locking.store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(page, view.events({.after = after, .root = "lock", .limit = limits::log_page_rows}));
      return {};
    }));
    if (!page.empty()) after = page.back().seq;
    if (arguments.has("--json")) {
      for (const core::Event& event : page) world.output.print(json_line(event, world.catalog));
    } else if (!page.empty()) {
      world.output.print(columns.lines(page));
    }
    TYER_TRY_OK(world.output.flush());
    if (page.size() == limits::log_page_rows) continue;
    const int fds[]{stop.fd(), watch->fd()};
    TYER_TRY_OK(env::wait_any(fds, limits::watch_every));
    (void)watch->wait(Span::zero());
  }
  return 0;
}

}  // namespace

Done run_lock_list(World& world, const Arguments& arguments) {
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::read));
  TYER_TRY(const std::vector<lock::Seen> locks, locking.locks->list());
  if (arguments.has("--json")) {
    world.output.print(json_list(locks));
  } else {
    world.output.print(locks.empty() ? "No locks.\n"
                                     : lock_table(locks, wants_color(world, locking.settings)));
  }
  return 0;
}

Done run_lock_watch(World& world, const Arguments& arguments) {
  const StopSignals stop;
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::read));
  if (world.output.on_terminal() && !arguments.has("--json")) {
    return watch_table(world, locking, stop);
  }
  return watch_events(world, arguments, locking, stop);
}

}  // namespace tyer::cli
