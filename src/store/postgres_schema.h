// Bringing a PostgreSQL database's tables up to date.

#pragma once

#include "store/postgres_conn.h"

namespace tyer::store {

// Applies the migrations that are missing, each in a transaction of its own and
// under a lock, so that programs which start together do it once. A database of
// a newer program is `conflict`, one without our tables `not_found` unless
// `create`. An up-to-date one is only read: it may be read-only.
[[nodiscard]] Result<> migrate(Connection& connection, const Address& address, bool create,
                               Span wait_max);

}  // namespace tyer::store
