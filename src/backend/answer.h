// How programs of our own making say what came of a run: one JSON object, as in
// docs/formats/agents.md.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/report.h"
#include "base/json_fwd.h"

namespace tyer::backend {

struct Answer {
  Verdict verdict = Verdict::done;
  std::string error;
  std::optional<std::string> result;
  std::string conversation;
  Usage usage;
  std::int64_t turns = 0;
  std::vector<std::string> denied;
  std::optional<Span> wait;
};

// Nothing unless it is an object with at least one member that is known.
[[nodiscard]] std::optional<Answer> read_answer(const Json& json);

// The same of a text of at most limits::json_bytes_max.
[[nodiscard]] std::optional<Answer> parse_answer(std::string_view text);

}  // namespace tyer::backend
