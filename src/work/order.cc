#include "work/order.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "work/assignment.h"
#include "work/limits.h"

namespace tyer::work {
namespace {

Json rules_json(const std::optional<limits::FeedRules>& rules) {
  if (!rules) return {};
  return {{"sessions_max", rules->sessions_max},
          {"followed_max", rules->followed_max},
          {"bot_mentions_max", rules->bot_mentions_max},
          {"bot_window_ms", rules->bot_window / 1ms},
          {"author_mentions_max", rules->author_mentions_max},
          {"wakes_max", rules->wakes_max},
          {"followers_hear_mentions", rules->followers_hear_mentions}};
}

std::optional<limits::FeedRules> read_rules(const Json& order) {
  const auto found = order.find("own_hub");
  if (found == order.end() || !found->is_object()) return std::nullopt;
  const auto number = [&](const char* name) {
    return static_cast<std::size_t>(std::max<std::int64_t>(int_or(*found, name), 0));
  };
  return limits::FeedRules{
      .sessions_max = number("sessions_max"),
      .followed_max = number("followed_max"),
      .bot_mentions_max = number("bot_mentions_max"),
      .bot_window = int_or(*found, "bot_window_ms") * 1ms,
      .author_mentions_max = number("author_mentions_max"),
      .wakes_max = number("wakes_max"),
      .followers_hear_mentions = found->value("followers_hear_mentions", Json()) == Json(true)};
}

}  // namespace

std::string encode(const Order& order) {
  return dump_json({{"hub", order.hub},
                    {"key", order.key},
                    {"offers", order.offers},
                    {"agents", order.agents},
                    {"sessions", order.sessions},
                    {"own_hub", rules_json(order.own_hub)},
                    {"job", run::encode(order.job)}});
}

Result<Order> decode_order(std::string_view text) {
  TYER_TRY(const Json json, parse_json_object(text, limits::order_bytes_max));
  Order order{.hub = text_or(json, "hub"),
              .key = text_or(json, "key"),
              .offers = json.value("offers", Json()) == Json(true),
              .agents = texts_of(json, "agents"),
              .sessions = texts_of(json, "sessions"),
              .own_hub = read_rules(json)};
  TYER_TRY(order.job, run::decode_job(text_or(json, "job")));
  if (order.hub.empty() || order.job.id.empty()) {
    return fail(Fault::invalid, "an order names a hub and a run");
  }
  return order;
}

std::string encode(const Call& call) {
  return dump_json({{"session", call.session}, {"run", call.run}, {"all", call.all}});
}

Result<Call> decode_call(std::string_view text) {
  TYER_TRY(const Json json, parse_json_object(text, limits::order_bytes_max));
  Call call{.session = text_or(json, "session"),
            .run = text_or(json, "run"),
            .all = json.value("all", Json()) == Json(true)};
  if (call.session.empty() || call.run.empty()) {
    return fail(Fault::invalid, "a call names a session and a run");
  }
  return call;
}

std::string encode(const Given& given) {
  return dump_json(
      {{"session", given.session}, {"run", given.run}, {"name", given.name}, {"item", given.item}});
}

Result<Given> decode_given(std::string_view text) {
  TYER_TRY(const Json json, parse_json_object(text, limits::order_bytes_max));
  Given given{.session = text_or(json, "session"),
              .run = text_or(json, "run"),
              .name = text_or(json, "name"),
              .item = text_or(json, "item")};
  if (given.session.empty() || given.run.empty()) {
    return fail(Fault::invalid, "what is given names a session and a run");
  }
  return given;
}

std::string in_a_row(std::string words, std::size_t count) {
  std::ranges::replace_if(words, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  words = printable(words, limits::row_words_bytes);
  return count == 1 ? words : fmt::format("({}) {}", count, words);
}

}  // namespace tyer::work
