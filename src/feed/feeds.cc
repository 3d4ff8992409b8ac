#include "feed/feeds.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "feed/kinds.h"
#include "feed/limits.h"
#include "feed/names.h"

namespace tyer::feed {
namespace {

Result<> check_feed_name(const std::string& name) {
  TYER_TRY_OK(check_visible("the feed's name", name, limits::feed_name_chars_max));
  if (name.find_first_not_of(' ') == std::string::npos) {
    return fail(Fault::invalid, "a feed needs a name");
  }
  return {};
}

// Two of one name could only be told apart by their ids. Stores from before have some.
Result<> check_free(const std::vector<core::Subject>& feeds, const std::string& name,
                    const std::string& but) {
  for (const core::Subject& feed : feeds) {
    TYER_TRY(const Json state, parse_json_object(feed.state));
    const std::string other = text_or(state, "name");
    if (id_of(feed) != but && fold_name(other) == fold_name(name)) {
      return fail(Fault::conflict,
                  fmt::format("there is a feed '{}' already ({})", other, id_of(feed)));
    }
  }
  return {};
}

}  // namespace

std::int64_t position_of(const core::Subject& feed) {
  const auto state = parse_json_object(feed.state);
  return state ? int_or(*state, "position") : 0;
}

Result<std::vector<core::Subject>> list_feeds(const core::View& view) {
  TYER_TRY(auto feeds, list_all(view, {.kind = "feed", .status = "active"}, limits::feeds_max));
  std::ranges::stable_sort(feeds, {}, position_of);
  return feeds;
}

Result<NewFeed> decide_add_feed(const core::View& view, const Actor& actor, const std::string& name,
                                Ids& ids, Time now) {
  TYER_TRY_OK(check_feed_name(name));
  TYER_TRY(const auto feeds, list_feeds(view));
  if (feeds.size() >= limits::feeds_max) {
    return fail(Fault::limit,
                fmt::format("there are {} feeds already, which is the limit", feeds.size()));
  }
  TYER_TRY_OK(check_free(feeds, name, ""));
  const std::int64_t last = feeds.empty() ? 0 : position_of(feeds.back());
  NewFeed made{.id = ids.next("fd_")};
  made.change.events.push_back({key_of("feed", made.id), "feed.created",
                                dump_json({{"name", name},
                                           {"position", last + 1},
                                           {"author_type", actor.type()},
                                           {"created_by", actor.id},
                                           {"author_name", actor.name},
                                           {"created_at", format_time(now)}})});
  return made;
}

Result<core::Change> decide_rename_feed(const core::View& view, const std::string& id,
                                        const std::string& name,
                                        std::optional<std::uint64_t> expected_rev) {
  TYER_TRY_OK(check_feed_name(name));
  TYER_TRY(const core::Subject feed, find(view, "feed", id));
  TYER_TRY(const auto feeds, list_feeds(view));
  TYER_TRY_OK(check_free(feeds, name, id));
  return core::Change{
      .events = {{feed.key, "feed.updated", dump_json({{"name", name}}), expected_rev}}};
}

Result<core::Change> decide_delete_feed(const core::View& view, const std::string& id,
                                        std::optional<std::uint64_t> expected_rev, Time now) {
  TYER_TRY(const core::Subject feed, find(view, "feed", id));
  return core::Change{.events = {{feed.key, "feed.deleted",
                                  dump_json({{"deleted_at", format_time(now)}}), expected_rev}}};
}

Result<core::Change> decide_order_feeds(const core::View& view,
                                        const std::vector<std::string>& ids) {
  TYER_TRY(std::vector<core::Subject> feeds, list_feeds(view));
  const auto rank = [&](const core::Subject& feed) {
    return std::ranges::find(ids, id_of(feed)) - ids.begin();
  };
  for (const std::string& id : ids) {
    const auto is_it = [&](const core::Subject& feed) { return id_of(feed) == id; };
    if (std::ranges::none_of(feeds, is_it)) {
      return fail(Fault::not_found, fmt::format("there is no feed {}", printable(id, 60)));
    }
  }
  std::ranges::stable_sort(feeds, {}, rank);
  core::Change change;
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i + 1);
    if (position_of(feeds[i]) == place) continue;
    change.events.push_back({feeds[i].key, "feed.updated", dump_json({{"position", place}})});
  }
  return change;
}

}  // namespace tyer::feed
