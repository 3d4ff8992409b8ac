// What the routes look like from outside, made from their table (H20).

#pragma once

#include <string>

namespace tyer::api {

[[nodiscard]] std::string openapi();          // JSON, OpenAPI 3.1.
[[nodiscard]] std::string skill();            // Markdown for agents: everything they need.
[[nodiscard]] const std::string& skill_id();  // Another text has another one.
[[nodiscard]] std::string reference();        // Markdown for people: docs/api.md.

}  // namespace tyer::api
