#include "engine/sweeper.h"

#include "core/claim.h"
#include "core/limits.h"
#include "engine/limits.h"

namespace tyer::engine {
namespace {

// Calls `visit` with every lease of `view`.
template <class Visit>
Result<> for_each_lease(const core::View& view, const Visit& visit) {
  std::string after;
  while (true) {
    TYER_TRY(const auto leases, view.leases(after, limits::sweep_rows_max));
    for (const core::Lease& lease : leases) TYER_TRY_OK(visit(lease));
    if (leases.size() < limits::sweep_rows_max) return {};
    after = leases.back().key;
  }
}

}  // namespace

Result<Time> Sweeper::step(Time now) {
  const Span mono = engine_.env().clock.mono();
  const Span boot_time = engine_.env().clock.boot_time();
  // After a sleep, a stop or a failed step, silences are counted anew.
  const bool slept = boot_time_ == Span::min() || boot_time - boot_time_ > limits::silence_confirm;
  boot_time_ = Span::min();
  if (slept) silent_.clear();
  mono_ = mono;

  TYER_TRY(const bool suspects, find_suspects());
  if (suspects) {
    TYER_TRY_OK(engine_.write([&](store::Txn& txn) { return end_lapsed(txn); }));
  }
  boot_time_ = boot_time;
  return now + limits::sweep_every;
}

Result<bool> Sweeper::find_suspects() {
  bool suspects = false;
  TYER_TRY(const Time now, engine_.store_time());
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    suspects = false;
    return for_each_lease(view, [&](const core::Lease& lease) -> Result<> {
      const core::Sight sight = engine_.env().processes.look(lease.holder);
      const bool stands = core::judge(lease, sight, now).verdict == core::Verdict::live;
      if (!stands || core::is_from_the_future(lease, sight, now)) suspects = true;
      return {};
    });
  }));
  if (!suspects) silent_.clear();
  return suspects;
}

Result<> Sweeper::end_lapsed(store::Txn& txn) {
  std::map<std::string, Suspicion> still_silent;
  core::Change change;
  TYER_TRY_OK(for_each_lease(txn, [&](const core::Lease& lease) -> Result<> {
    if (change.endings.size() + change.renewals.size() >= limits::sweep_rows_max) return {};
    const core::Sight sight = engine_.env().processes.look(lease.holder);
    const core::Judgement judgement = core::judge(lease, sight, txn.now());
    if (judgement.verdict == core::Verdict::live) {
      const auto renewal = core::renewal_from_now(lease, sight, txn.now());
      if (renewal) change.renewals.push_back(*renewal);
      return {};
    }
    if (is_confirmed(lease, judgement)) {
      change.endings.push_back({lease.key, lease.token, core::End::lapsed,
                                std::string(core::name(judgement.verdict)), judgement.why});
      return {};
    }
    const auto seen = silent_.find(lease.key);
    const bool known = seen != silent_.end() && seen->second.token == lease.token;
    still_silent[lease.key] = {lease.token, known ? seen->second.since : mono_};
    return {};
  }));
  // This write is also the proof that writes go through; without it a silence
  // could be the store's.
  const core::Place here = engine_.env().processes.here();
  TYER_TRY(const core::Head head, txn.head());
  txn.put(core::Cursor{"sweeper/" + here.host, head.seq});
  if (!change.empty()) {
    TYER_TRY_OK(apply(txn, engine_.catalog(), change, {"sweeper/" + here.host}));
  }
  silent_ = std::move(still_silent);
  return {};
}

bool Sweeper::is_confirmed(const core::Lease& lease, const core::Judgement& judgement) const {
  if (judgement.verdict != core::Verdict::silent) return true;
  const auto seen = silent_.find(lease.key);
  return seen != silent_.end() && seen->second.token == lease.token &&
         mono_ - seen->second.since >= limits::silence_confirm;
}

}  // namespace tyer::engine
