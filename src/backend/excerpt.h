// Pieces of what a program said, fit to be kept: valid, bounded, one line where
// it is a sentence. And what can be told from them.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "backend/report.h"

namespace tyer::backend {

// Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text);

// The first or the last `max` bytes, at a character's boundary, with "…" for the
// rest. Requires UTF-8.
[[nodiscard]] std::string cut_end(std::string text, std::size_t max);
[[nodiscard]] std::string cut_start(std::string text, std::size_t max);

// As one line without control characters, colours and a full stop.
[[nodiscard]] std::string sentence(std::string_view text);

// The line of standard error that says most: the last about an error, else the last that is no hint
// and no place in a program, else the last.
[[nodiscard]] std::string telling_line(std::string_view errors);

// Whether it can stand as an argument by itself: printable ASCII, no space, not
// too long, and not a flag.
[[nodiscard]] bool is_word(std::string_view text);
[[nodiscard]] bool is_uuid(std::string_view text);

// How long they say to wait, as in "try again in 3 minutes" or "retryDelay": "12s".
[[nodiscard]] std::optional<Span> said_wait(std::string_view text);

// The HTTP status in a message such as "unexpected status 401 Unauthorized".
[[nodiscard]] int status_in(std::string_view text);

// What an HTTP status means; nothing if it says nothing.
[[nodiscard]] std::optional<Verdict> judge_status(int status);

[[nodiscard]] bool is_blank(std::string_view text);

// Whether any of `parts` stands in `text`.
[[nodiscard]] bool says(std::string_view text, std::initializer_list<std::string_view> parts);

}  // namespace tyer::backend
