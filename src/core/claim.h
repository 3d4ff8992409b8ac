// Asking for a lease.
//
// Judging the present holder and replacing it are one decision and so one
// transaction: between "it is dead" and "it is mine" there is no moment in
// which a second contender could have done the same (L4).

#pragma once

#include <optional>
#include <variant>

#include "core/change.h"
#include "core/lease.h"
#include "core/view.h"

namespace tyer::core {

struct Claim {
  Grant grant;
  bool believes_silence = true;  // Whether a silence alone convicts the present holder.
};

// The answer no: somebody holds it. Not an error.
struct Held {
  Lease lease;
  Judgement judgement;
  std::optional<Renewal> renewal = {};  // To be applied all the same: it is from the future.
};

// What makes the silence of a lease from the future count from now on; nothing for others.
[[nodiscard]] std::optional<Renewal> renewal_from_now(const Lease& lease, const Sight& sight,
                                                      Time now);

// The asking run holds it already, as after a commit whose answer was lost, and it still stands.
// Applying `change` renews it; `lease` is what it is then.
struct Mine {
  Lease lease;
  Change change;
};

using ClaimAnswer = std::variant<Change, Held, Mine>;

// Whether `claim` gets its key at `now`, given the lease that is there and what
// a witness sees of its holder. A process that asks again under a new run id
// takes over from its earlier run at once (L7): one process does one thing at a
// time, so the earlier run is over. A lease that the asking run finds again is judged like any
// other: one that is silent or overdue may be taken by a neighbour at any moment, so it ends, and
// the run asks for a new one.
[[nodiscard]] ClaimAnswer decide_claim(const Claim& claim, const std::optional<Lease>& present,
                                       const Sight& sight, Time now);

// The same, reading the present lease from `view` and asking `witness`.
[[nodiscard]] Result<ClaimAnswer> decide_claim(const View& view, const Witness& witness,
                                               const Claim& claim, Time now);

// Ends one's own lease: `released`. A lease lost before is not an error but an empty change.
[[nodiscard]] Result<Change> release(const View& view, const std::string& key, std::uint64_t token);

}  // namespace tyer::core
