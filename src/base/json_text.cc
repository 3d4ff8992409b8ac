#include "base/json_text.h"

#include <algorithm>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"

namespace tyer {
namespace {

// Reads forward over one text. A method that answers false has met something
// that is wrong or not for us.
class Scanner {
 public:
  Scanner(std::string_view text, bool is_ordered) : rest_(text), is_ordered_(is_ordered) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  // The members go to `members` if it is given.
  bool object(std::size_t depth, std::vector<JsonMember>* members) {
    if (depth > limits::json_depth_max || !skip('{')) return false;
    if (skip('}')) return true;
    std::string_view before;
    for (bool first = true;; first = false) {
      std::string_view name;
      if (!string(&name) || !skip(':') || (!first && is_ordered_ && name <= before)) {
        return false;
      }
      before = name;
      const char* const start = rest_.data();
      if (!value(depth)) return false;
      const auto length = static_cast<std::size_t>(rest_.data() - start);
      if (members != nullptr) members->push_back({name, {start, length}});
      if (skip('}')) return true;
      if (!skip(',')) return false;
    }
  }

  // The values go to `values` if it is given.
  bool array(std::size_t depth, std::vector<std::string_view>* values) {
    if (depth > limits::json_depth_max || !skip('[')) return false;
    if (skip(']')) return true;
    while (true) {
      const char* const start = rest_.data();
      if (!value(depth)) return false;
      const auto length = static_cast<std::size_t>(rest_.data() - start);
      if (values != nullptr) values->push_back({start, length});
      if (skip(']')) return true;
      if (!skip(',')) return false;
    }
  }

 private:
  bool skip(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool skip(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  bool value(std::size_t depth) {
    if (rest_.empty()) return false;
    switch (rest_.front()) {
      case '{': return object(depth + 1, nullptr);
      case '[': return array(depth + 1, nullptr);
      case '"': return string(nullptr);
      case 't': return skip("true");
      case 'f': return skip("false");
      case 'n': return skip("null");
      default: return number();
    }
  }

  // With `plain`, a string without escapes, whose content goes there.
  bool string(std::string_view* plain) {
    if (!skip('"')) return false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"') {
        if (plain != nullptr) *plain = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') continue;
      ++i;
      const bool simple = i < rest_.size() && std::string_view("\"\\/bfnrt").contains(rest_[i]);
      if (plain != nullptr || !simple) return false;
    }
    return false;
  }

  std::size_t digits() {
    std::size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    rest_.remove_prefix(count);
    return count;
  }

  bool number() {
    constexpr std::size_t digits_max = 15;  // Whatever the number, a double holds it.
    skip('-');
    const bool zero = !rest_.empty() && rest_.front() == '0';
    const std::size_t whole = digits();
    if (whole == 0 || whole > 18 || (zero && whole > 1)) return false;
    if (skip('.')) {
      const std::size_t fraction = digits();
      if (fraction == 0 || whole + fraction > digits_max) return false;
    }
    return rest_.empty() || (rest_.front() != 'e' && rest_.front() != 'E');
  }

  std::string_view rest_;
  const bool is_ordered_;
};

std::optional<std::vector<JsonMember>> split(std::string_view text, bool is_ordered) {
  std::vector<JsonMember> members;
  members.reserve(8);
  Scanner scanner(text, is_ordered);
  if (text.size() > limits::json_bytes_max || !scanner.object(1, &members) || !scanner.at_end() ||
      !is_utf8(text)) {
    return std::nullopt;
  }
  return members;
}

void add(std::string& text, const JsonMember& member) {
  text += text.size() > 1 ? ",\"" : "\"";
  text += member.name;
  text += "\":";
  text += member.value;
}

}  // namespace

std::string json_string(std::string_view text) {
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
  };
  if (!std::ranges::all_of(text, is_plain)) return dump_json(Json(text));
  std::string result;
  result.reserve(text.size() + 2);
  return result.append("\"").append(text).append("\"");
}

std::string json_array(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text.append(text.size() > 1 ? "," : "").append(value);
  return text + "]";
}

std::string json_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.push_back(json_string(text));
  return json_array(values);
}

std::string json_object(std::vector<JsonPart> parts) {
  std::ranges::sort(parts, {}, &JsonPart::name);
  std::size_t bytes = 2;
  for (const JsonPart& part : parts) bytes += part.name.size() + part.value.size() + 4;
  std::string text;
  text.reserve(bytes);
  text += '{';
  for (const JsonPart& part : parts) add(text, {part.name, part.value});
  text += '}';
  return text;
}

std::optional<std::vector<JsonMember>> split_object(std::string_view text) {
  return split(text, true);
}

std::optional<std::vector<JsonMember>> split_any_object(std::string_view text) {
  auto members = split(text, false);
  if (!members) return members;
  std::vector<std::string_view> names;
  names.reserve(members->size());
  for (const JsonMember& member : *members) names.push_back(member.name);
  std::ranges::sort(names);
  if (std::ranges::adjacent_find(names) != names.end()) return std::nullopt;
  return members;
}

std::optional<std::vector<std::string_view>> split_array(std::string_view text) {
  std::vector<std::string_view> values;
  Scanner scanner(text, false);
  if (text.size() > limits::json_bytes_max || !scanner.array(1, &values) || !scanner.at_end() ||
      !is_utf8(text)) {
    return std::nullopt;
  }
  return values;
}

std::optional<std::string> merge_members(std::span<const JsonMember> target,
                                         std::span<const JsonMember> patch) {
  std::size_t bytes = 2;
  for (const JsonMember& member : target) bytes += member.name.size() + member.value.size() + 4;
  for (const JsonMember& member : patch) bytes += member.name.size() + member.value.size() + 4;
  std::string text;
  text.reserve(bytes);
  text += '{';
  auto old = target.begin();
  for (const JsonMember& member : patch) {
    for (; old != target.end() && old->name < member.name; ++old) add(text, *old);
    if (old != target.end() && old->name == member.name) ++old;
    if (member.value == "null") continue;
    // An object is merged into what was there, and loses its nulls on the way.
    if (member.value.starts_with('{')) return std::nullopt;
    add(text, member);
  }
  for (; old != target.end(); ++old) add(text, *old);
  text += '}';
  return text;
}

}  // namespace tyer
