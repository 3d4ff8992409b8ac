#include "engine/aside.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/key.h"
#include "engine/limits.h"

namespace tyer::engine {
namespace {

Span pause_after(int tries) {
  Span pause = limits::rule_retry_first;
  for (int i = 1; i < tries && pause < limits::rule_retry_most; ++i) pause *= 2;
  return std::min(pause, limits::rule_retry_most);
}

Result<Aside> find_stuck(const core::View& view, const std::string& key) {
  TYER_TRY(const auto subject, view.subject(key));
  if (!subject || subject->status == "cleared") {
    return fail(Fault::not_found, fmt::format("{}: nothing is set aside under this key", key));
  }
  return decode_aside(*subject);
}

}  // namespace

core::Kind aside_kind() {
  return {.name = "aside",
          .transitions = {
              // Stuck ones too: a timer that was set anew may fail anew.
              {"aside.failed", {core::absent, "cleared", "retrying", "stuck"}, "retrying"},
              {"aside.stuck", {"retrying"}, "stuck"},
              {"aside.passed", {"retrying"}, "retrying"},
              {"aside.retried", {"stuck", "retrying"}, "retrying"},
              {"aside.skipped", {"stuck", "retrying"}, "retrying"},
              {"aside.cleared", {"retrying", "stuck"}, "cleared"},
          }};
}

std::string aside_key(const std::string& rule, const std::string& subject) {
  std::string key = "aside/" + rule + "/" + subject;
  if (key.size() <= limits::key_bytes_max) return key;
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a; the state has the whole key.
  for (const char c : subject) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("aside/{}/long-{:016x}", rule, hash);
}

Result<Aside> decode_aside(const core::Subject& subject) {
  TYER_TRY(const Json state, parse_json_object(subject.state));
  return Aside{text_or(state, "rule"),
               text_or(state, "subject"),
               static_cast<std::uint64_t>(int_or(state, "at")),
               static_cast<int>(int_or(state, "tries")),
               text_or(state, "error"),
               subject.status};
}

Result<std::optional<Aside>> find_aside(const core::View& view, const std::string& rule,
                                        const std::string& subject) {
  TYER_TRY(const auto row, view.subject(aside_key(rule, subject)));
  if (!row || row->status == "cleared") return std::nullopt;
  TYER_TRY(Aside aside, decode_aside(*row));
  return aside;
}

core::Draft aside_failed(const Aside& aside, const Error& error, Time now) {
  const int tries = aside.tries + 1;
  const bool stuck = tries >= limits::rule_tries_max;
  Json body{{"rule", aside.rule},
            {"subject", aside.subject},
            {"at", aside.at},
            {"tries", tries},
            {"fault", info(error.fault).name},
            {"due_at", nullptr},
            {"error", printable(error.what, limits::error_bytes_max)}};
  if (!stuck) body["due_at"] = to_micros(now + pause_after(tries));
  return {.key = aside_key(aside.rule, aside.subject),
          .type = stuck ? "aside.stuck" : "aside.failed",
          .body = dump_json(body)};
}

core::Draft aside_passed(const Aside& aside, std::uint64_t next, Time now) {
  return {.key = aside_key(aside.rule, aside.subject),
          .type = "aside.passed",
          .body = dump_json(
              Json{{"at", next}, {"tries", 0}, {"error", nullptr}, {"due_at", to_micros(now)}})};
}

core::Draft aside_cleared(const Aside& aside) {
  return {.key = aside_key(aside.rule, aside.subject),
          .type = "aside.cleared",
          .body = dump_json(Json{{"error", nullptr}, {"due_at", nullptr}})};
}

Result<core::Change> retry_aside(const core::View& view, const std::string& key, Time now) {
  TYER_TRY_OK(find_stuck(view, key));
  const Json body{{"tries", 0}, {"due_at", to_micros(now)}};
  return core::Change{.events = {{.key = key, .type = "aside.retried", .body = dump_json(body)}}};
}

Result<core::Change> skip_aside(const core::View& view, const std::string& key, Time now) {
  TYER_TRY(const Aside aside, find_stuck(view, key));
  // A timer stands before a revision; the next one is not its business, and none is 0.
  const std::uint64_t next = aside.rule == timer_rule ? 0 : aside.at + 1;
  const Json body{{"at", next}, {"tries", 0}, {"due_at", to_micros(now)}};
  return core::Change{.events = {{.key = key, .type = "aside.skipped", .body = dump_json(body)}}};
}

}  // namespace tyer::engine
