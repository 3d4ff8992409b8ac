#include "run/evidence.h"

#include <sys/stat.h>

#include <algorithm>

#include "env/wait_readable.h"
#include "run/limits.h"

namespace tyer::run {
namespace {

struct Heard {
  std::uint64_t bytes = 0;
  std::optional<Time> at;
};

// Files that only grow or are replaced say themselves when something came last.
Heard look_at_output(const std::string& folder) {
  Heard heard;
  for (const char* const name : {"/output.log", "/output.1.log", "/errors.log", "/errors.1.log"}) {
    struct stat facts{};
    if (::stat((folder + name).c_str(), &facts) != 0) continue;
    heard.bytes += static_cast<std::uint64_t>(facts.st_size);
    const Time at = from_micros(facts.st_mtim.tv_sec * 1'000'000 + facts.st_mtim.tv_nsec / 1'000);
    heard.at = std::max(heard.at.value_or(at), at);
  }
  return heard;
}

Evidence look_once(const env::Env& env, const Record& record) {
  Evidence evidence{.has_ended = record.status == "ended",
                    .waits_for_turn = record.status == "created"};
  if (evidence.has_ended || !record.keeper) return evidence;
  const Time now = env.clock.now();
  if (record.not_before) evidence.turn_in = *record.not_before - now;
  if (record.stop_asked) {
    evidence.stopping = std::max<Span>(now - record.stop_asked_at.value_or(now), Span::zero());
    evidence.stopped_by = record.stop_asked_by;
  }
  evidence.keeper = env.processes.look(*record.keeper).liveness;
  if (evidence.keeper != core::Liveness::alive) return evidence;
  evidence.use = env::use_below(record.keeper->pid);
  const Heard heard = look_at_output(record.folder);
  evidence.bytes = heard.bytes;
  evidence.quiet =
      std::max<Span>(now - heard.at.value_or(record.started.value_or(now)), Span::zero());
  return evidence;
}

}  // namespace

Result<std::vector<Condition>> examine(engine::Engine& engine, const std::vector<Record>& records) {
  const env::Env& env = engine.env();
  std::vector<Evidence> all;
  for (const Record& record : records) all.push_back(look_once(env, record));
  const bool any_works =
      std::ranges::any_of(all, [](const Evidence& evidence) { return evidence.use.processes > 0; });
  const Span began = env.clock.mono();
  if (any_works) TYER_TRY_OK(env::wait_any({}, limits::health_window));
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Evidence& evidence = all[i];
    if (evidence.use.processes > 0) {
      const env::Use later = env::use_below(records[i].keeper->pid);
      evidence.window = env.clock.mono() - began;
      // What ended meanwhile takes its sum along.
      evidence.cpu = std::max<Span>(later.cpu - evidence.use.cpu, Span::zero());
      evidence.io = later.io > evidence.use.io ? later.io - evidence.use.io : 0;
    }
    conditions.push_back(judge_health(evidence));
  }
  return conditions;
}

}  // namespace tyer::run
