#include "work/shift.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "backend/excerpt.h"
#include "base/json.h"
#include "core/limits.h"
#include "engine/keeper.h"
#include "engine/loop.h"
#include "env/wait_readable.h"
#include "lock/hub_client.h"
#include "run/settle.h"
#include "work/job_maker.h"
#include "work/limits.h"
#include "work/narrator.h"
#include "work/next_run.h"
#include "work/result.h"

namespace tyer::work {
namespace {

std::string path_of(const Assignment& given, std::string_view what) {
  return fmt::format("/api/sessions/{}/runs/{}/{}", given.session_id, given.run, what);
}

class Shift {
 public:
  Shift(const Serving& serving, Order order, lock::HubClient client)
      : serving_(serving),
        env_(serving.engine.env()),
        order_(std::move(order)),
        client_(std::move(client)) {}

  // What can be done before it is known what for: the connection is there then, and so are the
  // hub's instructions.
  void prepare() {
    jobs_.prepare();
    (void)client_.ask("GET", "/api/auth/me", {});
  }

  // For the session that it is told.
  Result<Served> run(const Call& call) {
    TYER_TRY(Json body, grant_body());
    body["run"] = call.run;
    body["all"] = call.all;
    asked_ = env_.clock.boot_time();
    TYER_TRY(const Json begun,
             client_.ask("POST", fmt::format("/api/sessions/{}/runs", call.session), {},
                         dump_json(body)));
    if (begun.value("begun", Json()) != Json(true)) {
      if (begun.value("put_off", Json()) == Json(true)) return Served::put_off;
      if (begun.contains("not_before") && begun["not_before"].is_string()) return Served::limit;
      return text_or(begun, "why").empty() ? Served::nothing : Served::busy;
    }
    return serve(dump_json(begun));
  }

  // For whichever has something to do next.
  Result<Served> run_next() {
    TYER_TRY(Json body, grant_body());
    body["agents"] = order_.agents;
    body["sessions"] = order_.sessions;
    TYER_TRY(const auto next, wait_for_run(env_, client_, serving_.stop_fds, dump_json(body),
                                           dump_json(holder_body())));
    if (!next) return Served::nothing;
    asked_ = next->asked;
    return serve(next->begun);
  }

 private:
  Result<Served> serve(std::string_view begun) {
    TYER_TRY(given_, read_assignment(begun));
    holder_.run = given_.run;
    if (order_.offers) tell_worker();
    TYER_TRY_OK(end_left());
    if (const Result<> still_ours = confirm(); !still_ours) {
      if (still_ours.error().fault == Fault::fenced) return Served::busy;
      return std::unexpected(still_ours.error());
    }
    const Result<> finished = finish(work());
    // It was taken for lost while it could say nothing: that is nobody's failure, and known.
    const bool is_known = finished || finished.error().fault == Fault::fenced;
    if (!is_known) return std::unexpected(finished.error());
    return Served::done;
  }

  // Of the session's runs that were lost here, wherever their records are (W10).
  Result<> end_left() {
    for (const LostRun& lost : given_.left) {
      // Our own mark would be ours, whatever the hub says.
      const bool is_other = lost.mark != order_.job.id;
      if (!is_other || !backend::is_uuid(lost.run)) continue;
      TYER_TRY_OK(run::end_left(lost.run, lost.mark, given_.session_id));
    }
    // Those of them that are recorded here are known to have ended, before another begins.
    if (!given_.left.empty()) TYER_TRY_OK(run::settle(serving_.engine));
    return {};
  }

  void tell_worker() {
    serving_.on_given({.session = given_.session_id,
                       .run = given_.run,
                       .name = given_.agent + "/" + given_.session,
                       .item = item_words(given_)});
  }

  // Who we are, for those who judge whether we live, and how long we may take.
  Result<Json> grant_body() {
    const auto holder = env_.processes.holder(::getppid(), order_.job.id);
    if (!holder) return fail(Fault::cancelled, "the process above its keeper was killed");
    holder_ = *holder;
    const Span hold = std::min(hold_max(), limits::hold_most);
    Json body = holder_body();
    body["mono_us"] = env_.clock.mono().count();
    body["mark"] = order_.job.id;
    body["silence_ms"] = order_.job.silence / 1ms;
    body["hold_ms"] = hold / 1ms;
    return body;
  }

