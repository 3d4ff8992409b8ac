#include "work/next_run.h"

#include <utility>

#include "api/limits.h"
#include "base/json_fields.h"
#include "engine/loop.h"
#include "env/wait_readable.h"
#include "lock/far_wait.h"

namespace tyer::work {
namespace {

// Until the hub says of a run that it has begun. Nothing: it will not, on these lines.
std::optional<NextRun> hear_begun(lock::HubClient::Lines& lines, int stop_fd, Span asked) {
  bool has_beaten = false;
  while (true) {
    auto line = lines.next(stop_fd);
    if (!line || !*line) return std::nullopt;
    const auto said = JsonFields::read(**line);
    if (!said) return std::nullopt;
    if (said->has("begun")) return NextRun{**std::move(line), asked};
    // What comes now was decided after this beat was sent, and that was so long after the one
    // before at least.
    if (std::exchange(has_beaten, true)) asked += limits::stream_beat_every;
  }
}

// Until the hub knows, or it is to stop.
Result<> withdraw(lock::HubClient& client, const std::vector<int>& stop_fds,
                  const std::string& who) {
  for (Span backoff{};;) {
    const auto told = client.ask("POST", "/api/work/withdraw", {}, who);
    if (told) return {};
    if (!info(told.error().fault).retry_helps) return std::unexpected(told.error());
    backoff = engine::next_backoff(backoff);
    TYER_TRY(const bool is_stopped, env::wait_any(stop_fds, backoff));
    if (is_stopped) return {};
  }
}

}  // namespace

Result<std::optional<NextRun>> wait_for_run(env::Env& env, lock::HubClient& client,
                                            const std::vector<int>& stop_fds,
                                            const std::string& offer, const std::string& who) {
  lock::FdSet stops;
  for (const int fd : stop_fds) stops.add(fd);
  for (Span backoff{};;) {
    const Span asked = env.clock.boot_time();
    {
      auto lines = client.open_lines("/api/work", offer, stops.fd());
      if (!lines && lines.error().fault == Fault::denied) return std::unexpected(lines.error());
      if (lines) {
        backoff = Span::zero();
        if (auto next = hear_begun(*lines, stops.fd(), asked)) return next;
      }
    }
    // Nothing more is heard. Perhaps it was given a run all the same.
    const bool is_stopped = env::wait_any(stop_fds, Span::zero()).value_or(true);
    TYER_TRY_OK(withdraw(client, stop_fds, who));
    if (is_stopped) return std::nullopt;
    backoff = engine::next_backoff(backoff);
    TYER_TRY_OK(env::wait_any(stop_fds, backoff));
  }
}

}  // namespace tyer::work
