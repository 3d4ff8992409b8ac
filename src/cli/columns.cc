#include "cli/columns.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace tyer::cli {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks that matter, not all of Unicode's East Asian Width.
constexpr std::array<Range, 13> wide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0x33FF},
                                      {0x3400, 0x4DBF},
                                      {0x4E00, 0x9FFF},
                                      {0xA000, 0xA4CF},
                                      {0xA960, 0xA97F},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};

constexpr std::array<Range, 7> zero{{{0x0300, 0x036F},
                                     {0x1160, 0x11FF},
                                     {0x1AB0, 0x1AFF},
                                     {0x200B, 0x200F},
                                     {0x20D0, 0x20FF},
                                     {0xFE00, 0xFE0F},
                                     {0xFE20, 0xFE2F}}};

template <std::size_t n>
bool within(const std::array<Range, n>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

std::size_t width_of(char32_t code) {
  return within(zero, code) ? 0 : within(wide, code) ? 2 : 1;
}

// Takes one character off the front; a byte that is not UTF-8 counts as one.
char32_t take(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return code;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take(text));
  return width;
}

std::string clip(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string_view rest = text;
  std::size_t used = 0;
  while (true) {
    std::string_view next = rest;
    used += width_of(take(next));
    if (used > width - 1) break;
    rest = next;
  }
  return std::string(text.substr(0, text.size() - rest.size())) + "…";
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t own = display_width(text);
  return std::string(text) + std::string(own < width ? width - own : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t own = display_width(text);
  return std::string(own < width ? width - own : 0, ' ') + std::string(text);
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) line += pad_right(row[i], widths[i]) + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string count(std::uint64_t number, std::string_view noun) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return fmt::format("{} {}{}", digits, noun, number == 1 ? "" : "s");
}

std::string alternatives(std::string_view choices) {
  std::string text(choices);
  const std::size_t last = text.rfind('|');
  if (last == std::string::npos) return text;
  text.replace(last, 1, " or ");
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos;)
    text.replace(at, 1, ", ");
  return text;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  lines.push_back(std::move(line));
  return lines;
}

}  // namespace tyer::cli
