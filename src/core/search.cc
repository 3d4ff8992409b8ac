#include "core/search.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

constexpr std::size_t excerpt_before_chars = 40;
constexpr std::size_t excerpt_chars = 200;

struct Char {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// The first character. A byte that does not belong there is one of its own.
Char first_char(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1) return {lead, 1};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (i >= text.size() || (byte(i) & 0xC0U) != 0x80U) return {lead, 1};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  return {code, bytes};
}

bool is_space(char32_t c) {
  return c <= 0x20 || c == 0x7F || c == 0x85 || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x3000 || c == 0xFEFF;
}

// A character of a script in which two say as much as three letters do.
bool is_dense(char32_t c) {
  return c >= 0x2E80 || (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x11FF);
}

std::size_t gram_chars(char32_t first) {
  return is_dense(first) ? 2 : 3;
}

// Lower case of the alphabets whose letters keep their length in bytes.
char32_t lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9 && c != 0x3A2) ||
      (c >= 0x410 && c <= 0x42F) || (c >= 0xFF21 && c <= 0xFF3A)) {
    return c + 0x20;
  }
  if (c >= 0x400 && c <= 0x40F) return c + 0x50;
  const bool even_is_upper =
      (c >= 0x100 && c <= 0x12F) || (c >= 0x132 && c <= 0x137) || (c >= 0x14A && c <= 0x177);
  const bool odd_is_upper = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
  if (even_is_upper && c % 2 == 0) return c + 1;
  if (odd_is_upper && c % 2 == 1) return c + 1;
  return c;
}

void put(char32_t c, std::size_t bytes, std::string& text) {
  if (bytes == 1) {
    text += static_cast<char>(c);
    return;
  }
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((c >> shift) & 0x3FU));
  };
  if (bytes == 2) text += static_cast<char>(0xC0U | (c >> 6U));
  if (bytes == 3) text += static_cast<char>(0xE0U | (c >> 12U));
  if (bytes == 4) text += static_cast<char>(0xF0U | (c >> 18U));
  for (std::size_t left = bytes - 1; left > 0; --left)
    text += tail(static_cast<unsigned>(6 * (left - 1)));
}

// Without regard to case. Every byte stays where it was.
std::string fold(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  while (!text.empty()) {
    const Char c = first_char(text);
    put(lower(c.code), c.bytes, folded);
    text.remove_prefix(c.bytes);
  }
  return folded;
}

// What is between white space.
std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  std::size_t at = 0;
  const auto end_word = [&] {
    if (at > start) words.push_back(text.substr(start, at - start));
  };
  while (at < text.size()) {
    const Char c = first_char(text.substr(at));
    if (is_space(c.code)) {
      end_word();
      start = at + c.bytes;
    }
    at += c.bytes;
  }
  end_word();
  return words;
}

struct CharAt {
  char32_t code;
  std::size_t at;
};

std::vector<CharAt> chars_of(std::string_view word) {
  std::vector<CharAt> chars;
  for (std::size_t at = 0; at < word.size();) {
    const Char c = first_char(word.substr(at));
    chars.push_back({c.code, at});
    at += c.bytes;
  }
  return chars;
}

// Characters `from` to `until` of a word.
std::string_view piece(std::string_view word, std::span<const CharAt> chars, std::size_t from,
                       std::size_t until) {
  const std::size_t end = until < chars.size() ? chars[until].at : word.size();
  return word.substr(chars[from].at, end - chars[from].at);
}

bool can_be_looked_up(std::string_view word) {
  const Char first = first_char(word);
  return is_dense(first.code) || word.size() > first.bytes;
}

// Forward over `count` characters from `at`.
std::size_t forward(std::string_view text, std::size_t at, std::size_t count) {
  for (; count > 0 && at < text.size(); --count) at += first_char(text.substr(at)).bytes;
  return at;
}

// Back over `count` characters from `at`.
std::size_t back(std::string_view text, std::size_t at, std::size_t count) {
  for (; count > 0 && at > 0; --count) {
    do {
      --at;
    } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  }
  return at;
}

}  // namespace

Result<std::vector<std::string>> read_words(std::string_view query) {
  if (query.size() > limits::search_query_bytes_max) {
    return fail(Fault::limit,
                fmt::format("what is looked for has {} bytes, at most {} are possible",
                            query.size(), limits::search_query_bytes_max));
  }
  if (!is_utf8(query)) return fail(Fault::invalid, "what is looked for is not UTF-8");
  const std::string folded = fold(query);
  std::vector<std::string> words;
  for (const std::string_view word : split_words(folded)) {
    if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
  }
  if (words.size() > limits::search_words_max) {
    return fail(Fault::limit, fmt::format("{} words are looked for, at most {} are possible",
                                          words.size(), limits::search_words_max));
  }
  if (std::ranges::none_of(words, can_be_looked_up)) {
    return fail(Fault::invalid, "look for a word of at least two letters");
  }
  return words;
}

bool holds(std::string_view text, std::span<const std::string> words) {
  const std::string folded = fold(text);
  return std::ranges::all_of(words, [&](const std::string& word) { return folded.contains(word); });
}

std::string clean_text(std::string text) {
  if (text.size() > limits::search_text_bytes_max) {
    text.resize(back(text, limits::search_text_bytes_max, 1));
  }
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::string grams_of(std::string_view text) {
  const std::string folded = fold(text);
  std::vector<std::string_view> grams;
  for (const std::string_view word : split_words(folded)) {
    const std::vector<CharAt> chars = chars_of(word);
    for (std::size_t i = 0; i < chars.size(); ++i) {
      grams.push_back(piece(word, chars, i, i + gram_chars(chars[i].code)));
    }
  }
  std::ranges::sort(grams);
  const auto rest = std::ranges::unique(grams);
  grams.erase(rest.begin(), rest.end());
  return fmt::format("{}", fmt::join(grams, " "));
}

std::vector<Gram> grams_wanted(std::span<const std::string> words) {
  std::vector<Gram> wanted;
  for (const std::string& word : words) {
    const std::vector<CharAt> chars = chars_of(word);
    bool is_whole = false;
    for (std::size_t i = 0; i < chars.size(); ++i) {
      const std::size_t until = i + gram_chars(chars[i].code);
      if (until > chars.size()) continue;  // The grams before it cover it.
      is_whole = true;
      if (wanted.size() < limits::search_grams_max) {
        wanted.push_back({std::string(piece(word, chars, i, until))});
      }
    }
    if (!is_whole && can_be_looked_up(word)) wanted.push_back({word, true});
  }
  return wanted;
}

Excerpt excerpt(std::string_view text, std::span<const std::string> words) {
  const std::string folded = fold(text);
  std::size_t at = std::string::npos;
  std::size_t bytes = 0;
  for (const std::string& word : words) {
    const std::size_t found = folded.find(word);
    if (found < at) {
      at = found;
      bytes = word.size();
    }
  }
  const std::size_t place = at == std::string::npos ? 0 : at;
  const std::size_t from = back(text, place, excerpt_before_chars);
  const std::size_t until = std::max(forward(text, from, excerpt_chars), place + bytes);
  return {.text = std::string(text.substr(from, until - from)),
          .start = chars_of(text.substr(from, place - from)).size(),
          .length = chars_of(text.substr(place, bytes)).size()};
}

}  // namespace tyer::core
