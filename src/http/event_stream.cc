#include "http/event_stream.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tyer::http {
namespace {

constexpr std::int64_t retry_max_ms = 24LL * 3600 * 1000;

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out.append(name).append(": ");
  std::ranges::copy_if(value, std::back_inserter(out),
                       [](char c) { return c != '\r' && c != '\n' && c != '\0'; });
  out += '\n';
}

}  // namespace

std::string event_text(std::string_view id, std::string_view event, std::string_view data) {
  std::string out;
  out.reserve(id.size() + event.size() + data.size() + 32);
  append_field(out, "id", id);
  append_field(out, "event", event);
  while (true) {
    const std::size_t end = std::min(data.find_first_of("\r\n"), data.size());
    out.append("data: ").append(data.substr(0, end)) += '\n';
    if (end == data.size()) break;
    data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return out += '\n';
}

Result<std::vector<ServerEvent>> EventReader::feed(std::string_view text) {
  std::vector<ServerEvent> events;
  while (!text.empty()) {
    if (std::exchange(after_cr_, false) && text.starts_with('\n')) {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    if (line_.size() + event_.data.size() + end > event_max_) {
      return fail(Fault::limit, "an event of the stream is too large");
    }
    line_ += text.substr(0, end);
    if (end == text.size()) break;
    after_cr_ = text[end] == '\r';
    text.remove_prefix(end + 1);
    take_line(events);
    line_.clear();
  }
  return events;
}

void EventReader::take_line(std::vector<ServerEvent>& events) {
  std::string_view line = line_;
  if (std::exchange(is_first_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (!line.empty()) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
    return;
  }
  if (std::exchange(has_data_, false)) {
    event_.data.pop_back();  // The '\n' behind its last line.
    events.push_back(event_);
    event_.retry.reset();
  }
  event_.data.clear();
  event_.event.clear();
}

void EventReader::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    event_.data.append(value) += '\n';
    has_data_ = true;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id") {
    if (!value.contains('\0')) event_.id = value;
  } else if (name == "retry") {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(value.begin(), value.end(), number);
    if (error == std::errc() && rest == value.end() && number >= 0 && number <= retry_max_ms) {
      event_.retry = std::chrono::milliseconds(number);
    }
  }
}

}  // namespace tyer::http
