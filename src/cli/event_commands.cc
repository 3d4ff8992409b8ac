// tyer events and tyer feed tail: what happened, and what happens.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "api/wire_event.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/door.h"
#include "cli/hub_lines.h"
#include "cli/hub_names.h"
#include "cli/limits.h"
#include "cli/stop_signals.h"

namespace tyer::cli {
namespace {

std::string each_of(const std::string& list, const std::function<std::string(std::string)>& each) {
  std::string joined;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) joined += (joined.empty() ? "" : ",") + each(list.substr(at, end - at));
    at = end + 1;
  }
  return joined;
}

// Ids of the agents of --agents, with commas.
Tried<std::string> agents_of(Door& door, const std::string& list) {
  std::optional<Failure> failed;
  std::string ids = each_of(list, [&](const std::string& name) {
    auto id = failed ? Tried<std::string>("") : find_agent(door, name);
    if (!id) failed = id.error();
    return id.value_or("");
  });
  if (failed) return std::unexpected(*failed);
  return ids;
}

Tried<Query> read_filters(Door& door, const Arguments& arguments) {
  Query filter;
  if (const auto topics = arguments.value("--topics")) {
    filter.emplace_back("topics", each_of(*topics, [](std::string one) { return one; }));
  }
  if (const auto agents = arguments.value("--agents")) {
    TYER_TRY(std::string ids, agents_of(door, *agents));
    filter.emplace_back("agents", std::move(ids));
  }
  for (const auto& [name, value] : filter) {
    if (value.empty()) {
      return std::unexpected(Failure{{Fault::invalid, fmt::format("--{} names none", name)}});
    }
  }
  return filter;
}

Result<std::string> read_after(const Arguments& arguments) {
  const auto text = arguments.value("--after");
  if (!text) return std::string();
  if (const auto seq = api::event_seq(*text)) return api::event_id(*seq);
  return fail(Fault::invalid, fmt::format("--after '{}' is not an event's id like {}",
                                          printable(*text, 80), api::event_id(42)));
}

std::size_t line_width(const World& world) {
  return world.output.on_terminal() ? world.output.width() : 0;
}

constexpr const char* tail_topics = "post,comment,notice";

// What `tyer feed tail` shows: posts and comments that were just written and notices, of one feed
// or of all.
class Shown {
 public:
  Shown(World& world, const Arguments& arguments, std::string feed)
      : world_(world), arguments_(arguments), feed_(std::move(feed)) {}

  [[nodiscard]] bool has(const Json& event) {
    const std::string type = text_or(event, "event");
    if (type == "notice") return feed_.empty() || is_in_feed(text_or(event, "id"));
    return (type == "post_created" || type == "comment_created") &&
           (feed_.empty() || text_or(event, "feed_id") == feed_);
  }

 private:
  // A notice does not say it. Through a door of its own: the other one may be busy with events. If
  // nobody can say it, the notice is shown, unless its post is gone.
  bool is_in_feed(const std::string& post) {
    if (const auto known = posts_.find(post); known != posts_.end()) return known->second;
    if (!door_) {
      auto door = Door::open(world_, arguments_, Access::read);
      if (!door) return true;
      door_ = *std::move(door);
    }
    const auto found = door_->ask("GET", "/api/posts/" + post);
    if (!found) return found.error().error.fault != Fault::not_found;
    const bool is_here = text_or(*found, "feed_id") == feed_;
    if (posts_.size() < limits::tail_posts_max) posts_.emplace(post, is_here);
    return is_here;
  }

  World& world_;
  const Arguments& arguments_;
  const std::string feed_;
  std::unique_ptr<Door> door_;
  std::map<std::string, bool> posts_;  // Those of notices, and whether they are in the feed.
};

