// What a request's head must be beyond what the parser asks. Pure.

#pragma once

#include <optional>
#include <string_view>

#include "http/parser.h"

namespace tyer::http {

// Before parsing: lines end in CRLF, none is folded, no NUL.
[[nodiscard]] std::optional<Refusal> check_lines(std::string_view text);

// After it, with method, target and headers as they came: fills path, query and how
// the body comes, or says what is wrong.
[[nodiscard]] std::optional<Refusal> check_head(Head& head);

}  // namespace tyer::http
