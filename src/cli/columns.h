// Text in aligned columns, as wide as a terminal shows it: Hangul, Han and
// emoji take two columns, combining marks none.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tyer::cli {

// Columns that valid UTF-8 without control characters takes on a terminal.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The longest beginning of `text` that fits in `width` columns, with … if it was cut.
[[nodiscard]] std::string clip(std::string_view text, std::size_t width);

[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

// Rows with two spaces between columns, a line each, without trailing spaces.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows,
                                std::string_view indent = "");

// "1 event", "2 events"; thousands are set apart: "12,000 events".
[[nodiscard]] std::string count(std::uint64_t number, std::string_view noun);

// "a, b or c" of "a|b|c".
[[nodiscard]] std::string alternatives(std::string_view choices);

// A sentence broken into lines of at most `width` columns where there are spaces.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace tyer::cli
