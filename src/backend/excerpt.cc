#include "backend/excerpt.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "backend/limits.h"
#include "base/json.h"
#include "base/text.h"

namespace tyer::backend {
namespace {

constexpr std::string_view dots = "…";

bool is_tail(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Past "ESC [ … letter", which colours text on a terminal.
std::size_t skip_colour(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at + 1] != '[') return at;
  for (at += 2; at < text.size(); ++at) {
    if (std::isalpha(static_cast<unsigned char>(text[at])) != 0) break;
  }
  return at;
}

struct Unit {
  std::string_view name;
  Span length;
};

// Longer names first where one begins another.
constexpr std::array units{
    Unit{"ms", 1ms},    Unit{"seconds", 1s}, Unit{"second", 1s},    Unit{"secs", 1s},
    Unit{"sec", 1s},    Unit{"s", 1s},       Unit{"minutes", 1min}, Unit{"minute", 1min},
    Unit{"mins", 1min}, Unit{"min", 1min},   Unit{"m", 1min},       Unit{"hours", 1h},
    Unit{"hour", 1h},   Unit{"hr", 1h},      Unit{"h", 1h},         Unit{"days", 24h},
    Unit{"day", 24h},   Unit{"d", 24h},
};

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
}

// "3 days 4 hours", "1h2m", "12.5s"; stops at what is no amount.
Span read_amounts(std::string_view text) {
  Span sum{};
  for (int part = 0; part < 4; ++part) {
    skip_spaces(text);
    double amount = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
    if (error != std::errc{} || !(amount >= 0 && amount <= 1e9)) break;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    skip_spaces(text);
    const auto unit = std::ranges::find_if(units, [&](const Unit& one) {
      return text.starts_with(one.name) &&
             (text.size() == one.name.size() ||
              std::isalpha(static_cast<unsigned char>(text[one.name.size()])) == 0);
    });
    if (unit == units.end()) break;
    const double micros = amount * static_cast<double>(unit->length.count());
    const auto most = static_cast<double>(limits::wait_said_max.count());
    sum += Span(static_cast<Span::rep>(std::min(micros, most)));
    text.remove_prefix(unit->name.size());
  }
  return std::min(sum, limits::wait_said_max);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

// What stands beside an error: a hint, or a place in a program ("at x.js:1").
bool is_aside(std::string_view line) {
  const std::string lower = lower_case(line);
  const auto begins = [&](std::string_view words) { return lower.starts_with(words); };
  constexpr std::array<std::string_view, 8> words{
      "hint:", "help:", "note:", "tip:", "usage:", "= help:", "= note:", "at "};
  return std::ranges::any_of(words, begins);
}

// "ERROR: no", "error: no", "fatal: no", "TypeError: no", "API Error 500", "12:30 ERROR no".
bool is_complaint(std::string_view line) {
  const std::string lower = lower_case(line);
  return says(line, {"Error", "ERROR"}) || says(lower, {"error:", "fatal:", "panic:"}) ||
         lower.starts_with("error ");
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  // The writer of JSON replaces what is invalid, the reader gives the rest back.
  const auto cleaned = parse_json(dump_json(std::string(text)), 8 * text.size() + 8);
  return cleaned && cleaned->is_string() ? cleaned->get<std::string>() : std::string();
}

std::string cut_end(std::string text, std::size_t max) {
  if (text.size() <= max) return text;
  std::size_t end = max - std::min(max, dots.size());
  while (end > 0 && is_tail(text[end])) --end;
  text.resize(end);
  return text.append(dots);
}

std::string cut_start(std::string text, std::size_t max) {
  if (text.size() <= max) return text;
  std::size_t begin = text.size() - (max - std::min(max, dots.size()));
  while (begin < text.size() && is_tail(text[begin])) ++begin;
  return std::string(dots).append(text, begin);
}

std::string sentence(std::string_view text) {
  const std::string clean = clean_text(text.substr(0, 4 * limits::why_bytes_max));
  std::string line;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto c = static_cast<unsigned char>(clean[i]);
    if (c == 0x1B) {
      i = skip_colour(clean, i);
    } else if (c <= ' ' || c == 0x7F) {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else if (c == 0xC2 && static_cast<unsigned char>(clean[i + 1]) < 0xA0) {
      ++i;  // A control character of two bytes.
    } else {
      line += clean[i];
    }
  }
  while (line.ends_with(' ') || line.ends_with('.')) line.pop_back();
  return cut_end(std::move(line), limits::why_bytes_max);
}

std::string telling_line(std::string_view errors) {
  std::array<std::string, 3> lines;  // By how much they tell.
  while (!errors.empty()) {
    const std::size_t end = std::min(errors.find('\n'), errors.size());
    std::string line = sentence(errors.substr(0, end));
    errors.remove_prefix(std::min(end + 1, errors.size()));
    if (line.empty()) continue;
    const std::size_t rank = is_aside(line) ? 2 : is_complaint(line) ? 0 : 1;
    lines[rank] = std::move(line);
  }
  const auto found = std::ranges::find_if(lines, [](const auto& line) { return !line.empty(); });
  return found == lines.end() ? "" : *found;
}

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= limits::agent_word_bytes_max && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) {
      return false;
    }
  }
  return true;
}

std::optional<Span> said_wait(std::string_view text) {
  const std::string lower = lower_case(text.substr(0, limits::note_bytes_max));
  for (const std::string_view words : {"again in ", "retry in ", "retry after ", "retry-after: ",
                                       "retrydelay\":\"", "retrydelay\": \"", "resets in "}) {
    const std::size_t at = lower.find(words);
    if (at == std::string::npos) continue;
    const Span said = read_amounts(std::string_view(lower).substr(at + words.size()));
    if (said > Span::zero()) return said;
  }
  return std::nullopt;
}

int status_in(std::string_view text) {
  for (const std::string_view words :
       {"status ", "status: ", "API Error: ", "\"code\":", "\"code\": "}) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) continue;
    const std::string_view digits = text.substr(at + words.size(), 4);
    if (digits.size() < 3 || !std::ranges::all_of(digits.substr(0, 3), is_digit)) continue;
    if (digits.size() == 4 && is_digit(digits[3])) continue;
    return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
  }
  return 0;
}

std::optional<Verdict> judge_status(int status) {
  switch (status) {
    case 401:
    case 402:
    case 403: return Verdict::credentials;
    case 408:
    case 429: return Verdict::later;
    case 413: return Verdict::too_long;
    default:
      if (status >= 500 && status < 600) return Verdict::later;
      if (status >= 400 && status < 500) return Verdict::mistake;
      return std::nullopt;
  }
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool says(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.contains(part); });
}

}  // namespace tyer::backend
