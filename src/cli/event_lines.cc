#include "cli/event_lines.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/output.h"
#include "core/key.h"

namespace tyer::cli {
namespace {

// One long name does not push all others aside.
constexpr std::size_t key_width_max = 40;
constexpr std::size_t type_width_max = 24;
constexpr std::size_t actor_width_max = 20;
constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

std::string visible_body(const core::Event& event, const core::Catalog& catalog) {
  const core::Kind* kind = catalog.kind(core::kind_of(event.key));
  if (kind != nullptr) return core::shown_body(*kind, event.body);
  return event.type.starts_with("lease.") ? event.body : "{}";
}

// Lease events change no subject and have no revision.
std::string rev_text(const core::Event& event) {
  return event.rev == 0 ? "-" : fmt::format("{}", event.rev);
}

void widen(std::size_t& width, std::string_view text, std::size_t most) {
  width = std::max(width, std::min(display_width(text), most));
}

}  // namespace

std::string json_line(const core::Event& event, const core::Catalog& catalog) {
  auto body = parse_json(visible_body(event, catalog));
  nlohmann::ordered_json json;
  json["seq"] = event.seq;
  json["at"] = format_time(event.at);
  json["key"] = event.key;
  json["rev"] = event.rev;
  json["type"] = event.type;
  json["actor"] = event.actor;
  if (event.cause) json["cause"] = *event.cause;
  json["body"] = body ? *std::move(body) : Json::object();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string EventColumns::lines(const std::vector<core::Event>& page) {
  for (const core::Event& event : page) {
    widen(seq_width_, fmt::format("{}", event.seq), whole);
    widen(key_width_, printable(event.key, whole), key_width_max);
    widen(rev_width_, rev_text(event), whole);
    widen(type_width_, printable(event.type, whole), type_width_max);
    widen(actor_width_, printable(event.actor, whole), actor_width_max);
  }
  std::string text;
  for (const core::Event& event : page) text += line(event);
  return text;
}

std::string EventColumns::line(const core::Event& event) const {
  const std::string head = fmt::format("{}  {}", pad_left(fmt::format("{}", event.seq), seq_width_),
                                       format_time(event.at, 3));
  const std::string key = pad_right(printable(event.key, whole), key_width_);
  const std::string rev = pad_left(rev_text(event), rev_width_);
  const std::string type = pad_right(printable(event.type, whole), type_width_);
  std::string body = printable(visible_body(event, catalog_), whole);
  if (body == "{}") body.clear();
  std::string actor = printable(event.actor, whole);
  if (!body.empty()) {
    actor = pad_right(actor, actor_width_);
    const std::size_t used = display_width(head) + display_width(key) + display_width(rev) +
                             display_width(type) + display_width(actor) + 10;
    if (look_.width != 0) body = used < look_.width ? clip(body, look_.width - used) : "";
  }
  const auto styled = [this](Style style, std::string_view text) {
    return paint(look_.color, style, text);
  };
  std::string text =
      fmt::format("{}  {}  {}  {}  {}", styled(Style::dim, head), styled(Style::key, key),
                  styled(Style::dim, rev), styled(Style::bold, type), actor);
  if (!body.empty()) text += "  " + styled(Style::dim, body);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace tyer::cli
