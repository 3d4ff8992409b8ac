// A transaction's writes as SQLite's rows.

#pragma once

#include "store/sqlite_conn.h"
#include "store/store.h"

namespace tyer::store {

[[nodiscard]] Result<> write_rows(SqliteConn& conn, const Writes& writes);

}  // namespace tyer::store
