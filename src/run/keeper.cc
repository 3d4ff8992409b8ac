#include "run/keeper.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "backend/limits.h"
#include "base/id.h"
#include "base/text.h"
#include "core/limits.h"
#include "env/marked.h"
#include "env/wait_readable.h"
#include "run/agent.h"
#include "run/claim.h"
#include "run/ending.h"
#include "run/heart.h"
#include "run/prune.h"
#include "run/settle.h"
#include "run/transcript.h"

namespace tyer::run {
namespace {

using backend::Verdict;

class RunKeeper {
 public:
  RunKeeper(engine::Engine& engine, const env::Front& front,
            const backend::Environment& environment, const Preparation& preparation, Share share)
      : engine_(engine),
        env_(engine.env()),
        front_(front),
        environment_(environment),
        preparation_(preparation),
        share_(std::move(share)) {}

  Result<Kept> run(Job job) {
    const backend::Backend* backend = backend::find_backend(job.backend);
    if (backend == nullptr) {
      return fail(Fault::invalid,
                  fmt::format("there is no back end '{}'", printable(job.backend, 80)));
    }
    if (job.mark.empty()) job.mark = job.id;
    Attempt attempt{.first = job.mark};
    // What is prepared is prepared for a run that is there. Else it is made when it starts.
    if (preparation_) TYER_TRY_OK(create(job, attempt));
    backend::Attempts attempts;
    Kept kept;
    while (true) {
      kept.last = try_once(job, *backend, attempt);
      const Conclusion& conclusion = kept.last;
      // One that could not even be started is to be known as well as one that was.
      if (!is_created_) TYER_TRY_OK(create(job, attempt));
      // No run fails because of the folders of others.
      if (attempt.number == 1) (void)prune(engine_, env_.files, job.folder, job.kept);
      kept.usage = backend::sum_of(kept.usage, conclusion.report.usage);
      kept.was_left = was_left_;
      backend::Next next = decide_next(conclusion.report, attempts);
      attempts = next.attempts;
      using Act = backend::Next::Act;
      if (next.wait > limits::short_wait_max && share_.passes_waits_on) {
        kept.wait = next.wait;
        next.act = Act::give_up;
      }
      const bool ends = next.act == Act::settle || next.act == Act::give_up || front_is_gone();
      if (ends) {
        if (const auto ended = end(job, conclusion, std::nullopt); !ended) {
          kept.unrecorded = ended.error();
        }
        return kept;
      }
      if (next.act == Act::anew) {
        job.task.conversation.clear();
        kept.is_anew = true;
      }
      attempt = {.number = attempt.number + 1, .first = attempt.first, .earlier = job.id};
      if (next.act == Act::wait) attempt.not_before = env_.clock.now() + next.wait;
      Job following = job;
      following.id = uuid7(env_.clock.now(), env_.random.bits());
      const auto goes_on =
          end(job, conclusion,
              draft_created(following, attempt, guards(following.id), env_.clock.now()));
      if (!goes_on) kept.unrecorded = goes_on.error();
      if (!goes_on || !*goes_on) return kept;
      job = std::move(following);
    }
  }

 private:
  [[nodiscard]] core::Holder self(const std::string& id) const { return env_.processes.self(id); }

  [[nodiscard]] Guards guards(const std::string& id) const {
    return {self(id), env_.processes.holder(::getppid(), id).value_or(core::Holder{})};
  }

  Result<> create(const Job& job, const Attempt& attempt) {
    // Whoever had its worktree may be dead.
    if (!job.worktree.empty()) TYER_TRY_OK(settle(engine_));
    TYER_TRY_OK(engine_.apply({key_of(job.id)},
                              [&](const core::View& view, Time now) -> Result<core::Change> {
                                // It was made, and only the answer was lost.
                                TYER_TRY(const auto made, view.subject(key_of(job.id)));
                                if (made) return core::Change{};
                                return decide_create(view, job, attempt, guards(job.id), now);
                              }));
    is_created_ = true;
    return {};
  }

  // Whatever goes wrong before the agent runs is what came of the run.
  Conclusion try_once(Job& job, const backend::Backend& backend, const Attempt& attempt) {
    token_ = 0;
    Heart heart(engine_, job.heartbeat, job.id);
    heart.beat_also(share_.leases);
    asked_ = false;
    const Result<Conclusion> done = attempt_run(job, backend, attempt, heart);
    heart.stop();
    if (done) return *done;
    const Error& error = done.error();
    const bool was_stopped = error.fault == Fault::cancelled;
    const bool may_pass = info(error.fault).retry_helps;
    Conclusion failed{.outcome = was_stopped ? core::Outcome::stopped : core::Outcome::failed,
                      .was_hindered = may_pass && !was_stopped};
    failed.report.verdict = was_stopped ? Verdict::stopped
                            : may_pass  ? Verdict::interrupted
                                        : Verdict::mistake;
    // What cannot be an id of this agent's is as stale as one that it has forgotten.
    if (!was_stopped && error.fault == Fault::not_found && !job.task.conversation.empty()) {
      failed.report.verdict = reads_task_ ? Verdict::stale : Verdict::mistake;
    }
    failed.report.why = error.what;
    return failed;
  }

