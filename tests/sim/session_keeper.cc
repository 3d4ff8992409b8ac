#include "sim/session_keeper.h"

#include <algorithm>

#include "base/id.h"
#include "feed/actor.h"
#include "feed/kinds.h"
#include "feed/records.h"

namespace tyer::testing {
namespace {

constexpr Span silence = 40s;
constexpr Span hold = 20min;

// What it shows has no runs of sessions, as if nobody had looked for them.
class BlindView final : public core::View {
 public:
  explicit BlindView(const core::View& view) : view_(view) {}

  [[nodiscard]] Result<std::optional<core::Subject>> subject(
      const std::string& key) const override {
    return view_.subject(key);
  }
  [[nodiscard]] Result<std::vector<core::Subject>> subjects(
      const core::SubjectQuery& query) const override {
    if (query.kind == "shift") return std::vector<core::Subject>();
    return view_.subjects(query);
  }
  [[nodiscard]] Result<std::vector<core::Subject>> due(Time until,
                                                       std::size_t limit) const override {
    return view_.due(until, limit);
  }
  [[nodiscard]] Result<std::optional<core::Lease>> lease(const std::string& key) const override {
    return view_.lease(key);
  }
  [[nodiscard]] Result<std::vector<core::Lease>> leases(const std::string& after,
                                                        std::size_t limit) const override {
    return view_.leases(after, limit);
  }
  [[nodiscard]] Result<std::vector<core::Event>> events(
      const core::EventQuery& query) const override {
    return view_.events(query);
  }
  [[nodiscard]] Result<core::Head> head() const override { return view_.head(); }
  [[nodiscard]] Result<core::Cursor> cursor(const std::string& reader) const override {
    return view_.cursor(reader);
  }
  [[nodiscard]] Result<std::vector<core::Cursor>> cursors() const override {
    return view_.cursors();
  }

 private:
  const core::View& view_;
};

}  // namespace

SessionKeeper::SessionKeeper(const sim::Home& home, SessionFlaw flaw)
    : home_(home), flaw_(flaw), keeper_(home.engine) {
  if (flaw_ == SessionFlaw::no_end_of_wakes) rules_.wakes_max = 1'000;
}

Result<Time> SessionKeeper::step(Time now) {
  doing_.clear();
  const Result<Time> beat = keeper_.step(now);
  for (const engine::Lost& lost : keeper_.take_lost()) {
    doing_ = "lost " + lost.lease.key;
    // Its agent is ended, and what it has said is told all the same: it may come too late.
    if (stage_ == Stage::working) stage_ = Stage::ending;
  }
  TYER_TRY_OK(act());
  const Time next = now + home_.rng.between(Span(100ms), Span(5s));
  return beat ? std::min(*beat, next) : next;
}

Result<> SessionKeeper::act() {
  switch (stage_) {
    case Stage::idle: return look();
    case Stage::working: work(); return {};
    case Stage::unheard:
    case Stage::ending: return finish();
  }
  return {};
}

Result<> SessionKeeper::look() {
  // What failed runs have left is looked at once more by who is new.
  const bool all = home_.settling || home_.rng.one_in(4);
  std::vector<std::string> ready;
  TYER_TRY(const Time now, home_.engine.store_time());
  TYER_TRY_OK(home_.engine.read([&](const core::View& view) -> Result<> {
    ready.clear();
    TYER_TRY(const auto sessions, feed::list_ready(view, {}, all, now));
    for (const feed::Session& session : sessions) ready.push_back(session.id);
    return {};
  }));
  // Others may be quicker, or it is somebody's whom this keeper has not seen.
  if (!ready.empty()) return begin(ready[home_.rng.below(ready.size())]);
  doing_ = "has nothing to do";
  return {};
}

Result<> SessionKeeper::begin(const std::string& session) {
  const env::Env& env = home_.engine.env();
  const std::string run = uuid7(env.clock.now(), env.random.bits());
  key_ = feed::key_of("session", session);
  finish_ = {.session = session,
             .run = run,
             .verdict = "lost",
             .why = "its keeper never heard of it",
             .is_unheard = true};
  const bool all = home_.settling || home_.rng.one_in(2);
  feed::Begin wanted{.session = session,
                     .run = run,
                     .grant = {.key = key_,
                               .holder = env.processes.self(run),
                               .mono = env.clock.mono(),
                               .silence_max = silence,
                               .hold_max = hold,
                               .command = "run"},
                     .all = all,
                     .mark = run};
  const Span asked = env.clock.boot_time();
  bool is_begun = false;
  stage_ = Stage::unheard;
  TYER_TRY(const engine::Applied applied,
           home_.engine.apply(
               {feed::as_session(session).key()},
               [&](const core::View& view, Time now) -> Result<core::Change> {
                 TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, env.random.bits()));
                 wanted.credential = {
                     .id = ids.next("cr_"), .kind = "run", .name = run, .hash = "h", .prefix = "p"};
                 const BlindView blind(view);
                 const bool sees = flaw_ != SessionFlaw::begins_beside_others;
                 TYER_TRY(feed::Begun begun,
                          feed::decide_begin(sees ? view : static_cast<const core::View&>(blind),
                                             env.processes, wanted, rules_, now));
                 is_begun = begun.is_begun;
                 return std::move(begun.change);
               }));
  stage_ = is_begun ? Stage::working : Stage::idle;
  doing_ = (is_begun ? "begins for " : "is refused ") + session;
  if (!is_begun) return {};
  keeper_.hold(applied.grants.front(), asked);
  finish_ = draw_finish();
  work_left_ = home_.rng.between(0, 12);
  return {};
}

feed::Finish SessionKeeper::draw_finish() {
  feed::Finish finish{.session = finish_.session, .run = finish_.run, .verdict = "done"};
  // In the end all agents are well.
  const std::uint64_t drawn = home_.settling ? 0 : home_.rng.below(10);
  if (drawn < 6) finish.text = "here it is";
  if (drawn == 7) finish.verdict = "failed";
  if (drawn == 8) finish.verdict = "stopped";
  if (drawn == 9) {
    finish.verdict = "later";
    finish.wait = home_.rng.between(Span(1s), Span(1min));
    finish.wait_grows = home_.rng.one_in(2);
  }
  if (drawn > 6) finish.why = "the world says so";
  return finish;
}

void SessionKeeper::work() {
  doing_ = "works for " + key_;
  if (work_left_ == 0) stage_ = Stage::ending;
  work_left_ -= work_left_ > 0 ? 1 : 0;
}

// Until it is known what the store has of it.
Result<> SessionKeeper::finish() {
  // Who has asked to let go of it holds nothing any more, whether or not the answer arrives.
  keeper_.forget(key_);
  const auto applied =
      home_.engine.apply({feed::as_session(finish_.session).key()},
                         [&](const core::View& view, Time now) -> Result<core::Change> {
                           TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, home_.rng.bits()));
                           return feed::decide_finish(view, finish_, rules_, ids, now);
                         });
  const bool is_known = applied || applied.error().fault == Fault::fenced ||
                        applied.error().fault == Fault::not_found;
  if (!is_known) return std::unexpected(applied.error());
  doing_ = applied ? finish_.verdict + " " + key_ : "comes too late for " + key_;
  stage_ = Stage::idle;
  return {};
}

}  // namespace tyer::testing
