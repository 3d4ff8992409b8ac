// A key names one subject: `kind/part[/part…]`, as in `lock/TSK-01-01` or
// `session/research-bot/리팩토링`.
//
// The kind is lower-case ASCII. A part is any UTF-8 text but the empty one, "."
// and "..", without '/' and control characters. Keys compare as bytes.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::core {

// Says what is wrong with `key`, if anything.
[[nodiscard]] Result<> check_key(std::string_view key);

// "session" of "session/a/b". Requires a valid key.
[[nodiscard]] std::string_view kind_of(std::string_view key);

// "a/b" of "session/a/b". Requires a valid key.
[[nodiscard]] std::string_view rest_of(std::string_view key);

// Whether `key` is `root` or lies below it: "lock/a" covers "lock/a/b", not "lock/ab".
[[nodiscard]] bool covers(std::string_view root, std::string_view key);

}  // namespace tyer::core
