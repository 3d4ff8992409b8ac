#include "lock/far_wait.h"

#include <sys/epoll.h>

#include <algorithm>

#include "base/id.h"
#include "base/json.h"
#include "engine/loop.h"
#include "env/wait_readable.h"
#include "lock/lease_json.h"
#include "lock/limits.h"

namespace tyer::lock {
namespace {

Span millis_of(const Json& json, const char* name) {
  return std::clamp<std::int64_t>(int_or(json, name), 0, limits::hold_most / 1ms) * 1ms;
}

}  // namespace

FdSet::FdSet() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

void FdSet::add(int fd) {
  if (fd < 0) return;
  epoll_event event{.events = EPOLLIN, .data = {}};
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

std::optional<std::string> evidence_of_end(const env::Processes& processes, const Seen& seen) {
  if (seen.is_visible || seen.judgement.verdict != core::Verdict::live) return std::nullopt;
  if (seen.lease.holder.place.host.empty()) return std::nullopt;  // Of a tool on the hub's machine.
  core::Sight sight = processes.look(seen.lease.holder);
  if (sight.liveness != core::Liveness::gone) return std::nullopt;
  return std::move(sight.evidence);
}

FarWait::FarWait(env::Env& env, HubClient& client, const Request& request, const Patience& patience,
                 Report report)
    : env_(env),
      client_(client),
      request_(request),
      patience_(patience),
      report_(std::move(report)),
      place_(sortable_id("", env.clock.now(), env.random.bits())),
      until_(env.clock.boot_time() + std::min(patience.at_most, limits::hold_most)) {}

Result<Outcome> FarWait::run() {
  if (patience_.at_most > Span::zero()) return wait();
  TYER_TRY(Outcome outcome, ask_once());
  if (outcome.got.empty() && report_ended(outcome.held)) {
    TYER_TRY(outcome, ask_once());
  }
  // Somebody's turn it is to take a free lock or not: that is waited for, as on a store.
  if (outcome.got.empty() && !outcome.next.empty()) return wait();
  return finish(std::move(outcome));
}

// An answer that was lost is asked for again: a session never gets a lock twice. Who is told to
// stop meanwhile asks, too, if only for a moment: perhaps it has the lock and must know.
Result<Outcome> FarWait::ask_once() {
  FdSet stops;
  for (const int fd : patience_.stop_fds) stops.add(fd);
  const std::string body = dump_json(to_wire(request_));
  Span asked = env_.clock.boot_time();
  auto answer = client_.post("/api/leases", body, limits::hub_answer_max, stops.fd());
  if (!answer) {
    const bool is_stopped = answer.error().fault == Fault::cancelled;
    asked = env_.clock.boot_time();
    answer = is_stopped ? client_.post("/api/leases", body, limits::hub_release_max, -1)
                        : client_.post("/api/leases", body, limits::hub_answer_max, stops.fd());
    if (!answer && (is_stopped || answer.error().fault == Fault::cancelled)) {
      return fail(Fault::cancelled, "stopped waiting for the lock: interrupted");
    }
  }
  if (!answer) return std::unexpected(answer.error());
  const auto json = parse_json_object(answer->body, answer->body.size());
  if (!json || !json->contains("leases")) {
    return std::unexpected(client_.refusal(answer->status, answer->body));
  }
  TYER_TRY(Outcome outcome, read_outcome(*json));
  outcome.asked = asked;
  return outcome;
}

Result<Outcome> FarWait::wait() {
  while (true) {
    Result<std::optional<Outcome>> heard = listen();
    if (heard && *heard) {
      Result<> confirmed = confirm(**heard);
      if (confirmed) return finish(**std::move(heard));
      heard = std::unexpected(std::move(confirmed).error());
    }
    if (is_stopped()) {
      leave();
      return fail(Fault::cancelled, "stopped waiting for the lock: interrupted");
    }
    // One that we watched has ended, and the hub does not know.
    if (heard && report_ended(held_)) continue;
    if (!heard && (!was_open_ || is_over() || !info(heard.error().fault).retry_helps)) {
      if (was_open_) leave();
      return std::unexpected(heard.error());
    }
    TYER_TRY_OK(pause());
  }
}

// The hub takes back what it granted to somebody who does not say that it knows. One that is lost
// already is waited for again.
Result<> FarWait::confirm(const Outcome& outcome) {
  for (const core::Lease& lease : outcome.got) {
    const Json body{{"key", lease.key}, {"token", lease.token}, {"session", lease.holder.run}};
    const auto renewed = client_.ask("POST", "/api/leases/renew", {}, dump_json(body));
    if (renewed) continue;
    const bool is_lost = renewed.error().fault == Fault::fenced;
    return fail(is_lost ? Fault::unavailable : renewed.error().fault, renewed.error().what);
  }
  return {};
}

// The hub tells how long it waited before it asked for what it got, so that we know when that was
// by our clock: not before we began, and that long after it at least.
Result<std::optional<Outcome>> FarWait::listen() {
  const Span asked = env_.clock.boot_time();
  Json body = to_wire(request_);
  body["wait_ms"] = std::max(until_ - asked, Span::zero()) / 1ms;
  body["place"] = place_;
  body["confirms"] = true;
  const core::Holder self = env_.processes.self(place_);
  body["waiter_pid"] = self.pid;
  body["waiter_pid_start"] = self.pid_start;
  set_.emplace();
  ends_.clear();
  for (const int fd : patience_.stop_fds) set_->add(fd);
  std::optional<Outcome> outcome;
  Result<> trouble;
  const Result<> read = client_.post_for_lines(
      "/api/leases", dump_json(body), set_->fd(), [&](std::string_view line) {
        was_open_ = true;
        retry_ = Span::zero();
        Result<bool> more = take_line(line, asked, outcome);
        if (!more) trouble = std::unexpected(more.error());
        return more.value_or(false);
      });
  if (outcome) return outcome;
  TYER_TRY_OK(trouble);
  const bool is_cancelled = !read && read.error().fault == Fault::cancelled;
  if (is_cancelled || (read && has_ended(held_))) return std::optional<Outcome>();
  TYER_TRY_OK(read);
  return fail(Fault::unavailable, "the hub stopped while it was waited for");
}

// Whether more is to be read.
Result<bool> FarWait::take_line(std::string_view line, Span asked,
                                std::optional<Outcome>& outcome) {
  if (line.empty()) return true;
  TYER_TRY(const Json json, parse_json_object(line, line.size()));
  if (json.contains("error")) return std::unexpected(client_.refusal(200, line));
  TYER_TRY(Outcome told, read_outcome(json));
  if (json.contains("leases")) {
    told.asked = asked + millis_of(json, "waited_ms");
    outcome = std::move(told);
    return false;
  }
  if (!json.contains("held")) return true;  // Only a sign of life.
  held_ = std::move(told.held);
  if (is_over()) return true;  // Only the outcome counts now, whatever we know.
  watch(held_);
  return !has_ended(held_);
}

bool FarWait::is_over() const {
  return env_.clock.boot_time() >= until_;
}

// Nothing that the hub was told of already: it is told once.
std::optional<std::string> FarWait::evidence(const Seen& seen) const {
  if (reported_.contains(seen.lease.token)) return std::nullopt;
  return evidence_of_end(env_.processes, seen);
}

bool FarWait::has_ended(const std::vector<Seen>& held) const {
  return std::ranges::any_of(held, [&](const Seen& seen) { return evidence(seen).has_value(); });
}

bool FarWait::report_ended(const std::vector<Seen>& held) {
  bool any = false;
  for (const Seen& seen : held) {
    const auto why = evidence(seen);
    if (!why) continue;
    const auto reported = report_(seen.lease, *why);
    if (!reported && info(reported.error().fault).retry_helps) continue;
    any = true;
    reported_.insert(seen.lease.token);
    if (!reported) continue;
    ended_.push_back(seen);
    ended_.back().judgement = {core::Verdict::orphaned, *why};
  }
  return any;
}

void FarWait::watch(const std::vector<Seen>& held) {
  for (const Seen& seen : held) {
    if (seen.is_visible || reported_.contains(seen.lease.token)) continue;
    if (auto fd = env_.processes.watch_end(seen.lease.holder); fd && *fd) {
      set_->add((*fd)->get());
      ends_.push_back(**std::move(fd));
    }
  }
}

// What we have reported to be gone was taken over by us, if it was we who got it.
Outcome FarWait::finish(Outcome outcome) const {
  for (const Seen& seen : ended_) {
    const auto same = [&](const core::Lease& lease) { return lease.key == seen.lease.key; };
    if (std::ranges::any_of(outcome.got, same)) outcome.ended.push_back(seen);
  }
  return outcome;
}

bool FarWait::is_stopped() const {
  return env::wait_any(patience_.stop_fds, Span::zero()).value_or(false);
}

// Before the next attempt, with some chance: others wait for the same hub. Whether it was told to
// stop.
Result<bool> FarWait::pause() {
  retry_ = retry_ == Span::zero() ? limits::hub_retry_first
                                  : std::min(2 * retry_, limits::hub_retry_most);
  const Span span = retry_ / 2 + retry_ * env_.random.bits()[0] / 512;
  const Span left = std::max<Span>(until_ - env_.clock.boot_time(), 1ms);
  return env::wait_any(patience_.stop_fds, std::min(span, left));
}

// If it cannot be said, the place is lost a little later.
void FarWait::leave() {
  (void)client_.post("/api/leases/leave", dump_json({{"names", request_.names}, {"place", place_}}),
                     limits::hub_release_max, -1);
}

}  // namespace tyer::lock
