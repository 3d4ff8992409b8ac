#include "work/result.h"

#include <algorithm>

#include "backend/limits.h"
#include "base/json.h"
#include "base/text.h"

namespace tyer::work {
namespace {

// "input output cached cost" of the conversation so far, as it was told last.
backend::Usage read_totals(const std::string& text) {
  backend::Usage usage;
  const auto json = parse_json(text, text.size());
  if (!json || !json->is_array() || json->size() != 4) return usage;
  const auto number = [&](std::size_t i) {
    return (*json)[i].is_number_integer() ? (*json)[i].get<std::int64_t>() : 0;
  };
  usage.input = number(0);
  usage.output = number(1);
  usage.cached = number(2);
  usage.cost = number(3);
  return usage;
}

std::int64_t at_least_none(std::int64_t number) {
  return std::max<std::int64_t>(number, 0);
}

void add_usage(const Assignment& given, const run::Kept& kept, feed::Finish& finish) {
  const bool goes_on = !given.conversation.empty() && !kept.is_anew;
  const backend::Usage used = backend::usage_of_run(
      goes_on ? read_totals(given.usage_totals) : backend::Usage{}, kept.usage);
  finish.input = at_least_none(used.input);
  finish.output = at_least_none(used.output);
  finish.cached = at_least_none(used.cached);
  finish.cost = at_least_none(used.cost);
  if (kept.usage.tokens_are_totals || kept.usage.cost_is_total) {
    finish.totals = dump_json(
        Json::array({kept.usage.input, kept.usage.output, kept.usage.cached, kept.usage.cost}));
  }
}

}  // namespace

feed::Finish make_finish(const Assignment& given, const Result<run::Kept>& kept, bool is_alone) {
  feed::Finish finish{.session = given.session_id, .run = given.run};
  if (!kept) {
    // Cancelled: its keeper was told to wait no more in the moment in which it was given the run.
    const Fault fault = kept.error().fault;
    const bool is_lost = info(fault).retry_helps || fault == Fault::cancelled;
    finish.verdict = is_lost ? "lost" : "mistake";
    finish.why = printable(kept.error().what, limits::why_bytes_max);
    return finish;
  }
  const backend::Report& report = kept->last.report;
  const bool was_cut_off = report.verdict == backend::Verdict::interrupted && is_alone;
  const bool was_left = report.verdict == backend::Verdict::stopped && kept->was_left;
  const bool is_lost = kept->last.outcome == core::Outcome::lost || was_cut_off || was_left ||
                       kept->last.was_hindered;
  finish.verdict = is_lost ? "lost" : backend::name(report.verdict);
  finish.why = was_left ? "its worker left" : printable(report.why, limits::why_bytes_max);
  finish.text = report.text;
  if (!is_lost) finish.wait = kept->wait;
  finish.wait_grows = finish.wait > Span::zero() && !report.wait;
  if (!report.conversation.empty()) {
    finish.conversation = report.conversation;
  } else if (kept->is_anew) {
    finish.conversation = "";
  }
  add_usage(given, *kept, finish);
  return finish;
}

std::string encode(const feed::Finish& finish) {
  Json body{{"verdict", finish.verdict},
            {"why", finish.why},
            {"text", finish.text},
            {"input_tokens", finish.input},
            {"output_tokens", finish.output},
            {"cached_tokens", finish.cached},
            {"cost_micros", finish.cost}};
  if (finish.conversation) body["claude_session_id"] = *finish.conversation;
  if (finish.wait > Span::zero()) body["wait_ms"] = finish.wait / 1ms;
  if (finish.wait_grows) body["wait_grows"] = true;
  if (!finish.totals.empty()) body["totals"] = finish.totals;
  return dump_json(body);
}

}  // namespace tyer::work
