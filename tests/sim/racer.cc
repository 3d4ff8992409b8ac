#include "sim/racer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "core/claim.h"
#include "core/key.h"

namespace tyer::testing {
namespace {

constexpr Span silence = 30s;
constexpr Span hold = 4min;

}  // namespace

Racer::Racer(const sim::Home& home)
    : home_(home), keeper_(home.engine), locks_(home.engine), careless_(home.rng.one_in(2)) {}

Result<Time> Racer::step(Time now) {
  doing_.clear();
  TYER_TRY(const Time beat, keeper_.step(now));
  for (const engine::Lost& lost : keeper_.take_lost()) {
    doing_ = "lost " + lost.lease.key;
    if (lost.lease.key == key_ && !careless_) let_go();
  }
  if (token_ == 0) {
    if (home_.settling && key_.empty() && !line_) {
      doing_ = "rests";
      return now + 30s;
    }
    const Result<> asked = ask();
    if (!asked) return dawdle(now, asked.error());
  } else if (work_left_ == 0) {
    TYER_TRY_OK(release());
  } else if (home_.rng.one_in(40)) {
    // Ctrl+C: the process lives on, forgets its run and asks again.
    doing_ = "interrupted on " + key_;
    keeper_.forget(key_);
    run_.clear();
    token_ = 0;
  } else {
    TYER_TRY_OK(work());
  }
  return std::min(beat, now + home_.rng.between(Span(100ms), Span(15s)));
}

// Who heard no answer may have what it asked for, and may be long in asking again.
Result<Time> Racer::dawdle(Time now, const Error& error) {
  if (home_.rng.one_in(4)) return std::unexpected(error);
  doing_ = "dawdles: " + error.what;
  return now + home_.rng.between(Span(1s), 3 * silence);
}

bool Racer::trusts(const std::string& key) const {
  return key == key_ && token_ != 0 && keeper_.trusts(key);
}

void Racer::line_up() {
  env::Env& env = home_.engine.env();
  run_ = uuid7(env.clock.now(), env.random.bits());
  lock::Request request{.any = true,
                        .holder = env.processes.self(run_),
                        .command = "race",
                        .silence_max = silence,
                        .hold_max = hold};
  // Who was interrupted wants the same again.
  const std::uint64_t first = home_.rng.below(3);
  request.names = {key_.empty() ? fmt::format("{}", first) : std::string(core::rest_of(key_))};
  if (key_.empty() && home_.rng.one_in(3))
    request.names.push_back(fmt::format("{}", (first + 1) % 3));
  key_.clear();
  waits_ = home_.rng.one_in(2);
  line_.emplace(locks_, *locks_.to_asking(request), waits_ ? locks_.borrow_place().name : "");
}

Result<> Racer::ask() {
  if (!line_) line_up();
  const Span asked = home_.engine.env().clock.boot_time();
  TYER_TRY(const auto found, find_again());
  if (found) {
    take(*found, asked);
    return {};
  }
  // What the commit gave is found again if its answer is lost.
  TYER_TRY(const lock::Outcome outcome, line_->look());
  if (outcome.got.empty()) {
    doing_ = waits_ ? "waits" : "is refused";
    if (waits_ && !home_.rng.one_in(20)) return {};
    (void)line_->leave();
    line_.reset();
    run_.clear();
    return {};
  }
  take(outcome.got.front(), outcome.asked);
  return {};
}

void Racer::take(const core::Lease& lease, Span asked) {
  key_ = lease.key;
  doing_ = fmt::format("got {} with token {}", key_, lease.token);
  token_ = lease.token;
  work_left_ = home_.rng.between(1, 8);
  keeper_.hold(lease, asked);
  line_.reset();
}

// As the decision of a claim would without its protection: what is one's own is taken as it is,
// neither judged nor renewed.
Result<std::optional<core::Lease>> Racer::find_again() {
  std::optional<core::Lease> found;
  if (home_.flaw != sim::Flaw::found_again_unjudged) return found;
  TYER_TRY_OK(home_.engine.read([&](const core::View& view) -> Result<> {
    found.reset();
    TYER_TRY(const std::vector<core::Lease> leases, view.leases("lock/", limits::page_rows_max));
    const auto mine = std::ranges::find_if(
        leases, [&](const core::Lease& lease) { return lease.holder.run == run_; });
    if (mine != leases.end()) found = *mine;
    return {};
  }));
  return found;
}

Result<> Racer::work() {
  if (!careless_ && !keeper_.trusts(key_)) {
    doing_ = "does not trust its lease";
    return {};
  }
  const std::string job = "job/" + std::string(core::rest_of(key_));
  const auto applied = home_.engine.apply(
      {"racer/" + home_.machine.host()}, [&](const core::View& view, Time) -> Result<core::Change> {
        TYER_TRY(const auto before, view.subject(job));
        const Json body{{"token", token_}, {"count", before ? before->rev + 1 : 1}};
        core::Change change{
            .events = {{.key = job, .type = "job.worked", .body = dump_json(body)}}};
        if (home_.flaw != sim::Flaw::no_token_check) change.under.push_back({key_, token_});
        return change;
      });
  if (!applied && applied.error().fault == Fault::fenced) {
    doing_ = "was fenced from " + key_;
    let_go();
    return {};
  }
  if (!applied) return std::unexpected(applied.error());
  doing_ = "worked on " + job;
  --work_left_;
  return {};
}

Result<> Racer::release() {
  // Who has asked to release holds nothing any more, whether or not the answer arrives.
  keeper_.forget(key_);
  TYER_TRY_OK(home_.engine.apply(
      {"racer/" + home_.machine.host()},
      [&](const core::View& view, Time) { return core::release(view, key_, token_); }));
  doing_ = "released " + key_;
  let_go();
  return {};
}

void Racer::let_go() {
  keeper_.forget(key_);
  key_.clear();
  run_.clear();
  token_ = 0;
}

}  // namespace tyer::testing
