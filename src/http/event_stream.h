// Server-sent events as text: written so that nothing can be smuggled in, read in any pieces. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "http/limits.h"

namespace tyer::http {

// One event. Every line of `data` is a line of its own; a carriage return is a
// line's end too and is read back as '\n'. Line ends and NUL in `id` and `event`
// are left out; an empty one is not written.
[[nodiscard]] std::string event_text(std::string_view id, std::string_view event,
                                     std::string_view data);

struct ServerEvent {
  std::string id;     // The last one that was given, maybe with an earlier event.
  std::string event;  // Empty means "message".
  std::string data;
  std::optional<Span> retry;  // If it was said since the event before.

  friend bool operator==(const ServerEvent&, const ServerEvent&) = default;
};

class EventReader {
 public:
  explicit EventReader(std::size_t event_max = limits::http_event_max) : event_max_(event_max) {}

  // The events that end in `text`. An event larger than `event_max` is a `limit`.
  [[nodiscard]] Result<std::vector<ServerEvent>> feed(std::string_view text);

 private:
  void take_line(std::vector<ServerEvent>& events);
  void take_field(std::string_view name, std::string_view value);

  const std::size_t event_max_;
  std::string line_;
  bool is_first_ = true;   // A byte order mark may stand before the first line.
  bool after_cr_ = false;  // A '\n' that follows is the same line's end.
  bool has_data_ = false;
  ServerEvent event_;
};

}  // namespace tyer::http
