// Looking for damage in one space of a PostgreSQL database.

#pragma once

#include <string>
#include <vector>

#include "store/postgres_conn.h"

namespace tyer::store {

// A sentence for each thing that is wrong, at most some hundred of a sort.
// Requires an open transaction that sees one picture throughout.
[[nodiscard]] Result<std::vector<std::string>> check_space(Connection& connection,
                                                           const std::string& space);

}  // namespace tyer::store
