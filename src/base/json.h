// JSON, read strictly and written safely.
//
// Agents' output and other tools' files are hostile input: depth, size and
// duplicate keys are bounded here, once. Only .cc files include this header,
// because nlohmann/json.hpp is heavy; headers pass JSON as text, or include json_fwd.h.

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fwd.h"
#include "base/limits.h"

namespace tyer {

// Exactly one JSON value: no duplicate keys, no byte order mark, no numbers
// beyond double, at most `limits::json_depth_max` deep and `bytes_max` long.
[[nodiscard]] Result<Json> parse_json(std::string_view text,
                                      std::size_t bytes_max = limits::json_bytes_max);

// The same, and it must be an object.
[[nodiscard]] Result<Json> parse_json_object(std::string_view text,
                                             std::size_t bytes_max = limits::json_bytes_max);

// One line. Invalid UTF-8 in a string becomes U+FFFD.
[[nodiscard]] std::string dump_json(const Json& value);

// RFC 7396: members of `patch` replace those of `target`, null removes one.
void merge_patch(Json& target, const Json& patch);

// A member of the wanted type, or a fallback. For reading what others wrote.
[[nodiscard]] std::string text_or(const Json& object, const char* name, std::string fallback = "");
[[nodiscard]] std::int64_t int_or(const Json& object, const char* name, std::int64_t fallback = 0);

}  // namespace tyer
