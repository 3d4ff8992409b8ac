// What agents and sessions may be called, and when two names are the same.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::feed {

// What is shown of who writes as a person.
inline constexpr std::string_view owner_name = "admin";

// Any text of 1 to 100 characters on one line, without '/' and '@', without white space at its ends
// and without hidden characters. Not the name of the person who has the hub.
[[nodiscard]] Result<> check_agent_name(std::string_view name);

// Letters and digits of ASCII, the syllables 가 to 힣, '_' and '-'; 1 to 20 characters.
[[nodiscard]] Result<> check_session_name(std::string_view name);

// A name of at most `chars_max` characters for something that is only shown: `check_title`. One
// that people know something by has no hidden characters either: `check_visible`.
[[nodiscard]] Result<> check_visible(std::string_view what, std::string_view text,
                                     std::size_t chars_max);
[[nodiscard]] Result<> check_title(std::string_view what, std::string_view text,
                                   std::size_t chars_max);

// What a program calls one of its conversations, or nothing. It becomes an argument of that
// program: printable ASCII without spaces, and no option.
[[nodiscard]] Result<> check_conversation(std::string_view id);

// Two names with the same folded form are one name: `Deploy` is `deploy`.
[[nodiscard]] std::string fold_name(std::string_view name);

// How many characters (code points) valid UTF-8 has.
[[nodiscard]] std::size_t count_chars(std::string_view text);

// How many bytes the character at `at` has, and which it is. Requires valid UTF-8.
struct Char {
  char32_t code = 0;
  std::size_t bytes = 0;
};
[[nodiscard]] Char char_at(std::string_view text, std::size_t at);

[[nodiscard]] bool is_hangul(char32_t code);  // 가 to 힣
[[nodiscard]] bool is_session_char(char32_t code);

}  // namespace tyer::feed
