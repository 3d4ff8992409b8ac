#include "feed/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

bool is_ascii_alnum(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
         (code >= '0' && code <= '9');
}

// The spaces of Unicode that are no control characters.
bool is_space(char32_t code) {
  return code == ' ' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

std::size_t last_char(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

}  // namespace

Char char_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1FU) << 6U | (byte(1) & 0x3FU), 2};
  if (first < 0xF0) {
    return {(first & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU), 3};
  }
  return {(first & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U |
              (byte(3) & 0x3FU),
          4};
}

std::size_t count_chars(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

bool is_hangul(char32_t code) {
  return code >= 0xAC00 && code <= 0xD7A3;
}

bool is_session_char(char32_t code) {
  return is_ascii_alnum(code) || code == '_' || code == '-' || is_hangul(code);
}

Result<> check_title(std::string_view what, std::string_view text, std::size_t chars_max) {
  if (!is_utf8(text)) return fail(Fault::invalid, fmt::format("{} is not UTF-8", what));
  if (has_control_characters(text)) {
    return fail(Fault::invalid, fmt::format("{} has control characters; use one plain line", what));
  }
  if (const std::size_t chars = count_chars(text); chars > chars_max) {
    return fail(Fault::invalid, fmt::format("{} has {} characters, at most {} are possible", what,
                                            chars, chars_max));
  }
  return {};
}

Result<> check_visible(std::string_view what, std::string_view text, std::size_t chars_max) {
  TYER_TRY_OK(check_title(what, text, chars_max));
  if (!has_hidden_characters(text)) return {};
  return fail(Fault::invalid,
              fmt::format("{} '{}' has characters that nobody sees or that turn the text around; "
                          "leave them out",
                          what, printable(text)));
}

Result<> check_conversation(std::string_view id) {
  const bool is_word =
      !id.starts_with('-') && std::ranges::all_of(id, [](char c) { return c > ' ' && c < '\x7f'; });
  if (is_word && id.size() <= limits::conversation_bytes_max) return {};
  return fail(Fault::invalid,
              fmt::format("claude_session_id '{}' is none: it has 1 to {} printable ASCII "
                          "characters, no space, and does not begin with '-'",
                          printable(id, 80), limits::conversation_bytes_max));
}

Result<> check_agent_name(std::string_view name) {
  TYER_TRY_OK(check_visible("the agent's name", name, limits::agent_name_chars_max));
  if (name.empty()) return fail(Fault::invalid, "an agent needs a name");
  if (fold_name(name) == owner_name) {
    return fail(Fault::invalid, "the name 'admin' is that of the person here; take another one");
  }
  if (is_space(char_at(name, 0).code) || is_space(char_at(name, last_char(name)).code)) {
    return fail(Fault::invalid, "the agent's name begins or ends with a space");
  }
  if (const std::size_t at = name.find_first_of("/@"); at != std::string_view::npos) {
    return fail(Fault::invalid,
                fmt::format("the agent's name '{}' has a '{}', which mentions need for themselves",
                            name, name[at]));
  }
  return {};
}

Result<> check_session_name(std::string_view name) {
  if (!is_utf8(name)) return fail(Fault::invalid, "the session's name is not UTF-8");
  const std::size_t chars = count_chars(name);
  if (chars == 0 || chars > limits::session_name_chars_max) {
    return fail(Fault::invalid,
                fmt::format("the session's name has {} characters, 1 to {} are possible", chars,
                            limits::session_name_chars_max));
  }
  for (std::size_t at = 0; at < name.size();) {
    const Char one = char_at(name, at);
    if (!is_session_char(one.code)) {
      return fail(
          Fault::invalid,
          fmt::format("the session's name '{}' has '{}'; letters a to z, digits, 가 to 힣, '_' "
                      "and '-' are possible",
                      printable(name), printable(name.substr(at, one.bytes))));
    }
    at += one.bytes;
  }
  return {};
}

std::string fold_name(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

}  // namespace tyer::feed