  [[nodiscard]] Json holder_body() const {
    return {{"host", holder_.place.host},
            {"boot", holder_.place.boot},
            {"namespace", holder_.place.pid_namespace},
            {"pid", holder_.pid},
            {"pid_start", holder_.pid_start}};
  }

  // What was given long ago, by all that is known, may be somebody else's by now.
  Result<> confirm() {
    const Span now = env_.clock.boot_time();
    if (now - asked_ <= order_.job.silence / 4) return {};
    TYER_TRY_OK(client_.ask(
        "POST", "/api/leases/renew", {},
        dump_json(
            {{"key", given_.lease_key}, {"token", given_.lease_token}, {"session", given_.run}})));
    asked_ = now;
    return {};
  }

  // All attempts with their waits; the run ends by its own bounds long before.
  [[nodiscard]] static Span hold_max() { return limits::hold_most; }

  Result<run::Kept> work() {
    engine::Keeper leases(env_.clock, renewer(), order_.job.heartbeat);
    leases.hold({.key = given_.lease_key,
                 .token = given_.lease_token,
                 .holder = holder_,
                 .silence_max = order_.job.silence,
                 .hold_max = hold_max()},
                asked_);
    TYER_TRY(run::Job job, jobs_.make_job(given_));
    TYER_TRY(const run::Preparation preparation, serving_.choose_tree(given_, job));
    TYER_TRY(auto telling, lock::HubClient::make(serving_.hub, limits::answer_time));
    Narrator narrator([&](const std::string& text) {
      // What cannot be told is in the transcript.
      (void)telling.ask("POST", path_of(given_, "output"), {}, dump_json({{"text", text}}));
    });
    return run::keep(serving_.engine, serving_.front, jobs_.environment_for(given_), std::move(job),
                     preparation,
                     {.leases = &leases,
                      .on_note = [&](const backend::Note& note) { narrator.hear(note); },
                      .passes_waits_on = true});
  }

  engine::Renew renewer() {
    if (serving_.finish_here) return engine::renew_in(serving_.engine);
    return [this](const core::Lease& lease, Span asked) -> Result<> {
      if (!desk_) {
        TYER_TRY(desk_, lock::make_far_desk(env_, serving_.hub));
      }
      return desk_->renewer()(lease, asked);
    };
  }

  // A hub that is away is waited for: what came of a run is worth it. Where its store is at hand,
  // it is written there: a hub that is started again by another worker does not know our key.
  Result<> finish(const Result<run::Kept>& kept) {
    const bool is_alone =
        env::wait_readable(serving_.front.gone_fd(), Span::zero()).value_or(false);
    const feed::Finish finish = make_finish(given_, kept, is_alone);
    const std::string body = encode(finish);
    const Span until = env_.clock.mono() + limits::finish_wait;
    for (Span backoff{};;) {
      Result<> told;
      if (const auto answer = client_.ask("POST", path_of(given_, "finish"), {}, body); !answer) {
        told = std::unexpected(answer.error());
      }
      const bool is_too_late = !told && told.error().fault == Fault::fenced;
      if (!told && !is_too_late && serving_.finish_here) told = serving_.finish_here(finish);
      if (told) return {};
      const bool may_pass = info(told.error().fault).retry_helps;
      if (!may_pass || env_.clock.mono() >= until) return told;
      backoff = engine::next_backoff(backoff);
      TYER_TRY_OK(env::wait_any({}, backoff));
    }
  }

  const Serving& serving_;
  env::Env& env_;
  Order order_;
  JobMaker jobs_{serving_, order_};
  lock::HubClient client_;
  core::Holder holder_;
  Span asked_{};
  Assignment given_;
  std::unique_ptr<lock::Desk> desk_;
};

}  // namespace

Result<Served> serve(const Serving& serving, const Order& order,
                     const std::function<Result<std::optional<Call>>()>& wait) {
  TYER_TRY(auto client, lock::HubClient::make(serving.hub, limits::answer_time));
  Shift shift(serving, order, std::move(client));
  shift.prepare();
  if (order.offers) return shift.run_next();
  TYER_TRY(const auto call, wait());
  if (!call) return Served::nothing;
  return shift.run(*call);
}

}  // namespace tyer::work
