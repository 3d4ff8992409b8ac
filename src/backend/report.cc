#include "backend/report.h"

#include <algorithm>
#include <array>

#include "backend/limits.h"

namespace tyer::backend {
namespace {

Span unsaid_wait(int waits) {
  Span wait = limits::wait_unsaid;
  for (int i = 0; i < waits && wait < limits::wait_unsaid_max; ++i) wait *= 2;
  return std::min(wait, limits::wait_unsaid_max);
}

}  // namespace

std::string_view name(Note::Kind kind) {
  constexpr std::array<std::string_view, 10> names{
      "text",         "thinking", "tool_use", "tool_result", "denied",
      "conversation", "model",    "retry",    "warning",     "hopeless"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, verdict_count> names{
      "done",  "hindered", "stale",   "credentials", "later",       "too_long",
      "limit", "mistake",  "stopped", "timed_out",   "interrupted", "failed"};
  return names[static_cast<std::size_t>(verdict)];
}

Usage sum_of(const Usage& before, const Usage& after) {
  Usage sum = after;
  if (!after.tokens_are_totals) {
    sum.input += before.input;
    sum.output += before.output;
    sum.cached += before.cached;
  }
  if (!after.cost_is_total) sum.cost += before.cost;
  return sum;
}

Usage usage_of_run(const Usage& earlier, const Usage& reported) {
  Usage run = reported;
  run.tokens_are_totals = run.cost_is_total = false;
  const bool tokens_go_on = reported.tokens_are_totals && reported.input >= earlier.input &&
                            reported.output >= earlier.output && reported.cached >= earlier.cached;
  if (tokens_go_on) {
    run.input -= earlier.input;
    run.output -= earlier.output;
    run.cached -= earlier.cached;
  }
  if (reported.cost_is_total && reported.cost >= earlier.cost) run.cost -= earlier.cost;
  return run;
}

Next decide_next(const Report& report, const Attempts& so_far) {
  using Act = Next::Act;
  Attempts attempts = so_far;
  if (report.verdict != Verdict::later) attempts.waits = 0;
  switch (report.verdict) {
    case Verdict::done:
    case Verdict::hindered: return {.act = Act::settle, .attempts = attempts};
    case Verdict::stale:
    case Verdict::too_long:
      if (so_far.anew) return {.act = Act::give_up, .attempts = attempts};
      attempts.anew = true;
      return {.act = Act::anew, .attempts = attempts};
    case Verdict::later: {
      if (so_far.waits >= limits::waits_max) return {.act = Act::give_up, .attempts = attempts};
      ++attempts.waits;
      const Span wait = report.wait.value_or(unsaid_wait(so_far.waits));
      return {.act = Act::wait,
              .wait = std::clamp(wait, Span::zero(), limits::wait_said_max),
              .attempts = attempts};
    }
    case Verdict::interrupted:
    case Verdict::failed:
      ++attempts.abnormal;
      return {.act = attempts.abnormal < limits::attempts_max ? Act::again : Act::give_up,
              .attempts = attempts};
    case Verdict::credentials:
    case Verdict::limit:
    case Verdict::mistake:
    case Verdict::stopped:
    case Verdict::timed_out: break;
  }
  return {.act = Act::give_up, .attempts = attempts};
}

}  // namespace tyer::backend
