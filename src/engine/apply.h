// Turning a Change into rows and events: the one place where the laws about
// leases, tokens, revisions and transitions are kept.
//
// The checks are made on the transaction's own view, inside the one-writer
// transaction, so what they find is still true when it commits. A change is
// applied whole or refused whole: `apply` undoes what it wrote before it fails.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/kind.h"
#include "store/txn.h"

namespace tyer::engine {

// Who makes a change, and because of which event.
struct Origin {
  std::string actor;
  std::optional<std::uint64_t> cause = {};
};

struct Applied {
  std::vector<core::Lease> grants;  // With their tokens, in the order asked for.
  std::uint64_t seq = 0;            // Of the last event written; 0 if none was.
};

[[nodiscard]] Result<Applied> apply(store::Txn& txn, const core::Catalog& catalog,
                                    core::Change change, const Origin& origin);

}  // namespace tyer::engine
