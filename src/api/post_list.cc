// Posts wherever they are: the newest, those with something new, those that are named. One request
// for what would be one for each feed, or each post.

#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/paging.h"
#include "api/posts.h"
#include "base/text.h"
#include "core/key.h"
#include "core/limits.h"
#include "feed/kinds.h"
#include "feed/records.h"

namespace tyer::api {
namespace {

static_assert(limits::api_list_items_max <= limits::change_items_max, "all are read in one change");

// Feeds by their keys, each looked at once: what is in one that was deleted is not shown.
class Feeds {
 public:
  explicit Feeds(const core::View& view) : view_(view) {}

  [[nodiscard]] Result<bool> is_there(const std::string& key) {
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    TYER_TRY(const auto feed, view_.subject(key));
    return known_[key] = feed && feed->status == "active";
  }

 private:
  const core::View& view_;
  std::map<std::string, bool> known_;
};

// The post that `row` is, or whose thread it is, if it is still to be seen.
Result<> add_post(const core::View& view, Feeds& feeds, const core::Subject& row,
                  std::vector<std::string>& rows) {
  TYER_TRY(const bool is_there, feeds.is_there(row.parent));
  if (!is_there) return {};
  TYER_TRY(const auto post, view.subject(feed::key_of("post", feed::id_of(row))));
  if (!post || post->status != "active") return {};
  TYER_TRY(std::string shown, shown_post(view, *post));
  rows.push_back(std::move(shown));
  return {};
}

// Those of these ids that are there, in the order of the ids.
Result<http::Response> list_named(Call& call, std::string_view ids) {
  std::vector<std::string> named;
  for (const auto id : std::views::split(ids, ',')) named.emplace_back(std::string_view(id));
  if (named.size() > limits::api_page_max) {
    return fail(Fault::invalid, fmt::format("ids are at most {}", limits::api_page_max));
  }
  std::vector<std::string> rows;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows.clear();
    Feeds feeds(view);
    for (const std::string& id : named) {
      const std::string key = feed::key_of("post", id);
      if (!core::check_key(key)) {
        return fail(Fault::invalid, fmt::format("'{}' is no id of a post", printable(id, 60)));
      }
      TYER_TRY(const auto post, view.subject(key));
      if (post) TYER_TRY_OK(add_post(view, feeds, *post, rows));
    }
    return {};
  }));
  return answer_page(rows, "");
}

Result<http::Response> list_all_posts(Call& call) {
  const std::string_view ids = call.request.query_of("ids");
  if (!ids.empty()) return list_named(call, ids);
  const bool is_unread = call.request.query_of("unread") == "true";
  const std::string kind = is_unread ? "thread" : "post";
  TYER_TRY(const std::size_t limit, page_limit(call));
  const std::string cursor(call.request.query_of("cursor"));
  core::SubjectQuery query{
      .kind = kind, .status = is_unread ? "unread" : "active", .limit = limit + 1};
  if (!cursor.empty()) query.before = feed::key_of(kind, cursor);
  if (!cursor.empty() && !core::check_key(query.before)) {
    return fail(Fault::invalid, "cursor is not one that we gave");
  }
  std::vector<std::string> rows;
  std::string next;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    rows.clear();
    next.clear();
    Feeds feeds(view);
    TYER_TRY(std::vector<core::Subject> found, view.newest(query));
    if (found.size() > limit) {
      found.pop_back();
      next = feed::id_of(found.back());
    }
    for (const core::Subject& one : found) TYER_TRY_OK(add_post(view, feeds, one, rows));
    return {};
  }));
  return answer_page(rows, next);
}

// What is not unread, or not there, is as it was.
Result<http::Response> read_posts(Call& call) {
  TYER_TRY_OK(
      call.hub.apply(call.caller.actor, [&](const core::View& view, Time) -> Result<core::Change> {
        core::Change change;
        const std::vector<std::string> ids = call.input.texts("ids");
        for (const std::string& id : std::set<std::string>(ids.begin(), ids.end())) {
          const std::string key = feed::key_of("thread", id);
          if (!core::check_key(key)) continue;
          TYER_TRY(const auto thread, view.subject(key));
          if (!thread || thread->status != "unread") continue;
          change.events.push_back(thread_read(*thread));
        }
        return change;
      }));
  return answer("{}");
}

}  // namespace

std::vector<Route> post_list_routes() {
  std::vector<Field> query = page_fields();
  query.push_back({"unread", Type::flag, false, "true: only those with something new"});
  query.push_back({"ids", Type::text, false, "only these, with commas, at most 200"});
  return {
      {.method = "GET",
       .path = "/api/posts",
       .summary = "Posts of all feeds, the newest first; a page may have fewer rows than its limit",
       .query = query,
       .reply = "Page of Post",
       .handle = list_all_posts},
      {.method = "POST",
       .path = "/api/read",
       .who = Who::human,
       .summary = "What is new in these threads has been read",
       .body = {{"ids", Type::texts, true, "ids of posts, at most 1000"}},
       .reply = "Nothing",
       .handle = read_posts},
  };
}

}  // namespace tyer::api
