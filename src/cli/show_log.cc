#include <charconv>
#include <deque>

#include <fmt/format.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/event_lines.h"
#include "cli/limits.h"
#include "cli/stop_signals.h"
#include "cli/workspace.h"
#include "core/key.h"

namespace tyer::cli {
namespace {

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<std::vector<core::Event>> read_page(store::Store& store, std::uint64_t after,
                                           const std::string& root, std::size_t rows) {
  std::vector<core::Event> page;
  TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(page, view.events({.after = after, .root = root, .limit = rows}));
    return {};
  }));
  return page;
}

Result<core::Head> read_head(store::Store& store) {
  core::Head head;
  TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(head, view.head());
    return {};
  }));
  return head;
}

// The number of the last event before `time`. Times of events never run
// backwards (law 6), so half of the log can be left out with each look.
Result<std::uint64_t> last_before(store::Store& store, const core::Head& head, Time time) {
  if (head.seq == 0) return 0;
  std::uint64_t low = head.first - 1;  // Known to be before.
  std::uint64_t high = head.seq + 1;   // Known not to be.
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    TYER_TRY(const std::vector<core::Event> page, read_page(store, middle - 1, "", 1));
    const bool before = !page.empty() && page.front().at < time;
    (before ? low : high) = middle;
  }
  return low;
}

// --since as the number after which events are wanted.
Result<std::uint64_t> read_since(store::Store& store, const core::Head& head,
                                 const std::string& text) {
  if (const auto number = read_number(text)) return *number;
  if (const auto time = parse_time(text)) return last_before(store, head, *time);
  const auto ago = parse_span(text);
  if (!ago) {
    return fail(Fault::invalid,
                fmt::format("--since '{}' is neither an event's number, nor a time like "
                            "2026-01-02T03:04:05Z, nor a duration like 10m",
                            text));
  }
  TYER_TRY(const Time now, store.now());
  return last_before(store, head, now - std::min<Span>(*ago, now.time_since_epoch()));
}

// Where the newest `limit` events after `after` begin. Only numbers are kept.
Result<std::uint64_t> skip_to_newest(store::Store& store, const core::Head& head,
                                     std::uint64_t after, const std::string& root,
                                     std::uint64_t limit) {
  if (limit == 0) return std::max(after, head.seq);
  if (root.empty()) return std::max(after, head.seq > limit ? head.seq - limit : 0);
  std::deque<std::uint64_t> newest;
  std::uint64_t position = after;
  while (true) {
    TYER_TRY(const std::vector<core::Event> page,
             read_page(store, position, root, limits::log_page_rows));
    for (const core::Event& event : page) {
      newest.push_back(position = event.seq);
      if (newest.size() > limit) newest.pop_front();
    }
    if (page.size() < limits::log_page_rows) break;
  }
  return newest.empty() ? position : newest.front() - 1;
}

struct Wanted {
  std::string root;
  bool follow = false;
  bool json = false;
  std::optional<std::string> since;
  std::optional<std::uint64_t> limit;
};

Result<Wanted> read_wanted(const Arguments& arguments) {
  Wanted wanted{.root = arguments.value("KEY").value_or(""),
                .follow = arguments.has("--follow"),
                .json = arguments.has("--json"),
                .since = arguments.value("--since"),
                .limit = std::nullopt};
  if (arguments.has("KEY")) {
    // A kind alone stands for all its keys.
    const bool is_kind = !wanted.root.contains('/');
    TYER_TRY_OK(core::check_key(is_kind ? wanted.root + "/x" : wanted.root));
  }
  if (const auto text = arguments.value("--limit")) {
    wanted.limit = read_number(*text);
    if (!wanted.limit || *wanted.limit > limits::log_rows_max) {
      return fail(Fault::invalid, fmt::format("--limit '{}' is not a number from 0 to {}", *text,
                                              limits::log_rows_max));
    }
  } else if (wanted.follow && !wanted.since) {
    wanted.limit = limits::follow_rows;
  }
  return wanted;
}

Result<std::uint64_t> find_start(World& world, store::Store& store, const Wanted& wanted) {
  TYER_TRY(const core::Head head, read_head(store));
  std::uint64_t after = 0;
  if (wanted.since) {
    TYER_TRY(after, read_since(store, head, *wanted.since));
    if (head.first > 0 && after + 1 < head.first && read_number(*wanted.since)) {
      const std::uint64_t last = head.first - 1;
      world.output.warn(
          after + 1 == last
              ? fmt::format("tyer: event {} is no longer kept\n", last)
              : fmt::format("tyer: events {} to {} are no longer kept\n", after + 1, last));
    }
  }
  if (!wanted.limit) return after;
  return skip_to_newest(store, head, after, wanted.root, *wanted.limit);
}

// Prints all there is after `after`, which moves along.
Result<> print_events(World& world, store::Store& store, const Wanted& wanted,
                      EventColumns& columns, std::uint64_t& after) {
  while (!world.output.closed()) {
    TYER_TRY(const std::vector<core::Event> page,
             read_page(store, after, wanted.root, limits::log_page_rows));
    if (page.empty()) break;
    if (wanted.json) {
      for (const core::Event& event : page) world.output.print(json_line(event, world.catalog));
    } else {
      world.output.print(columns.lines(page));
    }
    after = page.back().seq;
    TYER_TRY_OK(world.output.flush());
    if (page.size() < limits::log_page_rows) break;
  }
  return {};
}

}  // namespace

Done run_log(World& world, const Arguments& arguments) {
  TYER_TRY(const Wanted wanted, read_wanted(arguments));
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  std::optional<StopSignals> stop;
  if (wanted.follow) stop.emplace();
  TYER_TRY(const auto store, open_store(world, settings, Access::read));

  std::unique_ptr<store::Watch> watch;
  if (wanted.follow) {
    TYER_TRY(watch, store->watch());
  }
  EventColumns columns(world.catalog,
                       {.color = wants_color(world, settings),
                        .width = world.output.on_terminal() ? world.output.width() : 0});
  TYER_TRY(std::uint64_t after, find_start(world, *store, wanted));
  while (true) {
    TYER_TRY_OK(print_events(world, *store, wanted, columns, after));
    if (!wanted.follow || stop->arrived() || world.output.closed()) return 0;
    TYER_TRY_OK(watch->wait(limits::follow_every));
  }
}

}  // namespace tyer::cli
