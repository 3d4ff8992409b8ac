// Points in time and lengths of time, to the microsecond.
//
// Nothing here reads a clock (law 6: time enters as an argument or through
// Env). On the wire a Time is ISO 8601 in UTC; in a store it is microseconds
// since 1970.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer {

using Span = std::chrono::microseconds;
using Time = std::chrono::sys_time<Span>;

using namespace std::chrono_literals;

[[nodiscard]] constexpr std::int64_t to_micros(Time time) {
  return time.time_since_epoch().count();
}
[[nodiscard]] constexpr Time from_micros(std::int64_t micros) {
  return Time{Span{micros}};
}

inline constexpr Time never = Time::max();

// "2026-01-02T03:04:05.123456Z"; `digits` is 3 or 6.
[[nodiscard]] std::string format_time(Time time, int digits = 6);

// ISO 8601 with a zone (`Z` or an offset) and 0 to 9 digits of a second.
[[nodiscard]] Result<Time> parse_time(std::string_view text);

// "90s", "5m", "1h30m", "500ms", "2d"; a bare number is refused: its unit is a guess.
[[nodiscard]] Result<Span> parse_span(std::string_view text);

// The shortest text that parse_span reads back: "1h30m", "1500ms".
[[nodiscard]] std::string format_span(Span span);

// For people: "12 s", "4 min", "3 h 5 min", "2 d".
[[nodiscard]] std::string describe_span(Span span);

}  // namespace tyer
