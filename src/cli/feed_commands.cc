// tyer feed list, add, remove, post, comment, show and retry.

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/confirm.h"
#include "cli/door.h"
#include "cli/hub_lines.h"
#include "cli/hub_names.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "feed/limits.h"

namespace tyer::cli {
namespace {

// What stands behind the command, or what comes on standard input.
Result<std::string> read_content(const Arguments& arguments) {
  if (const auto text = arguments.value("TEXT")) return *text;
  // One byte more, so that the hub says what is too long.
  TYER_TRY(std::string text,
           read_all(STDIN_FILENO, limits::content_bytes_max + 1, "the text on standard input"));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// What the author should know: who was not woken, and why.
void tell_notices(World& world, const Json& written) {
  const auto notices = written.find("notices");
  if (notices == written.end() || !notices->is_array()) return;
  for (const Json& notice : *notices) {
    if (!notice.is_string()) continue;
    world.output.warn(fmt::format("tyer: {}\n", printable(notice.get<std::string>(), 1'000)));
  }
}

Done write_text(World& world, const Arguments& arguments, Door& door, const std::string& path,
                const std::optional<std::string>& title) {
  TYER_TRY(const std::string content, read_content(arguments));
  TYER_TRY(const std::string body, body_of({{"title", title}, {"content", content}}));
  TYER_TRY(const Json written, door.ask("POST", path, {}, body));
  print_object(world, arguments, written, text_or(written, "id") + "\n");
  tell_notices(world, written);
  return 0;
}

// The newest first is how it comes, the newest last how it is read.
Json reversed(Json rows) {
  std::ranges::reverse(rows);
  return rows;
}

std::string first_line(const Json& post) {
  const std::string title = text_or(post, "title");
  const std::string text = title.empty() ? text_or(post, "content") : title;
  return clip(printable(text.substr(0, text.find('\n')), 400), 60);
}

Done show_feed(World& world, const Arguments& arguments, Door& door, std::size_t most) {
  TYER_TRY(const std::string feed, find_feed(door, *arguments.value("FEED_OR_POST")));
  TYER_TRY(Json newest, door.ask_all("/api/feeds/" + feed + "/posts", {}, most));
  const Json rows = reversed(std::move(newest));
  std::vector<std::vector<std::string>> lines{{"POST", "CREATED", "AUTHOR", "COMMENTS", "TITLE"}};
  for (const Json& row : rows) {
    const bool unread = row.contains("unread") && row["unread"] == true;
    const bool troubled = !text_or(row, "trouble").empty();
    lines.push_back({shown_text(row, "id"), shown_text(row, "created_at"),
                     shown_text(row, "author_name"),
                     fmt::format("{}{}{}", int_or(row, "comment_count"), unread ? " new" : "",
                                 troubled ? " trouble" : ""),
                     first_line(row)});
  }
  print_rows(world, arguments, rows, lines, "No posts.\n");
  return 0;
}

// Of a thread, from a time on: what is older stands with comments that are not shown.
Tried<Json> notices_of(Door& door, const std::string& post, const std::string& since) {
  TYER_TRY(const Json events,
           door.ask_all("/api/events", {{"key", "thread/" + post}, {"topics", "notice"}},
                        limits::hub_list_rows));
  Json notices = Json::array();
  for (const Json& event : events) {
    if (text_or(event, "at") >= since) notices.push_back(event);
  }
  return notices;
}

// In the order of time. What was remarked of a comment when it was written stands below it.
void print_thread(World& world, const Json& comments, const Json& notices, bool color) {
  auto notice = notices.begin();
  const auto print_notices_before = [&](const std::string& time) {
    for (; notice != notices.end() && (time.empty() || text_or(*notice, "at") < time); ++notice) {
      world.output.print("\n" + notice_text(*notice, color));
    }
  };
  for (Json comment : comments) {
    print_notices_before(text_or(comment, "created_at"));
    comment.erase("post_id");  // It stands under its post.
    world.output.print("\n" + entry_text(comment, color));
  }
  print_notices_before("");
}

Done show_post(World& world, const Arguments& arguments, Door& door, const std::string& id,
               std::size_t most) {
  TYER_TRY(Json post, door.ask("GET", "/api/posts/" + id));
  TYER_TRY(Json newest, door.ask_all("/api/posts/" + id + "/comments", {{"order", "desc"}}, most));
  const Json comments = reversed(std::move(newest));
  const auto older = int_or(post, "comment_count") - static_cast<std::int64_t>(comments.size());
  const bool is_whole = older <= 0 || comments.empty();
  const std::string since = is_whole ? "" : text_or(comments.front(), "created_at");
  TYER_TRY(const Json notices, notices_of(door, id, since));
  if (arguments.has("--json")) {
    post["comments"] = comments;
    post["thread_notices"] = notices;
    world.output.print(dump_json(post) + "\n");
    return 0;
  }
  const bool color = wants_color(world, door.settings());
  world.output.print(entry_text(post, color));
  print_thread(world, comments, notices, color);
  if (older > 0) {
    TYER_TRY_OK(world.output.flush());
    world.output.warn(fmt::format("tyer: {} not shown; --limit shows more\n",
                                  count(static_cast<std::uint64_t>(older), "older comment")));
  }
  return 0;
}

// "3 posts": what a feed takes with it.
Tried<std::string> posts_in(Door& door, const std::string& feed) {
  TYER_TRY(const Json posts,
           door.ask_all("/api/feeds/" + feed + "/posts", {}, limits::hub_list_rows));
  return fmt::format("{}{}", posts.size() < limits::hub_list_rows ? "" : "at least ",
                     count(posts.size(), "post"));
}

}  // namespace

Done run_feed_list(World& world, const Arguments& arguments) {
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const Json rows, door->ask_all("/api/feeds", {}, limits::hub_list_rows));
  std::vector<std::vector<std::string>> lines{{"ID", "NAME", "UNREAD", "BY"}};
  for (const Json& row : rows) {
    lines.push_back({shown_text(row, "id"), shown_text(row, "name"),
                     std::to_string(int_or(row, "unread")), shown_text(row, "author_name")});
  }
  print_rows(world, arguments, rows, lines, "No feeds.\n");
  return 0;
}

Done run_feed_add(World& world, const Arguments& arguments) {
  TYER_TRY(const std::string body, body_of({{"name", arguments.value("NAME")}}));
  TYER_TRY(const auto door, Door::open(world, arguments, Access::write));
  TYER_TRY(const Json made, door->ask("POST", "/api/feeds", {}, body));
  print_object(world, arguments, made, text_or(made, "id") + "\n");
  return 0;
}

Done run_feed_remove(World& world, const Arguments& arguments) {
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const std::string feed, find_feed(*door, *arguments.value("FEED")));
  TYER_TRY(const Json what, door->ask("GET", "/api/feeds/" + feed));
  TYER_TRY(const std::string hit, posts_in(*door, feed));
  TYER_TRY(const bool sure,
           confirm(world, arguments,
                   fmt::format("feed {} ({}): {}", shown_text(what, "name"), feed, hit),
                   "Delete it with all that is in it?"));
  if (!sure) return 1;
  TYER_TRY_OK(door->ask("DELETE", "/api/feeds/" + feed));
  print_object(world, arguments, {{"id", feed}, {"status", "deleted"}},
               feed + " is deleted, with what is in it\n");
  return 0;
}

Done run_feed_post(World& world, const Arguments& arguments) {
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY(const std::string feed, find_feed(*door, *arguments.value("FEED")));
  return write_text(world, arguments, *door, "/api/feeds/" + feed + "/posts",
                    arguments.value("--title"));
}

Done run_feed_comment(World& world, const Arguments& arguments) {
  TYER_TRY(const std::string post, check_post(*arguments.value("POST")));
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  return write_text(world, arguments, *door, "/api/posts/" + post + "/comments", std::nullopt);
}

Done run_feed_show(World& world, const Arguments& arguments) {
  TYER_TRY(const std::size_t most,
           read_count(arguments, "--limit", limits::show_rows, 1, limits::show_rows_max));
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  const std::string what = *arguments.value("FEED_OR_POST");
  if (is_id(what, "ps_")) return show_post(world, arguments, *door, what, most);
  return show_feed(world, arguments, *door, most);
}

Done run_feed_retry(World& world, const Arguments& arguments) {
  const std::string item = *arguments.value("ITEM");
  const std::string session = *arguments.value("SESSION");
  if (!is_id(item, "ps_") && !is_id(item, "cm_")) {
    return std::unexpected(
        Failure{{Fault::invalid,
                 fmt::format("'{}' is not the id of a post or comment", printable(item, 80))},
                "'tyer feed show POST' names the command for what was skipped"});
  }
  if (!is_id(session, "ss_")) {
    return std::unexpected(Failure{
        {Fault::invalid, fmt::format("'{}' is not the id of a session", printable(session, 80))},
        "'tyer agent sessions NAME' lists them"});
  }
  TYER_TRY(const auto door, Door::open(world, arguments, Access::read));
  TYER_TRY_OK(
      door->ask("POST", fmt::format("/api/sessions/{}/items/{}/retry", session, item), {}, "{}"));
  print_object(world, arguments, {{"item", item}, {"session_id", session}, {"status", "open"}},
               item + " is tried again\n");
  return 0;
}

}  // namespace tyer::cli
