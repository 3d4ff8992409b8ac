// Quick work on JSON objects as we write them ourselves, without building them.
//
// Half of the time of a change went into parsing its subject's state, merging
// the event's body into it, and writing it out again. Almost always both are
// what dump_json made: one line, members in order. Such text can be split at
// its members and joined again. Everything else is answered with nothing: then
// the caller takes the long way through json.h, which also says what is wrong.

#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tyer {

struct JsonMember {
  std::string_view name;   // Without its quotes; it has no escapes.
  std::string_view value;  // As it stands in the text.
};

// The members of an object, in order. Nothing unless `text` is valid, has no
// white space between its tokens, has the names of every object in it in
// ascending order, and has no escapes beyond the simple ones and no exponents.
[[nodiscard]] std::optional<std::vector<JsonMember>> split_object(std::string_view text);

// The same for reading only: in whatever order they are, each name once. Of the objects in it, that
// is not known before they are split.
[[nodiscard]] std::optional<std::vector<JsonMember>> split_any_object(std::string_view text);
// The values of an array, likewise.
[[nodiscard]] std::optional<std::vector<std::string_view>> split_array(std::string_view text);

// `patch` merged into `target` as by RFC 7396. Requires members as split_object
// gives them. Nothing if that takes more than choosing between their values.
[[nodiscard]] std::optional<std::string> merge_members(std::span<const JsonMember> target,
                                                       std::span<const JsonMember> patch);

// `text` as a JSON string, quotes and all. Requires UTF-8.
[[nodiscard]] std::string json_string(std::string_view text);
[[nodiscard]] std::string json_array(const std::vector<std::string>& values);  // Each is JSON.
[[nodiscard]] std::string json_strings(const std::vector<std::string>& texts);

// A member to be written.
struct JsonPart {
  JsonPart(std::string_view its_name, std::string_view text)
      : name(its_name), value(json_string(text)) {}
  JsonPart(std::string_view its_name, const std::string& text)
      : JsonPart(its_name, std::string_view(text)) {}
  JsonPart(std::string_view its_name, const char* text)
      : JsonPart(its_name, std::string_view(text)) {}
  JsonPart(std::string_view its_name, const std::vector<std::string>& texts)
      : name(its_name), value(json_strings(texts)) {}
  JsonPart(std::string_view its_name, bool flag) : name(its_name), value(flag ? "true" : "false") {}
  template <std::integral Number>
  JsonPart(std::string_view its_name, Number number)
      : name(its_name), value(std::to_string(number)) {}

  // What is JSON already.
  [[nodiscard]] static JsonPart of(std::string_view name, std::string json) {
    JsonPart part(name, false);
    part.value = std::move(json);
    return part;
  }

  std::string_view name;  // Without escapes.
  std::string value;
};

// An object as dump_json makes it: one line, members in order.
[[nodiscard]] std::string json_object(std::vector<JsonPart> parts);

}  // namespace tyer
