#include "store/sqlite_schema.h"

#include <fmt/format.h>

#include "core/lease.h"
#include "store/migrations.h"
#include "store/sqlite_search.h"

namespace tyer::store {
namespace {

constexpr std::int64_t application_id = 0x54796572;  // "Tyer".

int newest_known() {
  int newest = 0;
  for (const Migration& migration : migrations()) {
    if (migration.dialect == "sqlite") newest = migration.number;
  }
  return newest;
}

Result<> run_missing(SqliteConn& conn, const std::string& path) {
  TYER_TRY(const std::int64_t version, conn.ask("PRAGMA user_version"));
  if (version > newest_known()) {
    return fail(
        Fault::conflict,
        fmt::format("{} was made by a newer tyer (schema {}, this one knows {}); upgrade tyer",
                    path, version, newest_known()));
  }
  if (version == 0) {
    TYER_TRY_OK(conn.run(fmt::format("PRAGMA application_id = {}", application_id)));
  }
  for (const Migration& migration : migrations()) {
    if (migration.dialect != "sqlite" || migration.number <= version) continue;
    TYER_TRY_OK(conn.run(std::string(migration.sql)));
    if (migration.number == search_step) TYER_TRY_OK(fill_search(conn));
  }
  return conn.run(fmt::format("PRAGMA user_version = {}", newest_known()));
}

struct Header {
  std::int64_t version = 0;
  bool is_foreign = false;
};

Result<Header> look_at(SqliteConn& conn) {
  TYER_TRY(const std::int64_t version, conn.ask("PRAGMA user_version"));
  TYER_TRY(const std::int64_t owner, conn.ask("PRAGMA application_id"));
  TYER_TRY(const std::int64_t tables, conn.ask("SELECT count(*) FROM sqlite_master"));
  return Header{version, owner != application_id && (version > 0 || tables > 0)};
}

}  // namespace

Result<> configure(SqliteConn& conn, Durability durability) {
  return conn.run(fmt::format(
      "PRAGMA synchronous = {}; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;",
      durability == Durability::full ? "FULL" : "NORMAL"));
}

Result<> migrate(SqliteConn& conn, const std::string& path, bool create) {
  // At one moment: another process may be making the tables.
  TYER_TRY_OK(conn.run("BEGIN"));
  const auto header = look_at(conn);
  TYER_TRY_OK(conn.run("ROLLBACK"));
  if (!header) return std::unexpected(header.error());
  if (header->is_foreign) {
    return fail(
        Fault::conflict,
        fmt::format("{} is a SQLite database of another program; choose another file", path));
  }
  if (header->version == newest_known()) return {};
  if (header->version == 0 && !create) {
    return fail(Fault::not_found,
                fmt::format("{} is no store: there is nothing in it. A copy of a store's file "
                            "without the log beside it looks so; copy with 'tyer store backup'",
                            path));
  }
  TYER_TRY_OK(conn.run("PRAGMA journal_mode = WAL"));
  TYER_TRY_OK(conn.run("BEGIN IMMEDIATE"));
  if (const Result<> done = run_missing(conn, path); !done) {
    (void)conn.run("ROLLBACK");
    return done;
  }
  return conn.run("COMMIT");
}

Result<std::vector<std::string>> find_damage(SqliteConn& conn) {
  std::vector<std::string> problems;
  auto integrity = conn.query("PRAGMA integrity_check(20)");
  while (true) {
    TYER_TRY(const bool more, integrity.next());
    if (!more) break;
    if (integrity.text(0) != "ok") problems.push_back("SQLite: " + integrity.text(0));
  }
  TYER_TRY(const std::int64_t missing,
           conn.ask("SELECT max(seq) - min(seq) + 1 - count(*) FROM event"));
  if (missing != 0) problems.push_back(fmt::format("the log has {} gaps in its numbers", missing));
  auto unlisted = conn.query(
      "SELECT count(*) FROM (SELECT seq / ?1, key, seq FROM event"
      " WHERE seq / ?1 < (SELECT max(seq) FROM event) / ?1"
      " EXCEPT SELECT chapter, k.key, value FROM event_by_key AS k, json_each(seqs))");
  TYER_TRY_OK(unlisted.bind(chapter_events).next());
  if (unlisted.integer(0) != 0) {
    problems.push_back(fmt::format("{} events are missing in event_by_key", unlisted.integer(0)));
  }
  auto leases = conn.query("SELECT key, record FROM lease");
  while (true) {
    TYER_TRY(const bool more, leases.next());
    if (!more) break;
    if (const auto lease = core::decode_lease(leases.text(0), leases.text(1)); !lease) {
      problems.push_back(
          fmt::format("the lease of {} cannot be read: {}", leases.text(0), lease.error().what));
    }
  }
  TYER_TRY_OK(check_search(conn, problems));
  return problems;
}

}  // namespace tyer::store
