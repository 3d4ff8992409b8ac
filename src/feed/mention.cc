#include "feed/mention.h"

#include <algorithm>
#include <cstdint>

#include "base/nearest.h"
#include "base/text.h"
#include "feed/limits.h"
#include "feed/names.h"

namespace tyer::feed {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Letters beyond ASCII are taken to be everything there but spaces and punctuation.
bool is_letter_beyond(char32_t code) {
  if (code < 0xC0 || code == 0xD7 || code == 0xF7)
    return code == 0xAA || code == 0xB5 || code == 0xBA;
  const bool is_punctuation =
      (code >= 0x2000 && code <= 0x2BFF) || (code >= 0x3000 && code <= 0x3030) ||
      (code >= 0xFE10 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF0F) ||
      (code >= 0xFF1A && code <= 0xFF20) || (code >= 0xFF3B && code <= 0xFF40) ||
      (code >= 0xFF5B && code <= 0xFF65) || code >= 0x1F000;
  return !is_punctuation;
}

bool is_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const Char one = char_at(text, at);
  return one.bytes == 1 ? is_ascii_word(text[at]) : is_letter_beyond(one.code);
}

// Fences as in CommonMark: up to three spaces, then three or more of ` or ~.
struct Fence {
  char mark = 0;
  std::size_t length = 0;
  bool is_bare = false;  // Nothing after it: it can close.
};

Fence fence_of(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == npos || start > 3 || (line[start] != '`' && line[start] != '~')) return {};
  const char mark = line[start];
  const std::size_t end = std::min(line.find_first_not_of(mark, start), line.size());
  if (end - start < 3) return {};
  const std::string_view rest = line.substr(end);
  if (mark == '`' && rest.contains('`')) return {};
  return {mark, end - start, rest.find_first_not_of(" \t\r") == npos};
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

void blank_fences(std::string& text) {
  Fence open;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const Fence here = fence_of(std::string_view(text).substr(at, end - at));
    if (open.mark != 0) {
      blank(text, at, end);
      if (here.mark == open.mark && here.length >= open.length && here.is_bare) open = {};
    } else if (here.mark != 0) {
      blank(text, at, end);
      open = here;
    }
    at = end + 1;
  }
}

// Where the run of backticks that closes one of `length` begins; npos if nothing does.
std::size_t find_run(std::string_view text, std::size_t from, std::size_t length) {
  while (true) {
    const std::size_t start = text.find('`', from);
    if (start == npos) return npos;
    const std::size_t end = std::min(text.find_first_not_of('`', start), text.size());
    if (end - start == length) return start;
    from = end;
  }
}

// Where the line before the next blank one ends: code in a fence is blank by now.
std::size_t find_paragraph_end(std::string_view text, std::size_t from) {
  while (true) {
    const std::size_t line = text.find('\n', from);
    if (line == npos) return text.size();
    const std::size_t filled = text.find_first_not_of(" \t\r", line + 1);
    if (filled == npos || text[filled] == '\n') return line;
    from = filled;
  }
}

// Inline code does not go beyond its paragraph.
void blank_spans(std::string& text) {
  std::size_t paragraph_end = 0;
  for (std::size_t at = text.find('`'); at != npos; at = text.find('`', at)) {
    if (at >= paragraph_end) paragraph_end = find_paragraph_end(text, at);
    const std::size_t inside = std::min(text.find_first_not_of('`', at), text.size());
    const std::size_t length = inside - at;
    // If nothing closes it, no other run of this length follows: a paragraph is searched in vain at
    // most once for each length, of which there are few.
    const std::string_view paragraph = std::string_view(text).substr(0, paragraph_end);
    const std::size_t close = find_run(paragraph, inside, length);
    if (close != npos) blank(text, at, close + length);
    at = close == npos ? inside : close + length;
  }
}

class Finder {
 public:
  Finder(std::string_view text, std::span<const std::string> agents) : text_(without_code(text)) {
    for (std::size_t i = 0; i < agents.size(); ++i) {
      if (!agents[i].empty()) names_.push_back({fold_name(agents[i]), i});
    }
    std::ranges::stable_sort(names_, {}, &Name::folded);
    folded_ = fold_name(text_);
  }

  std::vector<Mention> run() {
    for (std::size_t at = text_.find('@'); at != npos && found_.size() < limits::mentions_max;
         at = text_.find('@', at + 1)) {
      if (!may_begin(at)) continue;
      const auto name = name_at(at + 1);
      if (name == names_.end()) continue;
      add(name->index, at + 1 + name->folded.size());
    }
    return std::move(found_);
  }

  std::vector<Stranger> strangers() {
    std::vector<Stranger> found;
    std::size_t looked_at = 0;
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    for (std::size_t at = text_.find('@'); at != npos && found.size() < limits::strangers_max;
         at = text_.find('@', at + 1)) {
      if (!stands_alone(at) || name_at(at + 1) != names_.end()) continue;
      Stranger one{.name = word_at(at + 1)};
      const bool is_known = std::ranges::find(found, one.name, &Stranger::name) != found.end();
      const std::size_t end = at + 1 + one.name.size();
      // @bot@example.org is somebody elsewhere.
      if (one.name.empty() || is_known || text_.substr(end, 1) == "@") continue;
      if (++looked_at > limits::strangers_looked_at) break;
      one.nearest = nearest_to(one.name);
      const bool is_addressed = at == first && !is_code(end);
      if (one.nearest || is_addressed) found.push_back(std::move(one));
    }
    return found;
  }

