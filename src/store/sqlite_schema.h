// Bringing a SQLite database to the schema this program knows.

#pragma once

#include "store/sqlite_conn.h"
#include "store/store.h"

namespace tyer::store {

// Sets how `conn` works with its file. For every connection, before anything else.
[[nodiscard]] Result<> configure(SqliteConn& conn, Durability durability);

// Runs the migrations that are missing, each once, however many processes try.
// Refuses as `conflict` a newer schema and a database that is not ours, and, unless `create`, as
// `not_found` one without any schema. The file itself has the schema then, not only its log.
[[nodiscard]] Result<> migrate(SqliteConn& conn, const std::string& path, bool create);

// The log in chapters (event_by_key). More events in one mean fewer lookups in
// those that are full, and more to look through in the last.
inline constexpr std::uint64_t chapter_events = 4'096;
[[nodiscard]] constexpr std::uint64_t chapter_of(std::uint64_t seq) {
  return seq / chapter_events;
}

// What SQLite and the shape of the log say about damage, a sentence each.
[[nodiscard]] Result<std::vector<std::string>> find_damage(SqliteConn& conn);

}  // namespace tyer::store