// The newest `most` entries up to the event `position`, without those that were deleted since, as
// they were changed since. The log is read backwards, a page at a time.
Tried<std::deque<Json>> newest_entries(Door& door, const std::string& position, Shown& shown,
                                       std::size_t most) {
  std::deque<Json> found;
  std::set<std::string> deleted;
  std::map<std::string, Json> changed;
  std::uint64_t end = api::event_seq(position).value_or(0);
  for (std::size_t i = 0; i < limits::tail_pages_max && end > 0 && found.size() < most; ++i) {
    const std::uint64_t begin = end > limits::hub_page_rows ? end - limits::hub_page_rows : 0;
    TYER_TRY(Json page, door.ask("GET", "/api/events",
                                 {{"topics", tail_topics},
                                  {"cursor", api::event_id(begin)},
                                  {"limit", std::to_string(end - begin)}}));
    Json& rows = page["data"];
    for (auto row = rows.rbegin(); row != rows.rend() && found.size() < most; ++row) {
      const std::string type = text_or(*row, "event");
      const std::string id = text_or(*row, "id");
      if (type.ends_with("_deleted")) deleted.insert(id);
      if (type.ends_with("_updated")) changed.emplace(id, *row);
      const Json notice = row->value("notice", Json::object());
      if (deleted.contains(id) || deleted.contains(text_or(*row, "post_id")) ||
          deleted.contains(text_or(notice, "source_id")) || !shown.has(*row)) {
        continue;
      }
      if (const auto change = changed.find(id); change != changed.end()) {
        for (const char* name : {"title", "content"}) {
          if (change->second.contains(name)) (*row)[name] = change->second[name];
        }
      }
      found.push_front(std::move(*row));
    }
    end = begin;
  }
  return found;
}

Done print_past(World& world, Door& door, const Query& filter, std::string after, std::size_t most,
                const Door::Sink& print) {
  Query query = filter;
  query.emplace_back("limit", std::to_string(limits::hub_page_rows));
  query.emplace_back("cursor", std::move(after));
  for (std::size_t shown = 0; shown < most && !world.output.closed();) {
    TYER_TRY(const Json page, door.ask("GET", "/api/events", query));
    for (const Json& event : page["data"]) {
      if (shown++ < most) (void)print(event);
    }
    TYER_TRY_OK(world.output.flush());
    query.back().second = text_or(page, "next_cursor");
    if (query.back().second.empty()) break;
  }
  return 0;
}

}  // namespace

Done run_events(World& world, const Arguments& arguments) {
  TYER_TRY(std::string after, read_after(arguments));
  const std::size_t unbounded = limits::log_rows_max;
  TYER_TRY(std::size_t left, read_count(arguments, "--limit", unbounded, 1, unbounded));
  const bool follows = arguments.has("--follow");
  std::optional<StopSignals> stop;
  if (follows) stop.emplace();
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const Query filter, read_filters(*door, arguments));
  const bool json = arguments.has("--json");
  const bool color = wants_color(world, door->settings());
  const std::size_t width = line_width(world);
  const auto print = [&](const Json& event) {
    world.output.print(json ? dump_json(event) + "\n" : event_text(event, color, width));
    return !arguments.has("--limit") || --left > 0;
  };
  if (!follows) return print_past(world, *door, filter, after, left, print);
  if (after.empty()) {
    TYER_TRY(after, door->position(*stop));
  }
  TYER_TRY_OK(door->follow(filter, after, *stop, print));
  return 0;
}

Done run_feed_tail(World& world, const Arguments& arguments) {
  TYER_TRY(const std::size_t last,
           read_count(arguments, "--last", limits::tail_entries, 0, limits::tail_entries_max));
  const StopSignals stop;
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  std::string feed;
  if (const auto name = arguments.value("FEED")) {
    TYER_TRY(feed, find_feed(*door, *name));
    TYER_TRY_OK(door->ask("GET", "/api/feeds/" + feed));
  }
  const bool json = arguments.has("--json");
  const bool color = wants_color(world, door->settings());
  Shown shown(world, arguments, feed);
  const auto print = [&](const Json& event) {
    if (!shown.has(event)) return true;
    const bool is_notice = text_or(event, "event") == "notice";
    world.output.print(json        ? dump_json(event) + "\n"
                       : is_notice ? notice_text(event, color)
                                   : entry_text(event, color));
    return true;
  };
  TYER_TRY(const std::string position, door->position(stop));
  TYER_TRY(const std::deque<Json> entries, newest_entries(*door, position, shown, last));
  for (const Json& entry : entries) (void)print(entry);
  TYER_TRY_OK(world.output.flush());
  TYER_TRY_OK(door->follow({{"topics", tail_topics}}, position, stop, print));
  return 0;
}

}  // namespace tyer::cli
