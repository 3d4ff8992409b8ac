#include "lock/locks.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/id.h"
#include "base/text.h"
#include "core/key.h"
#include "engine/keeper.h"
#include "lock/breaking.h"
#include "lock/limits.h"

namespace tyer::lock {
namespace {

constexpr std::string_view prefix = "lock/";

Seen see(const core::Lease& lease, const core::Witness& witness, Time now) {
  const core::Sight sight = witness.look(lease.holder);
  const core::Ages ages = core::ages(lease, sight, now);
  return {.lease = lease,
          .judgement = core::judge(lease, sight, now),
          .now = now,
          // A heartbeat may be younger than the time of the look.
          .silent = std::max(ages.silent, Span::zero()),
          .held = std::max(ages.held, Span::zero()),
          .is_visible = sight.liveness != core::Liveness::unknown};
}

// The answer by names, for people.
void tell(core::Answer& answer, const core::Witness& witness, Time now, Outcome& outcome) {
  outcome.got = std::move(answer.mine);
  outcome.next = std::move(answer.ahead);
  outcome.held.clear();
  for (const core::Held& held : answer.held) {
    outcome.held.push_back(see(held.lease, witness, now));
  }
  outcome.free.clear();
  for (const std::string& key : answer.free) outcome.free.emplace_back(name_of(key));
  outcome.tickets = std::move(answer.found);
  outcome.before = std::move(answer.before);
  outcome.behind = std::move(answer.behind);
}

// For the log: who asked through a hub, or the run itself.
std::string actor_of(const core::Asker& asker, const std::string& run) {
  return asker.who.empty() ? "run/" + run : asker.who;
}

std::string who(const core::Lease& lease) {
  const std::string host = lease.holder.place.host.empty() ? "" : " on " + lease.holder.place.host;
  return fmt::format("pid {}{}", lease.holder.pid, printable(host, 100));
}

}  // namespace

Result<std::string> key_of(std::string_view name) {
  const auto wrong = [&](std::string_view why) {
    return fail(Fault::invalid, fmt::format("the lock name '{}' {}", printable(name, 80), why));
  };
  if (name.empty()) return fail(Fault::invalid, "a lock's name must not be empty");
  if (name.size() > limits::lock_name_bytes_max) {
    return wrong(
        fmt::format("has {} bytes, the limit is {}", name.size(), limits::lock_name_bytes_max));
  }
  if (is_utf8(name) && has_hidden_characters(name)) {
    return wrong("has a character in it that nobody sees");
  }
  std::string key = fmt::format("{}{}", prefix, name);
  if (const Result<> good = core::check_key(key); !good) {
    // "the key 'lock/…' has …": people know it by its name.
    const std::string& what = good.error().what;
    return wrong(what.substr(what.rfind("' ") + 2));
  }
  return key;
}

std::string_view name_of(std::string_view key) {
  return core::rest_of(key);
}

Result<std::uint64_t> read_token(std::string_view text) {
  std::uint64_t token = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), token);
  if (error == std::errc{} && end == text.data() + text.size() && token != 0) return token;
  return fail(Fault::invalid, fmt::format("'{}' is not a number from 1 on", printable(text, 80)));
}

Result<core::Asking> Locks::to_asking(const Request& request) const {
  if (request.names.empty()) return fail(Fault::invalid, "no lock was named");
  if (request.names.size() > limits::lock_names_max) {
    return fail(Fault::limit, fmt::format("{} locks at a time are over the limit of {}",
                                          request.names.size(), limits::lock_names_max));
  }
  core::Asking asking{.any = request.any};
  for (const std::string& name : request.names) {
    TYER_TRY(std::string key, key_of(name));
    const auto same = [&](const core::Grant& grant) { return grant.key == key; };
    if (std::ranges::any_of(asking.wishes, same)) {
      return fail(Fault::invalid, fmt::format("the lock {} stands twice", printable(name)));
    }
    asking.wishes.push_back({.key = std::move(key),
                             .holder = request.holder,
                             .silence_max = request.silence_max,
                             .hold_max = request.hold_max,
                             .command = request.command,
                             .owner = request.owner,
                             .asker = request.asker});
  }
  return asking;
}

Result<Outcome> Locks::acquire(const Request& request) {
  TYER_TRY(const core::Asking asking, to_asking(request));
  return commit(asking);
}

Result<Outcome> Locks::acquire_in_turn(const core::Asking& asking) {
  bool changes = false;
  Outcome outcome;
  const core::Witness& witness = engine_.env().processes;
  TYER_TRY(const Time now, engine_.store_time());
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(core::Answer answer, core::decide_acquire(view, witness, asking, now));
    changes = !answer.change.empty();
    tell(answer, witness, now, outcome);
    return {};
  }));
  if (!changes) return outcome;
  return commit(asking);
}

