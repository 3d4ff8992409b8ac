// Finding texts by what stands in them.
//
// A text is found if every word of the query occurs in it, anywhere: also inside a longer word, so
// that "배포" finds "자동배포를", and whatever the case. What is a match is decided here and is the
// same for every store. An index only says which texts are worth looking at: it knows the grams of
// each text, pieces of two characters in scripts that write without spaces or with long words
// (Korean, Chinese, Japanese, Thai), else of three. A word shorter than that is looked for as the
// beginning of a gram. What the user wrote is never part of a query language: it is cut into grams
// first.
//
// Not understood: word forms, accents, letters written as several characters (NFD).

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tyer::core {

// The words of a query as they are looked for: folded, each once. `invalid` if there is none that
// an index can find, which takes two characters, or one of the scripts above.
[[nodiscard]] Result<std::vector<std::string>> read_words(std::string_view query);

// Whether every word is in `text`.
[[nodiscard]] bool holds(std::string_view text, std::span<const std::string> words);

// A text as indexes keep it: not longer than they can, and without NUL.
[[nodiscard]] std::string clean_text(std::string text);

// The grams of a text, each once, with a space between them. Requires UTF-8.
[[nodiscard]] std::string grams_of(std::string_view text);

// What a text has at least if it holds `words`.
struct Gram {
  std::string text;  // Any character but white space.
  bool is_prefix = false;

  friend bool operator==(const Gram&, const Gram&) = default;
};
[[nodiscard]] std::vector<Gram> grams_wanted(std::span<const std::string> words);

// Where it was found: a piece of the text around the first word that is found.
struct Excerpt {
  std::string text;
  std::size_t start = 0;   // Of what was found in `text`, in characters.
  std::size_t length = 0;  // 0: nothing was found; `text` is the beginning.

  friend bool operator==(const Excerpt&, const Excerpt&) = default;
};
[[nodiscard]] Excerpt excerpt(std::string_view text, std::span<const std::string> words);

}  // namespace tyer::core
