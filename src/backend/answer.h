// How programs of our own making say what came of a run: one JSON object, as in
// docs/formats/agents.md.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/report.h"

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

// Nothing unless it is a JSON object with at least one member that is
// known, of at most limits::json_bytes_max.
[[nodiscard]] std::optional<Answer> read_answer(std::string_view json);

}  // namespace tyer::backend
