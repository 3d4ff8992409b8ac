#include "base/time.h"

#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace tyer {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

// Longest first, so that format_span is greedy; "ms" and "us" before "m".
constexpr std::array<Unit, 6> units{{
    {"d", 86'400'000'000},
    {"h", 3'600'000'000},
    {"m", 60'000'000},
    {"s", 1'000'000},
    {"ms", 1'000},
    {"us", 1},
}};

// Reads exactly `width` digits.
bool read_digits(std::string_view& text, std::size_t width, int& value) {
  if (text.size() < width) return false;
  value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return true;
}

bool skip(std::string_view& text, std::string_view any_of) {
  if (text.empty() || !any_of.contains(text.front())) return false;
  text.remove_prefix(1);
  return true;
}

// The fraction of a second after its dot, in microseconds; further digits are cut.
bool read_fraction(std::string_view& text, int& micros) {
  micros = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits < 6) micros = micros * 10 + (text[digits] - '0');
  }
  for (std::size_t i = digits; i < 6; ++i) micros *= 10;
  text.remove_prefix(digits);
  return digits >= 1 && digits <= 9;
}

bool read_zone(std::string_view& text, std::chrono::minutes& offset) {
  offset = {};
  if (skip(text, "Zz")) return true;
  if (text.empty()) return false;
  const bool west = text.front() == '-';
  int hours = 0;
  int minutes = 0;
  if (!skip(text, "+-") || !read_digits(text, 2, hours)) return false;
  skip(text, ":");
  if (!read_digits(text, 2, minutes) || hours > 23 || minutes > 59) return false;
  offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  if (west) offset = -offset;
  return true;
}

// Times are written with every change; a general format would be a tenth of its cost.
void add_digits(std::string& text, std::int64_t number, std::size_t digits) {
  const std::size_t end = text.size() + digits;
  text.resize(end);
  for (std::size_t i = 1; i <= digits; ++i, number /= 10) {
    text[end - i] = static_cast<char>('0' + number % 10);
  }
}

}  // namespace

std::string format_time(Time time, int digits) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  const auto micros = clock.subseconds().count();
  const int year = static_cast<int>(date.year());
  std::string text;
  if (year < 0 || year > 9999) {
    text = fmt::format("{:04}", year);
  } else {
    add_digits(text, year, 4);
  }
  add_digits(text += '-', static_cast<unsigned>(date.month()), 2);
  add_digits(text += '-', static_cast<unsigned>(date.day()), 2);
  add_digits(text += 'T', clock.hours().count(), 2);
  add_digits(text += ':', clock.minutes().count(), 2);
  add_digits(text += ':', clock.seconds().count(), 2);
  add_digits(text += '.', digits == 3 ? micros / 1000 : micros, digits == 3 ? 3 : 6);
  return text += 'Z';
}

Result<Time> parse_time(std::string_view text) {
  const auto wrong = [whole = text] {
    return fail(Fault::invalid,
                fmt::format("'{}' is not a time like 2026-01-02T03:04:05Z", printable(whole, 80)));
  };
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, micros = 0;
  std::chrono::minutes offset{};
  const bool read = read_digits(text, 4, year) && skip(text, "-") && read_digits(text, 2, month) &&
                    skip(text, "-") && read_digits(text, 2, day) && skip(text, "Tt ") &&
                    read_digits(text, 2, hour) && skip(text, ":") && read_digits(text, 2, minute) &&
                    skip(text, ":") && read_digits(text, 2, second) &&
                    (!skip(text, ".") || read_fraction(text, micros)) && read_zone(text, offset) &&
                    text.empty();
  if (!read || hour > 23 || minute > 59 || second > 60) return wrong();
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return wrong();
  return Time{std::chrono::sys_days{date}} + std::chrono::hours(hour) +
         std::chrono::minutes(minute) - offset + std::chrono::seconds(second) + Span(micros);
}

Result<Span> parse_span(std::string_view text) {
  const auto wrong = [whole = text](std::string_view why) {
    return fail(Fault::invalid,
                fmt::format("'{}' is not a duration{}; write it like 90s, 5m or 1h30m",
                            printable(whole, 80), why));
  };
  if (text.empty()) return wrong("");
  std::int64_t total = 0;
  while (!text.empty()) {
    if (text.front() == '-') return wrong(": it is negative");
    std::int64_t count = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem == std::errc::result_out_of_range) return wrong(": it is too long");
    if (problem != std::errc{}) return wrong("");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    std::size_t letters = 0;
    while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
    const std::string_view name = text.substr(0, letters);
    text.remove_prefix(letters);
    const Unit* unit = nullptr;
    for (const Unit& candidate : units) {
      if (candidate.name == name || (name == "min" && candidate.name == "m")) unit = &candidate;
    }
    if (unit == nullptr) return wrong(name.empty() ? ": its unit is missing" : "");
    std::int64_t part = 0;
    if (__builtin_mul_overflow(count, unit->micros, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return wrong(": it is too long");
    }
  }
  return Span(total);
}

std::string format_span(Span span) {
  if (span == Span::zero()) return "0s";
  std::string text = span < Span::zero() ? "-" : "";
  // Unsigned, because the least Span has no negation.
  auto rest = static_cast<std::uint64_t>(span.count());
  if (span < Span::zero()) rest = 0 - rest;
  for (const Unit& unit : units) {
    const auto micros = static_cast<std::uint64_t>(unit.micros);
    // Seconds that are not whole are told in the finer unit: 1500ms, not 1s500ms.
    const bool finer = micros <= 1'000'000 && rest % micros != 0;
    if (rest < micros || finer) continue;
    text += fmt::format("{}{}", rest / micros, unit.name);
    rest %= micros;
  }
  return text;
}

std::string describe_span(Span span) {
  const std::int64_t seconds = span.count() / 1'000'000;
  if (seconds < 1) return fmt::format("{} ms", span.count() / 1000);
  if (seconds < 90) return fmt::format("{} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} d", seconds / 86'400);
}

}  // namespace tyer
