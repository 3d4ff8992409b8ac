// Feeds (H4, H5).

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/posts.h"
#include "feed/feeds.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

constexpr std::size_t unread_shown_max = 100;

// A feed with how many of its threads have something new, up to a hundred.
Result<std::string> shown_feed(const core::View& view, const core::Subject& feed) {
  TYER_TRY(
      const auto unread,
      view.subjects(
          {.parent = feed.key, .kind = "thread", .status = "unread", .limit = unread_shown_max}));
  return with(shown(feed), fmt::format(R"("unread":{})", unread.size()));
}

Result<http::Response> list_feeds(Call& call) {
  std::vector<PlacedRow> rows;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows.clear();
    TYER_TRY(const auto feeds, feed::list_feeds(view));
    for (const core::Subject& one : feeds) {
      TYER_TRY(std::string row, shown_feed(view, one));
      rows.push_back({feed::position_of(one), feed::id_of(one), std::move(row)});
    }
    return {};
  }));
  return answer_rows(call, rows);
}

Result<http::Response> add_feed(Call& call) {
  std::string id;
  TYER_TRY_OK(call.hub.apply(
      call.caller.actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(feed::Ids ids, ids_of(call, view, now));
        TYER_TRY(feed::NewFeed made,
                 feed::decide_add_feed(view, call.caller.actor, call.input.text("name"), ids, now));
        id = made.id;
        return std::move(made.change);
      }));
  return answer_one(call, "feed", id, shown_feed, 201);
}

Result<http::Response> show_feed(Call& call) {
  return answer_one(call, "feed", call.id(), shown_feed);
}

Result<http::Response> edit_feed(Call& call) {
  TYER_TRY(const auto rev, call.expected_rev());
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time) {
    return feed::decide_rename_feed(view, call.id(), call.input.text("name"), rev);
  }));
  return show_feed(call);
}

Result<http::Response> remove_feed(Call& call) {
  TYER_TRY(const auto rev, call.expected_rev());
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time now) {
    return feed::decide_delete_feed(view, call.id(), rev, now);
  }));
  return answer("", 204);
}

Result<http::Response> order_feeds(Call& call) {
  TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time) {
    return feed::decide_order_feeds(view, call.input.texts("ids"));
  }));
  return list_feeds(call);
}

}  // namespace

// Long because it is a table.
std::vector<Route> feed_routes() {
  const Field name{"name", Type::text, true, "at most 100 characters"};
  return {
      {.method = "GET",
       .path = "/api/feeds",
       .summary = "The feeds, in their order",
       .query = row_fields(),
       .reply = "Page of Feed",
       .handle = list_feeds},
      {.method = "POST",
       .path = "/api/feeds",
       .summary = "Makes a feed",
       .body = {name},
       .reply = "Feed",
       .status = 201,
       .handle = add_feed,
       .writes_feed = true},
      {.method = "PUT",
       .path = "/api/feeds/order",
       .who = Who::human,
       .summary = "Puts feeds in order; those not named follow",
       .body = {{"ids", Type::texts, true, "ids of feeds"}},
       .reply = "Page of Feed",
       .handle = order_feeds},
      {.method = "GET",
       .path = "/api/feeds/{id}",
       .summary = "One feed",
       .reply = "Feed",
       .handle = show_feed,
       .quick = true},
      {.method = "PATCH",
       .path = "/api/feeds/{id}",
       .who = Who::human,
       .summary = "Renames a feed",
       .body = {name},
       .reply = "Feed",
       .handle = edit_feed},
      {.method = "DELETE",
       .path = "/api/feeds/{id}",
       .who = Who::human,
       .summary = "Deletes a feed with what is in it",
       .reply = "Nothing",
       .status = 204,
       .handle = remove_feed},
  };
}

}  // namespace tyer::api
