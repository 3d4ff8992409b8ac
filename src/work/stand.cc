#include "work/stand.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/limits.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "engine/loop.h"
#include "env/processor.h"
#include "env/wait_readable.h"
#include "lock/limits.h"

namespace tyer::work {

Stand::Stand(env::Env& env, lock::HubClient& client, std::vector<int> stop_fds)
    : env_(env), client_(client), stop_fds_(std::move(stop_fds)) {
  for (const int fd : stop_fds_) stops_.add(fd);
}

Result<std::optional<Stand::Told>> Stand::wait(const std::string& offer, const std::string& who,
                                               const OnSoon& on_soon) {
  for (Span backoff{};;) {
    asked_ = env_.clock.boot_time();
    auto lines = client_.open_lines("/api/work", offer, stops_.fd());
    bool has_beaten = false;
    bool is_soon = false;
    while (lines) {
      backoff = Span::zero();
      if (!is_soon && !make_room(*lines)) break;
      auto line = lines->next(stops_.fd());
      if (!line || !*line) break;
      const auto said = JsonFields::read(**line);
      if (!said) break;
      if (said->has("begun")) {
        if (!is_soon) on_soon("");
        lines_ = *std::move(lines);
        return Told{**line, is_soon && said->flag("announced")};
      }
      is_soon = said->flag("soon");
      on_soon(is_soon ? **line : "");
      if (said->has("soon")) continue;
      // What comes now was decided after this was sent, and that was so long after the last one
      // at least.
      if (std::exchange(has_beaten, true)) asked_ += limits::stream_beat_every;
    }
    on_soon("");  // Not from here.
    const bool is_stopped = env::wait_any(stop_fds_, Span::zero()).value_or(true);
    if (!lines && lines.error().fault == Fault::denied) return std::unexpected(lines.error());
    // Perhaps it was given something and has not heard of it. It will hear nothing more.
    if (lines) const auto closed = *std::move(lines);
    TYER_TRY_OK(withdraw(who));
    if (is_stopped) return std::nullopt;
    backoff = engine::next_backoff(backoff);
    TYER_TRY_OK(env::wait_any(stop_fds_, backoff));
  }
}

bool Stand::make_room(const lock::HubClient::Lines& lines) const {
  const int fd = lines.plain_fd();
  if (fd < 0) return true;
  const std::array fds{fd, stops_.fd()};
  if (!env::wait_any(fds, limits::hub_silence_max).value_or(false)) return false;
  if (env::was_sent_from_here(fd) && env::is_quiet()) env::step_aside();
  return true;
}

Result<> Stand::await(const std::string& run) {
  while (lines_) {
    TYER_TRY(const auto line, lines_->next(stops_.fd()));
    if (!line) return fail(Fault::unavailable, "the hub has not let it begin");
    TYER_TRY(const JsonFields said, JsonFields::read(*line));
    if (said.text("go") == run) break;
  }
  return {};
}

Result<> Stand::withdraw(const std::string& who) {
  for (Span backoff{};;) {
    const auto told = client_.ask("POST", "/api/work/withdraw", {}, who);
    if (told) return {};
    if (!info(told.error().fault).retry_helps) return std::unexpected(told.error());
    backoff = engine::next_backoff(backoff);
    TYER_TRY(const bool is_stopped, env::wait_any(stop_fds_, backoff));
    if (is_stopped) return {};
  }
}

}  // namespace tyer::work
