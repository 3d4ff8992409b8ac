// Posts and comments: what is written, whom it is meant for, and what follows from it, in one
// change.
//
// A mention of an unknown session makes it (H11). Who is meant is decided here and stored with the
// event as `targets` (H12); each of them has an item to answer (H16).

#pragma once

#include <string>
#include <vector>

#include "core/change.h"
#include "core/view.h"
#include "feed/actor.h"
#include "feed/ids.h"
#include "feed/limits.h"
#include "feed/routing.h"

namespace tyer::feed {

struct Writing {
  Actor actor;
  std::string feed;  // Of a post.
  std::string post;  // Of a comment.
  std::string title;
  std::string content;
  std::vector<std::string> answers = {};  // Ids of posts and comments that this comment answers.
  Serves serves = {};                     // What the hub itself knows of who is served.
};

struct Written {
  core::Change change;
  std::string key;                   // Of the post or comment.
  std::vector<std::string> notices;  // What its author should know.
};

[[nodiscard]] Result<Written> decide_post(const core::View& view, const Writing& writing,
                                          const limits::FeedRules& rules, Ids ids, Time now);
[[nodiscard]] Result<Written> decide_comment(const core::View& view, const Writing& writing,
                                             const limits::FeedRules& rules, Ids ids, Time now);

// A post whose feed is still there.
[[nodiscard]] Result<core::Subject> find_post(const core::View& view, std::string_view id);

[[nodiscard]] Result<> check_content(std::string_view content);

// Changes the text. Only its author and people may; nobody is woken by it.
struct Edit {
  Actor actor;
  std::string kind;  // "post" or "comment".
  std::string id;
  std::optional<std::string> title;
  std::optional<std::string> content;
  std::optional<std::uint64_t> expected_rev;
};
[[nodiscard]] Result<core::Change> decide_edit(const core::View& view, const Edit& edit, Time now);
[[nodiscard]] Result<core::Change> decide_delete(const core::View& view, const Edit& edit,
                                                 Time now);

}  // namespace tyer::feed
