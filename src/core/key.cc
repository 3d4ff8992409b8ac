#include "core/key.h"

#include <fmt/format.h>

#include "base/text.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

bool is_kind(std::string_view text) {
  if (text.empty() || text.front() < 'a' || text.front() > 'z') return false;
  for (const char c : text) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!allowed) return false;
  }
  return true;
}

}  // namespace

Result<> check_key(std::string_view key) {
  const auto wrong = [key](std::string_view why) {
    return fail(Fault::invalid, fmt::format("the key '{}' {}", printable(key, 80), why));
  };
  if (key.empty()) return fail(Fault::invalid, "a key must not be empty");
  if (key.size() > limits::key_bytes_max) {
    return wrong(fmt::format("has {} bytes, the limit is {}", key.size(), limits::key_bytes_max));
  }
  if (!is_utf8(key)) return wrong("is not UTF-8");
  if (has_control_characters(key)) return wrong("has a control character in it");
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return wrong("has no kind; write it like lock/NAME");
  if (!is_kind(key.substr(0, slash))) return wrong("does not start with a kind like lock/");
  std::string_view rest = key.substr(slash + 1);
  while (true) {
    const std::size_t next = rest.find('/');
    const std::string_view part = rest.substr(0, next);
    if (part.empty()) return wrong("has an empty part");
    if (part == "." || part == "..") return wrong("has a part that is a dot name");
    if (next == std::string_view::npos) return {};
    rest.remove_prefix(next + 1);
  }
}

std::string_view kind_of(std::string_view key) {
  return key.substr(0, key.find('/'));
}

std::string_view rest_of(std::string_view key) {
  return key.substr(key.find('/') + 1);
}

bool covers(std::string_view root, std::string_view key) {
  return key.starts_with(root) && (key.size() == root.size() || key[root.size()] == '/');
}

}  // namespace tyer::core
