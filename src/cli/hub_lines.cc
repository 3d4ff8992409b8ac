#include "cli/hub_lines.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/arguments.h"
#include "cli/columns.h"

namespace tyer::cli {
namespace {

constexpr std::size_t shown_bytes = 1'000;
constexpr std::size_t all_bytes = std::numeric_limits<std::size_t>::max();
constexpr std::size_t event_width = 18;  // Of a type; most are not longer.

std::string when(const Json& row, const char* name) {
  const auto time = parse_time(text_or(row, name));
  return time ? format_time(*time, 3) : "-";
}

std::string indented(std::string_view rest) {
  std::string out;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    std::string plain;
    for (const char c : line) plain += c == '\t' ? std::string(4, ' ') : std::string(1, c);
    if (plain.ends_with('\r')) plain.pop_back();
    out += plain.empty() ? "\n" : "    " + printable(plain, all_bytes) + "\n";
  }
  return out;
}

}  // namespace

std::string shown_text(const Json& row, const char* name) {
  return printable(text_or(row, name), shown_bytes);
}

void print_rows(World& world, const Arguments& arguments, const Json& rows,
                const std::vector<std::vector<std::string>>& lines, std::string_view nothing) {
  if (arguments.has("--json")) {
    world.output.print(dump_json(rows) + "\n");
  } else {
    world.output.print(rows.empty() ? std::string(nothing) : table(lines));
  }
}

void print_object(World& world, const Arguments& arguments, const Json& object,
                  const std::string& text) {
  world.output.print(arguments.has("--json") ? dump_json(object) + "\n" : text);
}

std::string entry_text(const Json& entry, bool color) {
  const std::string post = shown_text(entry, "post_id");
  const std::string title = shown_text(entry, "title");
  const bool is_agent = text_or(entry, "author_type") == "bot";
  std::string head = fmt::format(
      "{}  {}  {}", paint(color, Style::dim, when(entry, "created_at")),
      paint(color, Style::key, shown_text(entry, "id")),
      paint(color, is_agent ? Style::good : Style::bold, shown_text(entry, "author_name")));
  if (!post.empty()) head += paint(color, Style::dim, "  on " + post);
  if (!title.empty()) head += "  " + paint(color, Style::bold, title);
  return head + "\n" + indented(text_or(entry, "content"));
}

std::string notice_text(const Json& event, bool color) {
  const Json notice = event.value("notice", Json::object());
  const std::string source = shown_text(notice, "source_id");
  const std::string session = shown_text(notice, "session_id");
  const std::string text = text_or(notice, "text");
  std::string head = fmt::format("{}  {}", paint(color, Style::dim, when(event, "at")),
                                 paint(color, Style::bad, "notice"));
  if (!source.empty()) head += "  about " + paint(color, Style::key, source);
  if (const std::string post = shown_text(event, "id"); post != source) {
    head += paint(color, Style::dim, "  on " + post);
  }
  std::string shown = head + "\n" + indented(text);
  if (text.starts_with("skipped:") && !source.empty() && !session.empty()) {
    shown += fmt::format("    tyer feed retry {} {}\n", source, session);
  }
  return shown;
}

std::string event_text(const Json& event, bool color, std::size_t width) {
  Json body = event;
  for (const char* name : {"event_id", "event", "at", "actor", "key", "id"}) body.erase(name);
  const std::string type = pad_right(shown_text(event, "event"), event_width);
  const std::string head = fmt::format("{}  {}", shown_text(event, "event_id"), when(event, "at"));
  const std::string key = shown_text(event, "key");
  const std::string actor = shown_text(event, "actor");
  std::string rest = body.empty() ? "" : printable(dump_json(body), all_bytes);
  if (width != 0) {
    const std::size_t used =
        display_width(head) + display_width(type) + display_width(key) + display_width(actor) + 8;
    rest = used < width ? clip(rest, width - used) : "";
  }
  std::string line =
      fmt::format("{}  {}  {}  {}", paint(color, Style::dim, head), paint(color, Style::bold, type),
                  paint(color, Style::key, key), actor);
  if (!rest.empty()) line += "  " + paint(color, Style::dim, rest);
  return line + "\n";
}

Result<std::size_t> read_count(const Arguments& arguments, std::string_view name,
                               std::size_t fallback, std::size_t least, std::size_t most) {
  const auto text = arguments.value(name);
  if (!text) return fallback;
  std::size_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc{} && rest == end && number >= least && number <= most) return number;
  return fail(Fault::invalid, fmt::format("{} '{}' is not a number from {} to {}", name,
                                          printable(*text, 80), least, most));
}

}  // namespace tyer::cli
