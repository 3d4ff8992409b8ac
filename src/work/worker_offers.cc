// Keepers that wait at the hub: starting them, hearing what they were given, sending them away.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/text.h"
#include "work/limits.h"
#include "work/served.h"

namespace tyer::work {

Ended read_exit(const env::Exit& exit) {
  if (exit.signal != 0) return Ended::failed;
  switch (exit.code) {
    case 0: return Ended::served;
    case exit_nothing: return Ended::nothing;
    case exit_busy: return Ended::busy;
    case exit_limit: return Ended::limit;
    case exit_put_off: return Ended::put_off;
    default: return Ended::failed;
  }
}

std::string complaint_of(const env::Fd& errors) {
  std::array<char, 1'000> said{};
  const ssize_t got = ::pread(errors.get(), said.data(), said.size(), 0);
  return printable({said.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}, 400);
}

std::size_t Worker::offered() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(served_, [](const auto& one) { return one->offering.has_value(); }));
}

// Not at once: what starts now needs the processors more than what may be needed next. And not
// while there is a session that must not be begun with.
void Worker::offer() {
  const Span now = env_.clock.mono();
  if (is_leaving() || now < offer_at_ || roster_.has_failed(now)) return;
  for (const auto& served : served_) {
    if (served->offering || served->is_refused || !roster_.has_room(offered())) continue;
    auto started = offer_(served->identity);
    if (started) {
      served->offering = *std::move(started);
      continue;
    }
    log_.error("no keeper could be started", {{"why", started.error().what}});
    offer_at_ = now + limits::restart_pause_max;
  }
}

void Worker::retire() {
  for (const auto& served : served_) {
    if (!served->offering || std::exchange(served->offering->is_retired, true)) continue;
    ::shutdown(served->offering->socket.get(), SHUT_WR);
  }
}

bool Worker::hear_offering(Served& served) {
  if (!served.offering) return false;
  const int fd = served.offering->socket.get();
  std::array<char, limits::given_bytes_max> said{};
  const ssize_t got = ::recv(fd, said.data(), said.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  Offering offering = *std::exchange(served.offering, std::nullopt);
  const Span now = env_.clock.mono();
  const std::string_view line(said.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (const auto given = decode_given(line.substr(0, line.find('\n')))) {
    served.offer_pause = Span::zero();
    offer_at_ = now + limits::offer_pause;
    take(std::move(offering), *given);
    return false;
  }
  // It has ended, or is about to.
  const auto exit = offering.process.child->wait(limits::spare_end_max);
  const bool is_well = exit && *exit && read_exit(**exit) == Ended::nothing;
  if (is_well) {
    served.offer_pause = Span::zero();
    return true;
  }
  log_.warn("a keeper failed while it waited",
            {{"why", complaint_of(offering.process.errors)}, {"run", offering.process.run}});
  served.offer_pause =
      std::clamp(2 * served.offer_pause, limits::restart_pause, limits::restart_pause_max);
  offer_at_ = now + served.offer_pause;
  return true;
}

void Worker::take(Offering offering, const Given& given) {
  Keeper keeper{.process = std::move(offering.process),
                .session = given.session,
                .name = printable(given.name, 150)};
  keeper.process.run = given.run;
  // One that asks for the same session is told that it is busy.
  for (Keeper& other : keepers_) other.is_late = other.is_late || other.session == given.session;
  if (!roster_.is_running(given.session)) roster_.started(given.session, env_.clock.mono());
  rows_[given.session] = {.session = keeper.name,
                          .state = "running",
                          .item = printable(given.item, limits::row_words_bytes),
                          .last = rows_[given.session].last};
  keepers_.push_back(std::move(keeper));
  if (was_asked_) (void)keepers_.back().process.child->signal_group(SIGHUP);
  show();
}

}  // namespace tyer::work
