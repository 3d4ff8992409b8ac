#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "api/wire_event.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/door.h"
#include "cli/event_lines.h"
#include "cli/limits.h"
#include "cli/live_screen.h"
#include "cli/locking.h"
#include "cli/stop_signals.h"
#include "env/wait_readable.h"

namespace tyer::cli {
namespace {

constexpr std::size_t text_width_max = 40;

std::string shown(std::string_view text, std::size_t width = text_width_max) {
  return text.empty() ? "-" : clip(printable(text, 400), width);
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

std::string lock_table(const std::vector<lock::Seen>& locks, bool color,
                       std::size_t text_width = text_width_max) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back(
      {"KEY", "COMMAND", "WHO", "HOST", "AGE", "HEARTBEAT", "LEFT", "WAITING", "VERDICT"});
  for (const lock::Seen& seen : locks) {
    const core::Lease& lease = seen.lease;
    const std::string who =
        lease.owner.empty()
            ? fmt::format("pid {}", lease.holder.pid)
            : fmt::format("{} (pid {})", shown(lease.owner, text_width), lease.holder.pid);
    rows.push_back({shown(lock::name_of(lease.key), text_width), shown(lease.command, text_width),
                    who, shown(lease.holder.place.host, text_width), describe_span(seen.held),
                    describe_span(seen.silent) + " ago", left(seen),
                    seen.waiting == 0 ? "-" : std::to_string(seen.waiting), verdict(seen, color)});
  }
  return table(rows);
}

std::string json_list(const std::vector<lock::Seen>& locks) {
  return json_of(locks) + "\n";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The verdict comes last.
std::string painted(const std::string& line) {
  const std::size_t gap = line.rfind("  ");
  if (gap == std::string::npos || line.starts_with("KEY ")) return line;
  const std::string last = line.substr(gap + 2);
  return line.substr(0, gap + 2) + paint(true, last == "live" ? Style::good : Style::bad, last);
}

Done watch_table(World& world, const Locking& locking) {
  LiveScreen screen(world.output);
  const LiveScreen::Paint paint = wants_color(world, locking.settings) ? painted : nullptr;
  bool was_there = false;
  while (true) {
    const auto locks = locking.desk->list();
    // One that is out of reach for a while may come back; what was seen last stays.
    if (!locks && (!was_there || !info(locks.error().fault).retry_helps)) {
      return std::unexpected(Failure{locks.error()});
    }
    if (locks) {
      was_there = true;
      // So that on a narrow one, more is to be seen than the key.
      const std::size_t most = std::min(text_width_max, world.output.width() / 4);
      TYER_TRY_OK(screen.show(locks->empty() ? std::vector<std::string>{"No locks."}
                                             : lines_of(lock_table(*locks, false, most)),
                              paint));
    }
    TYER_TRY_OK(locking.desk->rest({}, screen.fds(), limits::watch_every));
    if (screen.attend()) return 0;
  }
}

// An event of the log, as the hub tells it. What it says of leases is all that there is.
core::Event event_of(const Json& told) {
  Json body = told;
  for (const char* const name : {"id", "event_id", "event", "at", "actor", "key"}) body.erase(name);
  std::string type = text_or(told, "event");
  if (const std::size_t mark = type.find('_'); mark != std::string::npos) type[mark] = '.';
  return {.seq = api::event_seq(text_or(told, "event_id")).value_or(0),
          .key = text_or(told, "key"),
          .type = std::move(type),
          .at = parse_time(text_or(told, "at")).value_or(Time{}),
          .actor = text_or(told, "actor"),
          .body = dump_json(body)};
}

// The same as `watch_events`, through a hub.
Done watch_hub(World& world, const Arguments& arguments, const StopSignals& stop) {
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const std::string newest, door->position(stop));
  const std::uint64_t head = api::event_seq(newest).value_or(0);
  const std::string after = api::event_id(head - std::min(head, limits::follow_rows));
  EventColumns columns(world.catalog, {});
  TYER_TRY_OK(door->follow({{"topics", "lease"}}, after, stop, [&](const Json& told) {
    const core::Event event = event_of(told);
    if (!event.key.starts_with("lock/")) return true;
    world.output.print(arguments.has("--json") ? json_line(event, world.catalog)
                                               : columns.lines({event}));
    return true;
  }));
  return 0;
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
  TYER_TRY(const std::vector<lock::Seen> locks, locking.desk->list());
  if (arguments.has("--json")) {
    world.output.print(json_list(locks));
  } else {
    world.output.print(locks.empty() ? "No locks.\n"
                                     : lock_table(locks, wants_color(world, locking.settings)));
  }
  return 0;
}

Done run_lock_watch(World& world, const Arguments& arguments) {
  if (world.output.on_terminal() && !arguments.has("--json")) {
    TYER_TRY(const Locking locking, open_locks(world, arguments, Access::read));
    return watch_table(world, locking);
  }
  const StopSignals stop;
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::read));
  if (!locking.store) return watch_hub(world, arguments, stop);
  return watch_events(world, arguments, locking, stop);
}

}  // namespace tyer::cli