  Result<Conclusion> attempt_run(Job& job, const backend::Backend& backend, const Attempt& attempt,
                                 Heart& heart) {
    reads_task_ = false;
    TYER_TRY_OK(wait_for_turn(attempt, heart));
    TYER_TRY_OK(prepare(heart));
    const std::string folder = fmt::format("{}/{}", job.folder, job.id);
    TYER_TRY(const auto transcript, Transcript::make(env_.files, env_.clock, folder));
    TYER_TRY(auto kin_file, env_.files.open(kin_path(folder), env::Open::write));
    heart.record_kin(std::move(kin_file));
    reads_task_ = true;
    TYER_TRY(const Plan plan, make_plan(env_, backend, job, environment_));
    reads_task_ = false;
    TYER_TRY_OK(write_files(plan));
    TYER_TRY_OK(start(job, attempt, heart));
    return converse(job, backend, plan, *transcript, heart);
  }

  // An attempt that has to wait is one that can be stopped.
  Result<> wait_for_turn(const Attempt& attempt, Heart& heart) {
    if (!attempt.not_before) return {};
    heart.start();
    while (true) {
      const Span left = *attempt.not_before - env_.clock.now();
      if (left <= Span::zero()) break;
      const std::vector<int> fds = watched_fds(heart);
      TYER_TRY_OK(env::wait_any(fds, left));
      if (reason(heart)) return fail(Fault::cancelled, "it was stopped while it waited");
    }
    heart.stop();
    return {};
  }

  // Again before the next attempt, if it failed.
  Result<> prepare(Heart& heart) {
    if (is_ready_ || !preparation_) return {};
    heart.start();
    const Result<> done = preparation_(heart.fd());
    heart.stop();
    is_ready_ = done.has_value();
    const bool was_cancelled = !done && done.error().fault == Fault::cancelled;
    if (!was_cancelled || reason(heart)) return done;
    return fail(Fault::unavailable, fmt::format("{}; its lease was lost", done.error().what));
  }

  Result<> write_files(const Plan& plan) {
    if (plan.call.files.empty()) return {};
    const std::string& folder = plan.task.folder;
    TYER_TRY_OK(env_.files.make_directory(folder));
    for (const backend::CallFile& file : plan.call.files) {
      TYER_TRY_OK(env_.files.replace(folder + "/" + file.name, file.content));
    }
    return {};
  }

  Result<> start(const Job& job, const Attempt& attempt, Heart& heart) {
    const Span asked = env_.clock.boot_time();
    const core::Grant grant{
        .key = key_of(job.id),
        .holder = self(job.id),
        .mono = env_.clock.mono(),
        .silence_max = job.silence,
        // The agent has all of its time; ending it and writing what came of it come on top.
        .hold_max = std::min(job.bounds.wall + 2 * limits::agent_grace + limits::trust_margin +
                                 limits::run_write_wait + job.silence,
                             limits::hold_most),
        .command = "agent " + job.backend};
    TYER_TRY(const engine::Applied applied,
             engine_.apply({key_of(job.id)},
                           [&](const core::View& view, Time now) -> Result<core::Change> {
                             core::Change change = decide_start(job, grant, now);
                             if (is_created_) return change;
                             TYER_TRY(core::Change created,
                                      decide_create(view, job, attempt, guards(job.id), now));
                             change.events.insert(change.events.begin(), created.events.begin(),
                                                  created.events.end());
                             return change;
                           }));
    is_created_ = true;
    token_ = applied.grants.front().token;
    heart.beat_for(applied.grants.front(), asked);
    heart.start();
    return {};
  }

