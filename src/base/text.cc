#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace tyer {
namespace {

// How many bytes at the start are ASCII, in whole words: most text is.
std::size_t ascii_words(std::string_view text) {
  std::size_t length = 0;
  std::uint64_t word = 0;
  for (; length + sizeof word <= text.size(); length += sizeof word) {
    std::memcpy(&word, text.data() + length, sizeof word);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  return length;
}

// Length of the valid UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// The character that `bytes` are. Requires one valid sequence.
char32_t code_of(std::string_view bytes) {
  constexpr std::array<unsigned, 5> first_bits{0, 0x7FU, 0x1FU, 0x0FU, 0x07U};
  char32_t code = static_cast<unsigned char>(bytes.front()) & first_bits.at(bytes.size());
  for (const char c : bytes.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

struct CodeRange {
  char32_t first;
  char32_t last;
};

constexpr std::array hidden_ranges{
    CodeRange{0xAD, 0xAD},         // The soft hyphen.
    CodeRange{0x034F, 0x034F},     // The grapheme joiner.
    CodeRange{0x061C, 0x061C},     // A mark of direction, as more are below.
    CodeRange{0x115F, 0x1160},     // Fillers of Hangul.
    CodeRange{0x17B4, 0x17B5},     // Vowels of Khmer that are not written.
    CodeRange{0x180B, 0x180F},     // Variation selectors of Mongolian.
    CodeRange{0x200B, 0x200F},     // Zero-width characters and marks of direction.
    CodeRange{0x2028, 0x202E},     // Separators of lines; embeddings and overrides of direction.
    CodeRange{0x2060, 0x206F},     // Invisible operators; isolates of direction.
    CodeRange{0x3164, 0x3164},     // The other fillers of Hangul.
    CodeRange{0xFE00, 0xFE0F},     // Variation selectors.
    CodeRange{0xFEFF, 0xFEFF},     // The byte order mark.
    CodeRange{0xFFA0, 0xFFA0},     //
    CodeRange{0xFFF9, 0xFFFB},     // Annotations.
    CodeRange{0x1D173, 0x1D17A},   // Marks of musical notation.
    CodeRange{0xE0000, 0xE0FFF}};  // Tags and further variation selectors.

constexpr char32_t zero_width_joiner = 0x200D;
constexpr char32_t emoji_selector = 0xFE0F;

bool is_pictograph(char32_t code) {
  return (code >= 0x2190 && code <= 0x2BFF) || (code >= 0x1F000 && code <= 0x1FAFF);
}

// `before`: the character before it, or 0.
bool is_hidden(char32_t code, char32_t before) {
  if (code == emoji_selector && is_pictograph(before)) return false;
  if (code == zero_width_joiner && (is_pictograph(before) || before == emoji_selector)) {
    return false;
  }
  return std::ranges::any_of(hidden_ranges, [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 3> own_suffixes{".json", ".lock", ".tmp"};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(ascii_words(text));
    if (text.empty()) return true;
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) return true;
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)
      return true;
  }
  return false;
}

bool has_hidden_characters(std::string_view text) {
  char32_t before = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(sequence_length(text), 1);
    const char32_t code = code_of(text.substr(0, length));
    if (is_hidden(code, before)) return true;
    before = code;
    text.remove_prefix(length);
  }
  return false;
}

std::string encode_file_name(std::string_view text) {
  std::size_t suffix_dot = std::string_view::npos;
  for (const std::string_view suffix : own_suffixes) {
    if (text.ends_with(suffix)) suffix_dot = text.size() - suffix.size();
  }
  std::string name;
  name.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool special_dot = text[i] == '.' && (i == 0 || i == suffix_dot);
    if (is_plain(text[i]) && !special_dot) {
      name += text[i];
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(text[i]));
    }
  }
  return name;
}

Result<std::string> decode_file_name(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      text += name[i];
      continue;
    }
    const int high = i + 2 < name.size() ? hex_value(name[i + 1]) : -1;
    const int low = i + 2 < name.size() ? hex_value(name[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return fail(Fault::invalid,
                  fmt::format("'{}' is not a percent-encoded name", printable(name)));
    }
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return text;
}

std::string printable(std::string_view text, std::size_t max) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.size() <= max && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string shown;
  char32_t before = 0;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view bytes = text.substr(0, length == 0 ? 1 : length);
    const char32_t code = length == 0 ? 0 : code_of(bytes);
    const bool is_shown = length != 0 && !has_control_characters(bytes) && !is_hidden(code, before);
    before = code;
    std::string piece(bytes);
    if (!is_shown) {
      piece.clear();
      for (const char c : bytes) piece += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    if (shown.size() + piece.size() > max) return shown + "…";
    shown += piece;
    text.remove_prefix(bytes.size());
  }
  return shown;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4U];
    text += digits[byte & 0xFU];
  }
  return text;
}

}  // namespace tyer
