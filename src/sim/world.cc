#include "sim/world.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "engine/limits.h"
#include "sim/faults.h"
#include "sim/process.h"
#include "store/sqlite_store.h"

namespace tyer::sim {
namespace {

constexpr Time beginning = from_micros(1'800'000'000'000'000);
constexpr int settle_steps_max = 20'000;
constexpr Span settle_time_max = 6h;

}  // namespace

World::World(const WorldOptions& options, const core::Catalog& catalog,
             std::function<Broken(const core::View&, const Laws&)> settled)
    : options_(options),
      rng_(options.seed),
      time_{beginning},
      database_(std::make_unique<Machine>("database", time_, false)),
      database_clock_(*database_),
      database_processes_(*database_, 1),
      database_env_{database_clock_, files_, database_processes_, rng_},
      catalog_(catalog),
      settled_(std::move(settled)) {
  const bool hides = options.flaw == Flaw::no_start_time;
  const std::uint64_t count = rng_.between(1, 3);
  for (std::uint64_t i = 0; i < count; ++i) {
    machines_.push_back(std::make_unique<Machine>(fmt::format("m{}", i), time_, hides));
    machines_.back()->set_clock_error(rng_.between(Span(-2min), Span(2min)));
  }
  weather_.resize(count);
  auto opened = store::open_sqlite(":memory:", database_env_, {});
  TYER_CHECK(opened.has_value(), "a database in memory can be opened");
  store_ = *std::move(opened);
  laws_ = std::make_unique<Laws>(*store_, catalog_);
  laws_->observe([this](const core::Event& event, const Laws&) { return check_verdict(event); });
}

World::~World() = default;

void World::employ(const std::string& name, std::size_t machine, ActorFactory factory) {
  processes_.push_back(std::make_unique<Process>(name, *machines_.at(machine), weather_.at(machine),
                                                 std::move(factory)));
}

Broken World::run() {
  Faults faults(*this);
  for (int step = 0; step < options_.steps; ++step) {
    faults.step();
    if (Broken broken = step_one()) return broken;
  }
  faults.stop();
  return settle();
}

Broken World::settle() {
  settling_ = true;
  const Time until = time_.now + settle_time_max;
  Broken missing = "the world never came to rest";
  for (int step = 0; step < settle_steps_max && time_.now < until; ++step) {
    if (Broken broken = step_one()) return broken;
    if (step % 50 != 0) continue;
    const Result<> read = store_->read([&](const core::View& view) -> Result<> {
      missing = settled_(view, *laws_);
      return {};
    });
    if (!read) return "the store cannot be read: " + read.error().what;
    if (!missing) return laws_->check_all();
  }
  return "liveness: " + *missing;
}

Broken World::step_one() {
  // Time moves to the first who wants to go on; of those who do, one is drawn.
  Time next = never;
  for (const auto& process : processes_) next = std::min(next, process->ready_at(time_.now));
  if (next == never) next = time_.now + 1s;
  time_.now = std::max(time_.now, next);
  std::vector<Process*> ready;
  for (const auto& process : processes_) {
    if (process->ready_at(time_.now) <= time_.now) ready.push_back(process.get());
  }
  if (ready.empty()) return std::nullopt;
  Process& process = *ready[rng_.below(ready.size())];
  if (!process.is_running()) {
    process.start(*store_, commits_, rng_, catalog_, files_, options_.flaw, settling_);
    trace(process, "starts");
    process.next = time_.now;
    return std::nullopt;
  }
  const Time wall = process.machine.wall();
  const Result<Time> asked = process.actor->step(wall);
  const Span pause = asked ? *asked - wall : limits::backoff_most;
  process.next = time_.now + std::clamp(pause, Span(1ms), Span(1min));
  trace(process, asked ? process.actor->doing() : "fails: " + asked.error().what);
  const Broken broken = check_after(process, asked.has_value());
  if (process.dying) process.die(time_.now + rng_.between(Span(0), Span(20s)));
  return broken;
}

Broken World::check_after(Process& process, bool succeeded) {
  if (Broken broken = check_committed()) return broken;
  if (Broken broken = process.actor->check(*laws_)) return broken;
  if (succeeded && !process.dying && process.actor->swept()) {
    if (Broken broken = check_dead_holders(process)) return broken;
  }
  return check_trust();
}

// Nothing in the store changes without a commit.
Broken World::check_committed() {
  if (std::exchange(checked_, commits_) == commits_) return std::nullopt;
  if (Broken broken = laws_->check()) return broken;
  for (const auto& [key, lease] : laws_->live()) {
    Heard& heard = heard_[key];
    const bool fresh = heard.token != lease.token;
    // A time that is ahead of the store's is set back by others, which is no beat: whoever beats
    // tells its own monotonic clock.
    const bool beat =
        lease.heard_mono ? lease.heard_mono != heard.heard_mono : lease.heard_at != heard.heard_at;
    heard.heard_at = lease.heard_at;
    if (!fresh && !beat) continue;
    const Span mono = machine_of(lease.holder.place.host)->mono();
    heard = {lease.token, lease.heard_at, lease.heard_mono, mono,
             fresh ? mono : heard.granted_mono};
  }
  return std::nullopt;
}

Machine* World::machine_of(const std::string& host) const {
  for (const auto& machine : machines_) {
    if (machine->host() == host) return machine.get();
  }
  check_failed("a holder is on a machine of this world", __FILE__, __LINE__);
}

// A verdict must be true: the judge said why, and the world knows.
Broken World::check_verdict(const core::Event& event) {
  if (event.type != "lease.lapsed") return std::nullopt;
  const auto lease = laws_->live().find(event.key);
  const auto body = parse_json_object(event.body);
  if (lease == laws_->live().end() || !body) return std::nullopt;  // Another law tells that.
  const core::Holder& holder = lease->second.holder;
  const Machine& machine = *machine_of(holder.place.host);
  const std::string verdict = text_or(*body, "verdict");
  const bool alive = machine.is_running(holder);
  if (verdict == "orphaned" && alive)
    return fmt::format("L10: {} was called orphaned, but it lives", event.key);
  const bool same_machine = event.actor.ends_with("/" + machine.host());
  if (!alive || !same_machine) return std::nullopt;
  // Judged on its own boot: suspension and clock changes must not count.
  const Heard& heard = heard_.at(event.key);
  if (verdict == "silent" && machine.mono() - heard.mono < lease->second.silence_max) {
    return fmt::format("L10: {} was called silent, but it beat {} ago", event.key,
                       describe_span(machine.mono() - heard.mono));
  }
  if (verdict == "overdue" && machine.mono() - heard.granted_mono < lease->second.hold_max) {
    return fmt::format("L10: {} was called overdue, but it was held for {}", event.key,
                       describe_span(machine.mono() - heard.granted_mono));
  }
  return std::nullopt;
}

// A process that is gone is known to be gone: its lease does not outlive two
// whole sweeps on its own machine.
Broken World::check_dead_holders(const Process& sweeper) {
  for (const auto& [key, lease] : laws_->live()) {
    if (lease.holder.place.host != sweeper.machine.host()) continue;
    if (sweeper.machine.is_running(lease.holder)) {
      outlived_.erase(lease.token);
    } else if (++outlived_[lease.token] > 2) {
      return fmt::format("L10: the holder of {} is gone, but its lease outlived two sweeps", key);
    }
  }
  return std::nullopt;
}

// Whether nobody may take it, neither on its holder's machine nor elsewhere, as long as that lives.
core::Judgement World::judge(const core::Lease& lease) const {
  const Time now = database_clock_.now();
  core::Sight sight{.liveness = core::Liveness::alive, .evidence = "", .mono_now = {}};
  core::Judgement elsewhere = core::judge(lease, sight, now);
  if (elsewhere.verdict != core::Verdict::live) return elsewhere;
  sight.mono_now = machine_of(lease.holder.place.host)->mono();
  return core::judge(lease, sight, now);
}

// Law 1 as people feel it: never do two believe that they may act, nor does one while another may
// take its lease. Only a store whose clock jumps can deceive a holder, and then its writes are
// refused.
Broken World::check_trust() {
  if (store_clock_jumped_) return std::nullopt;
  for (const auto& [key, lease] : laws_->live()) {
    int believers = 0;
    for (const auto& process : processes_) {
      if (process->is_running() && process->actor->trusts(key)) ++believers;
    }
    if (believers > 1) return fmt::format("law 1: {} believe that they hold {}", believers, key);
    if (believers == 0) continue;
    if (const core::Judgement judged = judge(lease); judged.verdict != core::Verdict::live) {
      return fmt::format("law 1: somebody believes that it holds {}: {}", key, judged.why);
    }
  }
  return std::nullopt;
}

void World::trace(const Process& process, const std::string& what) const {
  if (!options_.trace) return;
  const Span elapsed = time_.now - beginning;
  options_.trace(fmt::format("{:>10.3f} {:<8} {:<10} {:>5}  {}",
                             static_cast<double>(elapsed.count()) / 1e6, process.machine.host(),
                             process.name, laws_->seen(), what));
}

}  // namespace tyer::sim
