// Full-text search over posts and comments (H7).

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/paging.h"
#include "base/json_text.h"
#include "core/key.h"
#include "core/search.h"
#include "feed/ids.h"
#include "feed/kinds.h"
#include "feed/writing.h"

namespace tyer::api {
namespace {

struct Searched {
  const core::Kind* kind = nullptr;
  std::string prefix;  // Of its keys, before the part that sorts by time.
};

// One page of both kinds together, by time. Ids of either sort by it after their prefix.
class TextSearch {
 public:
  TextSearch(const core::View& view, std::vector<Searched> kinds, std::vector<std::string> words)
      : view_(view), kinds_(std::move(kinds)), words_(std::move(words)) {}

  std::vector<std::string> rows;
  std::string cursor;  // The time part of the last one looked at; empty: there is no more.

  // Adds what is found before the cursor, up to `limit` rows in all.
  Result<> go_on(std::size_t limit) {
    std::map<std::string, Found, std::greater<>> found;  // The newest first.
    std::string reached;                                 // So far every kind was looked through.
    for (const Searched& searched : kinds_) {
      core::TextQuery query{.kind = searched.kind->name,
                            .words = words_,
                            .text = searched.kind->text,
                            .limit = limit - rows.size()};
      if (!cursor.empty()) query.before = searched.prefix + cursor;
      TYER_TRY(const core::TextFound page, view_.search(query));
      for (const std::string& key : page.keys) found[time_part(key)] = {key, searched.kind};
      reached = std::max(reached, page.next.empty() ? "" : time_part(page.next));
    }
    cursor = reached;
    for (auto each = found.begin(); each != found.end() && each->first >= reached; ++each) {
      TYER_TRY_OK(add(each->second));
      if (rows.size() < limit) continue;
      if (std::next(each) != found.end()) cursor = each->first;
      break;
    }
    return {};
  }

 private:
  struct Found {
    std::string key;
    const core::Kind* kind = nullptr;
  };

  static std::string time_part(const std::string& key) {
    return std::string(feed::sortable_part(core::rest_of(key)));
  }

  // What is deleted, or in something deleted, is not shown.
  Result<> add(const Found& found) {
    TYER_TRY(const auto subject, view_.subject(found.key));
    if (!subject || subject->status != "active") return {};
    TYER_TRY(const bool is_there, has_place(*subject));
    if (!is_there) return {};
    const core::Excerpt piece = core::excerpt(core::text_of(*found.kind, *subject), words_);
    rows.push_back(
        with(shown(*subject),
             fmt::format(R"("kind":"{}","excerpt":{{"text":{},"start":{},"length":{}}})",
                         found.kind->name, json_string(piece.text), piece.start, piece.length)));
    return {};
  }

  // Whether its feed, and the post of a comment, are still there.
  Result<bool> has_place(const core::Subject& subject) {
    const bool is_post = core::kind_of(subject.key) == "post";
    const std::string post =
        is_post ? feed::id_of(subject) : std::string(core::rest_of(subject.parent));
    const auto known = places_.find(post);
    if (known != places_.end()) return known->second;
    const auto there = feed::find_post(view_, post);
    if (!there && there.error().fault != Fault::not_found) return std::unexpected(there.error());
    return places_[post] = there.has_value();
  }

  const core::View& view_;
  const std::vector<Searched> kinds_;
  const std::vector<std::string> words_;
  std::map<std::string, bool> places_;
};

Result<std::vector<Searched>> kinds_asked(Call& call) {
  const std::string_view asked = call.request.query_of("kind");
  std::vector<Searched> kinds;
  for (const auto& [name, prefix] : {std::pair("post", "post/ps_"), {"comment", "comment/cm_"}}) {
    const core::Kind* const kind = call.hub.engine().catalog().kind(name);
    if (kind != nullptr && (asked.empty() || asked == name)) kinds.push_back({kind, prefix});
  }
  if (kinds.empty()) return fail(Fault::invalid, "kind is post or comment, or not given for both");
  return kinds;
}

Result<http::Response> search(Call& call) {
  TYER_TRY(const std::size_t limit, page_limit(call));
  TYER_TRY(const auto words, core::read_words(call.request.query_of("q")));
  TYER_TRY(const auto kinds, kinds_asked(call));
  const std::string cursor(call.request.query_of("cursor"));
  if (!cursor.empty() && !core::check_key("post/ps_" + cursor)) {
    return fail(Fault::invalid, "cursor is not one that we gave");
  }
  std::vector<std::string> rows;
  std::string next;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TextSearch searching(view, kinds, words);
    searching.cursor = cursor;
    // What is not shown leaves room for more.
    for (int turn = 0; turn < limits::search_turns_max; ++turn) {
      TYER_TRY_OK(searching.go_on(limit));
      if (searching.cursor.empty() || searching.rows.size() >= limit) break;
    }
    rows = std::move(searching.rows);
    next = std::move(searching.cursor);
    return {};
  }));
  return answer_page(rows, next);
}

}  // namespace

std::vector<Route> search_routes() {
  std::vector<Field> query = page_fields();
  query.insert(query.begin(),
               {{"q", Type::text, true, "words; what is found has every one of them"},
                {"kind", Type::text, false, "post or comment; both if not given"}});
  return {{.method = "GET",
           .path = "/api/search",
           .summary =
               "Posts and comments with these words, the newest first. Each has its kind, and "
               "an excerpt with where in it the first word was found, in characters",
           .query = query,
           .reply = "Page of Post or Comment",
           .handle = search}};
}

}  // namespace tyer::api
