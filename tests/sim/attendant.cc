#include "sim/attendant.h"

#include <fmt/format.h>

#include "base/id.h"
#include "core/key.h"

namespace tyer::testing {
namespace {

constexpr Span silence = 40s;
constexpr Span hold = 20min;

}  // namespace

Result<Time> Attendant::step(Time now) {
  doing_.clear();
  const Result<Time> beat = keeper_.step(now);
  for (const engine::Lost& lost : keeper_.take_lost()) {
    doing_ = "lost " + lost.lease.key;
    if (stage_ == Stage::working) stage_ = Stage::ending;
    is_lost_ = true;
  }
  TYER_TRY_OK(act());
  const Time next = now + home_.rng.between(Span(100ms), Span(10s));
  return beat ? std::min(*beat, next) : next;
}

Result<> Attendant::act() {
  switch (stage_) {
    case Stage::idle:
      if (home_.settling) return {};
      job_ = {.id = new_id(), .backend = "demo", .directory = "/", .folder = "/runs"};
      attempt_ = 1;
      stage_ = Stage::creating;
      return create();
    case Stage::creating: return create();
    case Stage::starting: return start();
    case Stage::working: work(); return {};
    case Stage::ending: return end();
  }
  return {};
}

// Again if the answer was lost.
Result<> Attendant::create() {
  TYER_TRY_OK(home_.engine.apply(
      {run::key_of(job_.id)}, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const auto subject, view.subject(run::key_of(job_.id)));
        if (subject) return core::Change{};
        return core::Change{
            .events = {run::draft_created(job_, {.number = attempt_, .first = job_.id},
                                          guards(job_.id), now)}};
      }));
  doing_ = "created " + job_.id;
  stage_ = Stage::starting;
  return {};
}

// Once: what could not be started has failed, whether or not the store has it.
Result<> Attendant::start() {
  stage_ = Stage::ending;
  token_ = 0;
  is_lost_ = false;
  const env::Clock& clock = home_.engine.env().clock;
  const Span asked = clock.boot_time();
  const core::Grant grant{.key = run::key_of(job_.id),
                          .holder = guards(job_.id).keeper,
                          .mono = clock.mono(),
                          .silence_max = silence,
                          .hold_max = hold,
                          .command = "agent demo"};
  TYER_TRY(const engine::Applied applied,
           home_.engine.apply({run::key_of(job_.id)},
                              [&](const core::View&, Time now) -> Result<core::Change> {
                                return run::decide_start(job_, grant, now);
                              }));
  token_ = applied.grants.front().token;
  keeper_.hold(applied.grants.front(), asked);
  doing_ = "started " + job_.id;
  work_left_ = home_.rng.between(0, 12);
  stage_ = Stage::working;
  return {};
}

void Attendant::work() {
  doing_ = "works";
  if (work_left_ == 0) stage_ = Stage::ending;
  work_left_ -= work_left_ > 0 ? 1 : 0;
}

// Until it is written.
Result<> Attendant::end() {
  keeper_.forget(run::key_of(job_.id));
  if (next_.empty() && !home_.settling && home_.rng.one_in(3)) next_ = new_id();
  run::Conclusion conclusion{.outcome = is_lost_ ? core::Outcome::lost : core::Outcome::failed};
  conclusion.report.why = "the world says so";
  bool goes_on = false;
  TYER_TRY_OK(home_.engine.apply(
      {run::key_of(job_.id)}, [&](const core::View& view, Time now) -> Result<core::Change> {
        std::optional<core::Draft> next;
        run::Job following = job_;
        following.id = next_;
        if (!next_.empty()) {
          next = run::draft_created(following, {.number = attempt_ + 1, .first = job_.id},
                                    guards(next_), now);
        }
        TYER_TRY(core::Change change,
                 run::decide_end(view, job_.id, token_, conclusion, next, now));
        goes_on = change.events.size() == 2;
        if (!change.empty() || !next) return change;
        TYER_TRY(const run::Record ended, run::find_record(view, job_.id));
        goes_on = ended.next == next_;
        return change;
      }));
  doing_ = "ended " + job_.id;
  stage_ = goes_on ? Stage::starting : Stage::idle;
  if (goes_on) job_.id = next_;
  ++attempt_;
  next_.clear();
  return {};
}

run::Guards Attendant::guards(const std::string& id) const {
  const core::Holder self = home_.engine.env().processes.self(id);
  return {self, self};
}

std::string Attendant::new_id() const {
  const env::Env& env = home_.engine.env();
  return uuid7(env.clock.now(), env.random.bits());
}

Result<Time> Settler::step(Time now) {
  doing_.clear();
  std::vector<std::string> open;
  TYER_TRY_OK(home_.engine.read([&](const core::View& view) -> Result<> {
    open.clear();
    for (const char* const status : {"created", "running"}) {
      TYER_TRY(const auto page, view.subjects({.kind = "run", .status = status}));
      for (const core::Subject& subject : page) open.push_back(subject.key);
    }
    return {};
  }));
  for (const std::string& key : open) TYER_TRY_OK(settle(key));
  return now + home_.rng.between(Span(5s), Span(40s));
}

Result<> Settler::settle(const std::string& key) {
  const std::string id(core::rest_of(key));
  TYER_TRY_OK(
      home_.engine.apply({"tyer"}, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(core::Change change,
                 run::decide_lost(view, id, home_.engine.env().processes, now));
        if (!change.empty()) doing_ = "settles " + id;
        return change;
      }));
  return {};
}

sim::Broken observe_runs(const core::Event& event, const sim::Laws& laws) {
  if (core::kind_of(event.key) != "run") return std::nullopt;
  const auto subject = laws.subjects().find(event.key);
  const bool has_ended = subject != laws.subjects().end() && subject->second.status == "ended";
  if (has_ended) return fmt::format("{} has ended, and then: {}", event.key, event.type);
  if (event.type == "run.ended" && laws.live().contains(event.key)) {
    return event.key + " has ended, but its lease has not";
  }
  return std::nullopt;
}

}  // namespace tyer::testing
