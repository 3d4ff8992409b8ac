// UTF-8 text, hex and percent encoding.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer {

[[nodiscard]] bool is_utf8(std::string_view text);

// U+0000 to U+001F, U+007F and U+0080 to U+009F in valid UTF-8.
[[nodiscard]] bool has_control_characters(std::string_view text);

// Characters that nobody sees, or that change the order in which others are shown: zero-width ones,
// fillers, and those of the writing direction. A name that has one can pass for another. What joins
// the parts of one emoji is none of them. Requires valid UTF-8.
[[nodiscard]] bool has_hidden_characters(std::string_view text);

// A text as one plain file name, reversibly: letters, digits, '_', '-', '.',
// and everything from U+0080 on stay; the rest is %XX. A leading dot and the
// dot of a trailing ".json", ".lock" or ".tmp" are encoded as well, so that no
// name hides, climbs, or looks like one of our own suffixes.
[[nodiscard]] std::string encode_file_name(std::string_view text);
[[nodiscard]] Result<std::string> decode_file_name(std::string_view name);

// For messages: control characters, hidden characters and invalid bytes as \xNN, at most `max`
// bytes shown.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max = 200);

[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace tyer
