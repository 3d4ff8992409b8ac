#include "fuzz/targets.h"
#include "http/event_stream.h"

namespace tyer::fuzz {
namespace {

using http::EventReader;
using http::ServerEvent;

constexpr std::size_t small_event = 64;

std::vector<ServerEvent> read(std::string_view text) {
  EventReader reader;
  return reader.feed(text).value_or(std::vector<ServerEvent>());
}

}  // namespace

std::string read_event_stream(std::string_view input) {
  const std::vector<ServerEvent> whole = read(input);
  EventReader reader;
  std::vector<ServerEvent> joined;
  in_pieces(input, [&](std::string_view piece) {
    const auto more = reader.feed(piece).value_or(std::vector<ServerEvent>());
    joined.insert(joined.end(), more.begin(), more.end());
  });
  if (joined != whole) return "events depend on how they come";
  for (ServerEvent event : whole) {
    std::erase(event.event, '\0');  // It is left out of what is written.
    const auto again = read(http::event_text(event.id, event.event, event.data));
    if (again.size() != 1 || again[0].data != event.data || again[0].id != event.id ||
        again[0].event != event.event) {
      return "an event that was read is not read again as it was";
    }
  }
  // Anything may be written; it stays one event.
  if (read(http::event_text(input, input, input)).size() != 1) return "an event was smuggled in";

  EventReader strict(small_event);
  std::string complaint;
  bool is_over = false;
  in_pieces(input, [&](std::string_view piece) {
    if (is_over) return;
    const auto some = strict.feed(piece);
    is_over = !some;
    if (!some) return;
    for (const ServerEvent& event : *some) {
      if (event.data.size() > small_event) complaint = "an event is larger than it may be";
    }
  });
  return complaint;
}

}  // namespace tyer::fuzz
