#include "core/claim.h"

namespace tyer::core {
namespace {

bool same_process(const Holder& a, const Holder& b) {
  return a.pid == b.pid && a.pid_start == b.pid_start && a.pid_start != 0 && a.place == b.place;
}

Mine renewed(Lease lease, std::optional<Span> mono, Time now) {
  Change change{.renewals = {{lease.key, lease.token, mono}}};
  lease.heard_at = now;
  lease.heard_mono = mono;
  return {std::move(lease), std::move(change)};
}

}  // namespace

std::optional<Renewal> renewal_from_now(const Lease& lease, const Sight& sight, Time now) {
  if (!is_from_the_future(lease, sight, now)) return std::nullopt;
  // On its own boot it is judged by the monotonic clock as before.
  return Renewal{lease.key, lease.token, lease.heard_mono};
}

ClaimAnswer decide_claim(const Claim& claim, const std::optional<Lease>& present,
                         const Sight& sight, Time now) {
  Change change;
  change.grants.push_back(claim.grant);
  if (!present) return change;

  const Holder& asking = claim.grant.holder;
  // Through a hub anybody can say to be that process.
  const bool is_same_asker = present->asker.who == claim.grant.asker.who;
  const bool is_own = is_same_asker && present->holder == asking;
  if (!is_own && is_same_asker && same_process(present->holder, asking)) {
    change.endings.push_back(
        {present->key, present->token, End::superseded, "", "another run of the same process"});
    return change;
  }
  Judgement judgement = judge(*present, sight, now);
  const bool doubted = judgement.verdict == Verdict::silent && !claim.believes_silence;
  if (judgement.verdict == Verdict::live || doubted) {
    if (is_own) return renewed(*present, claim.grant.mono, now);
    return Held{*present, std::move(judgement), renewal_from_now(*present, sight, now)};
  }
  change.endings.push_back({present->key, present->token, End::lapsed,
                            std::string(name(judgement.verdict)), std::move(judgement.why)});
  return change;
}

Result<ClaimAnswer> decide_claim(const View& view, const Witness& witness, const Claim& claim,
                                 Time now) {
  TYER_TRY(const auto present, view.lease(claim.grant.key));
  const Sight sight = present ? witness.look(present->holder) : Sight{};
  return decide_claim(claim, present, sight, now);
}

Result<Change> release(const View& view, const std::string& key, std::uint64_t token) {
  TYER_TRY(const auto present, view.lease(key));
  Change change;
  if (present && present->token == token)
    change.endings.push_back({key, token, End::released, "", ""});
  return change;
}

std::string_view event_type(End end) {
  switch (end) {
    case End::released: return "lease.released";
    case End::lapsed: return "lease.lapsed";
    case End::superseded: return "lease.superseded";
    case End::broken: return "lease.broken";
  }
  std::unreachable();
}

}  // namespace tyer::core