  Result<Conclusion> converse(const Job& job, const backend::Backend& backend, const Plan& plan,
                              Transcript& transcript, Heart& heart) {
    bool is_hopeless = false;
    const auto reader = backend.read(plan.task, [&](const backend::Note& note) {
      transcript.add(note);
      if (share_.on_note) share_.on_note(note);
      is_hopeless = is_hopeless || note.kind == backend::Note::Kind::hopeless;
    });
    std::string last_errors;
    const Watching watching{.fds = watched_fds(heart),
                            .cut = [&]() -> std::optional<Cut> {
                              if (is_hopeless) return Cut::hopeless;
                              return reason(heart);
                            },
                            .output =
                                [&](std::string_view bytes) {
                                  transcript.output(bytes);
                                  reader->feed(bytes);
                                  transcript.flush();
                                },
                            .errors =
                                [&](std::string_view bytes) {
                                  transcript.errors(bytes);
                                  last_errors += bytes;
                                  if (last_errors.size() > limits::agent_errors_bytes_max) {
                                    last_errors.erase(
                                        0, last_errors.size() - limits::agent_errors_bytes_max);
                                  }
                                }};
    // Before the silence limit is over, nothing of the agent may be left.
    const Span grace = std::min(limits::agent_grace, job.silence / 8);
    TYER_TRY(const Finished finished, run_agent(env_, plan, job.bounds, grace, watching));
    const env::TreeEnd escaped = env::end_marked(mark_of(job.id));
    Conclusion conclusion{.exit = finished.exit,
                          .output_bytes = finished.output_bytes,
                          .error_bytes = finished.error_bytes,
                          .killed = finished.killed + escaped.killed};
    conclusion.report = reader->finish({.code = finished.exit.code,
                                        .signal = finished.exit.signal,
                                        .cut = to_ending(finished.cut),
                                        .errors = last_errors});
    transcript.flush();
    explain(job, finished.cut, conclusion.report);
    conclusion.outcome = outcome_of(conclusion.report.verdict, finished.exit);
    if (finished.cut == Cut::lost) conclusion.outcome = core::Outcome::lost;
    conclusion.trouble = transcript.trouble();
    return conclusion;
  }

  std::vector<int> watched_fds(const Heart& heart) const {
    return {heart.fd(), heart.bell_fd(), front_.signals_fd(), front_.gone_fd()};
  }

  std::optional<Cut> reason(Heart& heart) {
    heart.listen();
    while (const std::optional<int> signal = front_.next_signal()) {
      const bool ends =
          *signal == SIGINT || *signal == SIGTERM || *signal == SIGHUP || *signal == SIGQUIT;
      asked_ = asked_ || ends;
      was_left_ = was_left_ || *signal == SIGHUP;
    }
    if (heart.is_lost()) return Cut::lost;
    if (front_is_gone()) return Cut::front_gone;
    if (asked_ || heart.stop_asked()) return Cut::asked;
    return std::nullopt;
  }

  [[nodiscard]] bool front_is_gone() const {
    return env::wait_readable(front_.gone_fd(), Span::zero()).value_or(true);
  }

  // A store that is away is waited for: what came of a run is worth it.
  // Whether there is a next attempt after it.
  Result<bool> end(const Job& job, const Conclusion& conclusion,
                   const std::optional<core::Draft>& next) {
    bool goes_on = false;
    const Span until = env_.clock.mono() + limits::run_write_wait;
    for (Span backoff{};;) {
      const auto written = engine_.apply(
          {key_of(job.id)},
          [&](const core::View& view, Time now) -> Result<core::Change> {
            TYER_TRY(core::Change change, decide_end(view, job.id, token_, conclusion, next, now));
            goes_on = change.events.size() == 2;
            if (!change.empty() || !next) return change;
            // Written before, and only the answer was lost; or somebody else has ended it.
            TYER_TRY(const Record ended, find_record(view, job.id));
            goes_on = key_of(ended.next) == next->key;
            return change;
          },
          {key_of(job.id)});
      if (written) return goes_on;
      const bool may_pass = info(written.error().fault).retry_helps;
      if (!may_pass || env_.clock.mono() >= until) return std::unexpected(written.error());
      backoff = engine::next_backoff(backoff);
      TYER_TRY_OK(env::wait_any({}, backoff));
    }
  }

  engine::Engine& engine_;
  env::Env& env_;
  const env::Front& front_;
  const backend::Environment& environment_;
  const Preparation& preparation_;
  Share share_;
  std::uint64_t token_ = 0;
  bool asked_ = false;       // By a signal.
  bool was_left_ = false;    // By who started us.
  bool is_created_ = false;  // The run that is tried is recorded.
  bool is_ready_ = false;    // What had to be prepared is.
  bool reads_task_ = false;  // The back end is looking at the task.
};

}  // namespace

Result<Kept> keep(engine::Engine& engine, const env::Front& front,
                  const backend::Environment& environment, Job job, const Preparation& preparation,
                  Share share) {
  // Or what one long line took would never be given back.
  ::mallopt(M_MMAP_THRESHOLD, limits::keeper_block_bytes);
  return RunKeeper(engine, front, environment, preparation, std::move(share)).run(std::move(job));
}

}  // namespace tyer::run