// Judging and replacing are one transaction: no second contender can have come
// to the same verdict in between (L4).
Result<Outcome> Locks::commit(const core::Asking& asking) {
  const env::Env& env = engine_.env();
  core::Asking timed = asking;
  Outcome outcome{.asked = env.clock.boot_time()};
  for (core::Grant& wish : timed.wishes) wish.mono = engine::mono_for(env, wish.holder);
  if (timed.ticket) timed.ticket->mono = engine::mono_for(env, timed.ticket->holder);
  std::vector<std::string> keys;
  for (const core::Grant& wish : timed.wishes) keys.push_back(wish.key);

  const auto decide = [&](const core::View& view, Time now) -> Result<core::Change> {
    TYER_TRY(core::Answer answer, core::decide_acquire(view, env.processes, timed, now));
    tell(answer, env.processes, now, outcome);
    outcome.ended.clear();
    for (const core::Ending& ending : answer.change.endings) {
      if (!ending.key.starts_with(prefix)) continue;
      TYER_TRY(const auto lease, view.lease(ending.key));
      outcome.ended.push_back(see(*lease, env.processes, now));
      outcome.ended.back().judgement.why = ending.why;
    }
    return std::move(answer.change);
  };
  const core::Grant& first = timed.wishes.front();
  TYER_TRY(engine::Applied applied,
           engine_.apply({actor_of(first.asker, first.holder.run)}, decide, std::move(keys)));
  for (core::Lease& lease : applied.grants) {
    (lease.key.starts_with(prefix) ? outcome.got : outcome.tickets).push_back(std::move(lease));
  }
  return outcome;
}

Result<core::Lease> Locks::own(const core::View& view, const std::string& key,
                               const std::string& run, const Speaker& speaker) const {
  TYER_TRY(const auto lease, view.lease(key));
  if (!lease) {
    return fail(Fault::not_found,
                fmt::format("{}: nobody holds it; the lease of session {} has ended", name_of(key),
                            printable(run)));
  }
  const bool is_its = speaker.asker.empty() || speaker.asker == lease->asker.who;
  if (lease->holder.run == run && is_its) return *lease;
  if (lease->holder.run == run) {
    return fail(Fault::denied, fmt::format("{}: it was taken by somebody else ({}); only they, or "
                                           "people, may do this",
                                           name_of(key), who(*lease)));
  }
  // The session of somebody else is not told.
  const std::string other = is_its ? "session " + lease->holder.run : "another";
  return fail(Fault::fenced,
              fmt::format("{}: session {} does not hold it; {} does ({}, token {})", name_of(key),
                          printable(run), other, who(*lease), lease->token));
}

Result<core::Lease> Locks::renew(const std::string& name, const std::string& run,
                                 const Speaker& speaker) {
  TYER_TRY(const std::string key, key_of(name));
  core::Lease lease;
  const env::Env& env = engine_.env();
  const auto decide = [&](const core::View& view, Time now) -> Result<core::Change> {
    TYER_TRY(lease, own(view, key, run, speaker));
    lease.heard_at = now;
    lease.heard_mono = engine::mono_for(env, lease.holder);
    // Judged as it would be then: it has been heard of again, but nothing else is mended by that.
    const core::Judgement judgement = core::judge(lease, env.processes.look(lease.holder), now);
    if (judgement.verdict != core::Verdict::live) {
      return fail(
          Fault::fenced,
          fmt::format("{}: the lease of session {} is {}, and cannot be renewed: {}", name_of(key),
                      printable(run), core::name(judgement.verdict), judgement.why));
    }
    return core::Change{.renewals = {{key, lease.token, lease.heard_mono}}};
  };
  TYER_TRY_OK(engine_.apply({"run/" + run}, decide, {key}));
  return lease;
}

Result<core::Lease> Locks::release(const std::string& name, const std::string& run,
                                   const Speaker& speaker) {
  const auto choose = [&](const core::View& view, const std::string& key,
                          core::Lease& lease) -> Result<core::Ending> {
    TYER_TRY(lease, own(view, key, run, speaker));
    return core::Ending{key, lease.token, core::End::released, "", ""};
  };
  return end(name, speaker.actor.empty() ? "run/" + run : speaker.actor, choose);
}

Result<core::Lease> Locks::report_gone(const core::Lease& seen, const std::string& actor,
                                       const std::string& evidence) {
  const auto choose = [&](const core::View& view, const std::string& key,
                          core::Lease& lease) -> Result<core::Ending> {
    TYER_TRY(const auto present, view.lease(key));
    if (!present || present->token != seen.token) {
      return fail(Fault::not_found,
                  fmt::format("{}: the lease with token {} has ended", name_of(key), seen.token));
    }
    lease = *present;
    return core::Ending{key, seen.token, core::End::lapsed,
                        std::string(core::name(core::Verdict::orphaned)), evidence};
  };
  return end(std::string(name_of(seen.key)), actor, choose);
}

