#include "feed/usage.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "feed/kinds.h"
#include "feed/tally.h"

namespace tyer::feed {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

}  // namespace

Result<Usage> read_usage(const core::View& view, const std::string& agent) {
  TYER_TRY(const auto subject, view.subject(key_of("usage", agent)));
  if (!subject) return Usage{};
  TYER_TRY(const JsonFields state, JsonFields::read(subject->state));
  return Usage{.files = state.number("files"),
               .bytes = state.number("bytes"),
               .day = state.text("day"),
               .day_bytes = state.number("day_bytes"),
               .mentions = state.numbers("mentions")};
}

core::Draft count_usage(const std::string& agent, const Usage& usage) {
  std::vector<std::string> mentions;
  for (const std::int64_t at : usage.mentions) mentions.push_back(std::to_string(at));
  return {key_of("usage", agent), "usage.counted",
          json_object({{"agent_id", agent},
                       {"files", usage.files},
                       {"bytes", usage.bytes},
                       {"day", usage.day},
                       {"day_bytes", usage.day_bytes},
                       JsonPart::of("mentions", json_array(mentions))})};
}

Result<> add_file(Usage& usage, std::uint64_t bytes, Time now) {
  const auto more = static_cast<std::int64_t>(bytes);
  const std::string today = day_of(now);
  if (usage.day != today) usage.day_bytes = 0;
  if (usage.day_bytes + more > limits::upload_bytes_of_day_max) {
    return fail(Fault::limit,
                fmt::format("an agent sends at most {} MB of files a day; go on tomorrow",
                            limits::upload_bytes_of_day_max / mebibyte));
  }
  if (usage.files >= limits::uploads_of_agent_max ||
      usage.bytes + more > limits::upload_bytes_of_agent_max) {
    return fail(
        Fault::limit,
        fmt::format("an agent has at most {} files of {} MB together here; delete some: "
                    "DELETE /api/uploads/ID",
                    limits::uploads_of_agent_max, limits::upload_bytes_of_agent_max / mebibyte));
  }
  usage.day = today;
  usage.day_bytes += more;
  usage.bytes += more;
  ++usage.files;
  return {};
}

// One that was sent before there was a count takes nothing off.
void remove_file(Usage& usage, std::uint64_t bytes) {
  usage.files = std::max<std::int64_t>(usage.files - 1, 0);
  usage.bytes = std::max<std::int64_t>(usage.bytes - static_cast<std::int64_t>(bytes), 0);
}

bool may_mention(Usage& usage, const limits::FeedRules& rules, Time now) {
  const std::int64_t since = to_micros(now - rules.bot_window);
  std::erase_if(usage.mentions, [&](std::int64_t at) { return at <= since; });
  return usage.mentions.size() < rules.author_mentions_max;
}

}  // namespace tyer::feed
