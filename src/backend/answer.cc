#include "backend/answer.h"

#include <algorithm>
#include <array>

#include "backend/event.h"
#include "backend/limits.h"
#include "base/json.h"

namespace tyer::backend {
namespace {

constexpr std::array answer_members{"result",   "conversation", "status",        "error",
                                    "cost_usd", "input_tokens", "output_tokens", "cached_tokens",
                                    "turns",    "denied",       "retry_after"};

// Those that a program may give of itself.
constexpr std::array answer_verdicts{Verdict::done,  Verdict::hindered, Verdict::stale,
                                     Verdict::later, Verdict::too_long, Verdict::credentials,
                                     Verdict::limit, Verdict::mistake,  Verdict::failed};

Verdict read_verdict(const Json& json) {
  const std::string status = text_of(json, "status");
  if (status.empty()) return text_of(json, "error").empty() ? Verdict::done : Verdict::failed;
  const auto found =
      std::ranges::find(answer_verdicts, status, [](Verdict verdict) { return name(verdict); });
  return found == answer_verdicts.end() ? Verdict::failed : *found;
}

}  // namespace

std::optional<Answer> read_answer(const Json& json) {
  const bool is_known = std::ranges::any_of(
      answer_members, [&](const char* member_name) { return json.contains(member_name); });
  if (!is_known) return std::nullopt;
  Answer answer{.verdict = read_verdict(json),
                .error = text_of(json, "error"),
                .conversation = text_of(json, "conversation"),
                .usage = {.input = count_of(json, "input_tokens"),
                          .output = count_of(json, "output_tokens"),
                          .cached = count_of(json, "cached_tokens"),
                          .cost = cost_of(json, "cost_usd")},
                .turns = count_of(json, "turns")};
  if (member(json, "result").is_string()) answer.result = text_of(json, "result");
  for (const Json& tool : member(json, "denied")) {
    if (tool.is_string() && answer.denied.size() < limits::denied_tools_max) {
      answer.denied.push_back(tool.get<std::string>());
    }
  }
  const double seconds = number_of(json, "retry_after", 1e9);
  const Span wait(static_cast<Span::rep>(seconds * 1e6));
  if (wait > Span::zero()) answer.wait = std::min(wait, limits::wait_said_max);
  return answer;
}

std::optional<Answer> parse_answer(std::string_view text) {
  const auto json = parse_json_object(text);
  return json ? read_answer(*json) : std::nullopt;
}

}  // namespace tyer::backend