 private:
  struct Name {
    std::string folded;
    std::size_t index = 0;
  };

  // Not within an address of any sort.
  [[nodiscard]] bool may_begin(std::size_t at) const {
    if (at == 0) return true;
    const char before = text_[at - 1];
    return !is_ascii_word(before) && !std::string_view("%+-@/").contains(before);
  }

  // As a word does, not within something else: `{@link}`, `$@x`.
  [[nodiscard]] bool stands_alone(std::size_t at) const {
    return at == 0 || std::string_view(" \t\r\n(\"'[*_>").contains(text_[at - 1]);
  }

  // What could be the name of an agent, without the particle behind it.
  [[nodiscard]] std::string word_at(std::size_t at) const {
    std::size_t end = at;
    const bool is_latin = end < text_.size() && is_ascii_word(text_[end]);
    while (end < text_.size()) {
      const bool goes_on = std::string_view("-.").contains(text_[end]) && is_word(text_, end + 1);
      if (!goes_on && !is_word(text_, end)) break;
      if (is_latin && is_hangul(char_at(text_, end).code)) break;
      end += char_at(text_, end).bytes;
    }
    return text_.substr(at, end - at);
  }

  // Whether what stands before `at` is used as code is: `@media (…)`, `@types/node`.
  [[nodiscard]] bool is_code(std::size_t at) const {
    const std::size_t next = std::min(text_.find_first_not_of(' ', at), text_.size());
    return next < text_.size() && std::string_view("({=/").contains(text_[next]);
  }

  [[nodiscard]] std::optional<std::size_t> nearest_to(const std::string& word) const {
    if (word.size() < limits::stranger_bytes_min) return std::nullopt;
    std::vector<std::string_view> known;
    for (const Name& name : names_) known.push_back(name.folded);
    const std::string_view near = nearest(fold_name(word), known);
    if (near.empty()) return std::nullopt;
    return std::ranges::find(names_, near, &Name::folded)->index;
  }

  // The longest name that is written there. The names that go on as the text does become fewer
  // with each byte, so that many names cost little.
  [[nodiscard]] std::vector<Name>::const_iterator name_at(std::size_t at) const {
    auto longest = names_.end();
    auto low = names_.begin();
    auto high = names_.end();
    for (std::size_t i = 0; low != high; ++i) {
      if (low->folded.size() == i && ends_well(*low, at + i)) longest = low;
      while (low != high && low->folded.size() == i) ++low;
      if (at + i >= folded_.size()) break;
      const auto byte = [&](const Name& name) {
        return static_cast<unsigned char>(name.folded[i]);
      };
      const auto alike = std::ranges::equal_range(
          low, high, static_cast<unsigned char>(folded_[at + i]), {}, byte);
      low = alike.begin();
      high = alike.end();
    }
    return longest;
  }

  [[nodiscard]] bool ends_well(const Name& name, std::size_t end) const {
    if (end >= text_.size() || text_[end] == '/') return true;
    if (std::string_view("-.@").contains(text_[end])) return !is_word(text_, end + 1);
    if (!is_word(text_, end)) return true;
    const bool is_particle = is_hangul(char_at(text_, end).code);
    return is_particle && static_cast<unsigned char>(name.folded.back()) < 0x80;
  }

  void add(std::size_t agent, std::size_t end) {
    Mention mention{.agent = agent};
    if (end < text_.size() && text_[end] == '/') {
      std::size_t stop = end + 1;
      while (stop < text_.size() && is_session_char(char_at(text_, stop).code)) {
        stop += char_at(text_, stop).bytes;
      }
      // What goes on with another letter is another name, and not one that can be.
      while (is_word(text_, stop)) {
        mention.usable = false;
        stop += char_at(text_, stop).bytes;
      }
      mention.session = text_.substr(end + 1, stop - end - 1);
      if (!mention.session.empty() && !check_session_name(mention.session)) mention.usable = false;
    }
    const auto is_same = [&](const Mention& other) {
      return other.agent == mention.agent && fold_name(other.session) == fold_name(mention.session);
    };
    if (std::ranges::none_of(found_, is_same)) found_.push_back(std::move(mention));
  }

  const std::string text_;
  std::string folded_;
  std::vector<Name> names_;
  std::vector<Mention> found_;
};

}  // namespace

std::string without_code(std::string_view text) {
  std::string plain(text);
  blank_fences(plain);
  blank_spans(plain);
  return plain;
}

std::vector<Mention> find_mentions(std::string_view text, std::span<const std::string> agents) {
  if (!text.contains('@') || !is_utf8(text)) return {};
  return Finder(text, agents).run();
}

std::vector<Stranger> find_strangers(std::string_view text, std::span<const std::string> agents) {
  if (!text.contains('@') || !is_utf8(text)) return {};
  return Finder(text, agents).strangers();
}

}  // namespace tyer::feed