Result<core::Lease> Locks::take_back(const core::Lease& granted, const std::string& why) {
  const auto choose = [&](const core::View& view, const std::string& key,
                          core::Lease& lease) -> Result<core::Ending> {
    TYER_TRY(const auto present, view.lease(key));
    if (!present || present->token != granted.token || present->heard_at != granted.heard_at) {
      return fail(Fault::not_found, fmt::format("{}: its holder was heard", name_of(key)));
    }
    lease = *present;
    return core::Ending{key, granted.token, core::End::released, "", why};
  };
  return end(std::string(name_of(granted.key)), actor_of(granted.asker, granted.holder.run),
             choose);
}

Result<core::Lease> Locks::end(
    const std::string& name, const std::string& actor,
    const std::function<Result<core::Ending>(const core::View&, const std::string& key,
                                             core::Lease& lease)>& choose) {
  TYER_TRY(const std::string key, key_of(name));
  core::Lease lease;
  std::vector<core::Lease> waiting;
  const auto decide = [&](const core::View& view, Time) -> Result<core::Change> {
    TYER_TRY(core::Ending ending, choose(view, key, lease));
    TYER_TRY(waiting, core::tickets(view, key));
    return core::Change{.endings = {std::move(ending)}};
  };
  TYER_TRY_OK(engine_.apply({actor}, decide, {key}));
  if (!waiting.empty()) ring(waiting.front());
  wake_holder(engine_.env().processes, lease.holder);
  return lease;
}

Result<std::optional<Seen>> Locks::look(const std::string& name) {
  TYER_TRY(const std::string key, key_of(name));
  std::optional<Seen> seen;
  TYER_TRY(const Time now, engine_.store_time());
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    seen.reset();
    TYER_TRY(const auto lease, view.lease(key));
    if (!lease) return {};
    TYER_TRY(const auto waiting, core::tickets(view, key));
    seen = see(*lease, engine_.env().processes, now);
    seen->waiting = waiting.size();
    return {};
  }));
  return seen;
}

Result<std::vector<Seen>> Locks::list() {
  std::vector<Seen> all;
  TYER_TRY(const Time now, engine_.store_time());
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    all.clear();
    std::string after(prefix);
    while (true) {
      TYER_TRY(const std::vector<core::Lease> page, view.leases(after, limits::page_rows_max));
      for (const core::Lease& lease : page) {
        if (!lease.key.starts_with(prefix)) return {};
        all.push_back(see(lease, engine_.env().processes, now));
        TYER_TRY(const auto waiting, core::tickets(view, lease.key));
        all.back().waiting = waiting.size();
      }
      if (page.size() < limits::page_rows_max) return {};
      after = page.back().key;
    }
  }));
  return all;
}

Result<std::unique_ptr<store::Watch>> Locks::borrow_watch(store::Store& store) {
  if (watches_.empty()) return store.watch();
  auto watch = std::move(watches_.back());
  watches_.pop_back();
  return watch;
}

void Locks::give_back(std::unique_ptr<store::Watch> watch) {
  if (watches_.size() < limits::idle_watches_max) watches_.push_back(std::move(watch));
}

Place Locks::borrow_place() {
  const env::Env& env = engine_.env();
  if (!place_) place_ = Place{sortable_id("", env.clock.now(), env.random.bits()), std::nullopt};
  if (place_->bell) place_->bell->silence();
  return *std::exchange(place_, std::nullopt);
}

void Locks::ring(const core::Lease& ticket) const {
  const env::Processes& processes = engine_.env().processes;
  if (ticket.holder.place != processes.here()) return;
  processes.ring(ticket.key.substr(ticket.key.rfind('/') + 1));
}

std::string describe(const Seen& seen) {
  const core::Lease& lease = seen.lease;
  const std::string command = lease.command.empty() ? "it" : printable(lease.command, 80);
  const std::string owner =
      lease.owner.empty() ? "" : fmt::format(", {}", printable(lease.owner, 80));
  std::string text = fmt::format("{}: {} is {} ({}{}, started {} ago, heartbeat {} ago)",
                                 printable(name_of(lease.key), 200), command,
                                 lease.command.empty() ? "held" : "running", who(lease), owner,
                                 describe_span(seen.held), describe_span(seen.silent));
  if (seen.judgement.verdict != core::Verdict::live) {
    text += fmt::format("; {}: {}", core::name(seen.judgement.verdict), seen.judgement.why);
  }
  return text;
}

}  // namespace tyer::lock
