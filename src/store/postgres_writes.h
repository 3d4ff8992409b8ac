// A transaction's writes as statements, and what became of them.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/postgres_conn.h"
#include "store/store.h"

namespace tyer::store {

// One statement per table and some megabytes of rows, the rows as arrays.
[[nodiscard]] std::vector<Step> to_steps(const std::string& space, const Writes& writes);

// Whether a commit whose answer was lost took place; nothing if that cannot be
// known. Requires that the space's writer lock is held, so that the lost
// transaction has ended and nobody writes meanwhile. `xid` is the lost
// transaction's, or empty if it was lost as well.
//
// The log itself is the best witness: the newest event is there as it was
// written, or it is not. The transaction id speaks for commits without events.
// After a crash of the server an id that never reached its disk is given out
// again, so it comes second.
[[nodiscard]] Result<std::optional<bool>> was_committed(Connection& connection,
                                                        const std::string& space,
                                                        const Writes& writes,
                                                        const std::string& xid);

}  // namespace tyer::store
