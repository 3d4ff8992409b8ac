// What a handler says: a thing, a page of things, or what went wrong.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "core/subject.h"
#include "http/message.h"

namespace tyer::api {

// JSON text, and nothing that a cache may keep.
[[nodiscard]] http::Response answer(std::string body, int status = 200);

// {"error":{"code":…,"message":…}} with the status of the fault.
[[nodiscard]] http::Response answer(const Error& error);

// A subject as it is shown: its state with its id. Requires that its kind hides nothing.
[[nodiscard]] std::string shown(const core::Subject& subject);

// `shown` with its revision as the ETag.
[[nodiscard]] http::Response answer(const core::Subject& subject, int status = 200);

// `members` (JSON members without braces) added to an object.
[[nodiscard]] std::string with(std::string object, const std::string& members);

// {"data":[…],"next_cursor":…}. `next` is empty on the last page.
[[nodiscard]] http::Response answer_page(const std::vector<std::string>& rows,
                                         const std::string& next);

}  // namespace tyer::api
