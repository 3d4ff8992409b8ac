#include "store/postgres_sql.h"

#include <array>

#include <fmt/format.h>

#include "base/check.h"

namespace tyer::store {
namespace {

#define SUBJECT_COLUMNS "key, parent, status, due_at, rev, state"
// A parameter that a statement does not need is still given to it.
#define LIST_SUBJECTS(condition, order)                                          \
  "SELECT " SUBJECT_COLUMNS " FROM tyer_subject WHERE space = $1 AND " condition \
  " AND key > $5 AND key < $6 ORDER BY key " order " LIMIT $7"
#define EVENT_COLUMNS "seq, key, rev, type, at, actor, cause, body"

constexpr std::array<Statement, sql_count> table{{
    {Sql::begin, "begin", "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {Sql::begin_read, "begin_read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
    {Sql::commit, "commit", "COMMIT"},
    {Sql::rollback, "rollback", "ROLLBACK"},
    {Sql::lock, "lock",
     "SELECT set_config('lock_timeout', $2::text, true), pg_advisory_xact_lock($1::bigint)"},
    {Sql::xid, "xid", "SELECT pg_current_xact_id()::text"},
    {Sql::xact_status, "xact_status", "SELECT pg_xact_status($1::text::xid8)"},
    {Sql::notify, "notify",
     "SELECT pg_notify($1, $2), set_config('synchronous_commit', 'off', true)"},
    {Sql::head, "head",
     "SELECT newest.seq, newest.at,"
     " (SELECT seq FROM tyer_event WHERE space = $1 ORDER BY seq LIMIT 1),"
     " (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
     " FROM (SELECT 1) AS one LEFT JOIN LATERAL"
     " (SELECT seq, at FROM tyer_event WHERE space = $1 ORDER BY seq DESC LIMIT 1) AS newest"
     " ON true"},
    {Sql::subject, "subject",
     "SELECT " SUBJECT_COLUMNS " FROM tyer_subject WHERE space = $1 AND key = $2"},
    {Sql::subjects_of, "subjects_of",
     "SELECT " SUBJECT_COLUMNS " FROM tyer_subject WHERE space = $1 AND key = ANY($2::text[])"},
    {Sql::subjects_by_key, "subjects_by_key",
     LIST_SUBJECTS("($2 = $2) AND ($3 = $3) AND ($4 = '' OR status = $4)", "ASC")},
    {Sql::subjects_by_parent, "subjects_by_parent",
     LIST_SUBJECTS("parent = $2 AND parent <> '' AND ($3 = $3) AND ($4 = '' OR status = $4)",
                   "ASC")},
    {Sql::subjects_by_status, "subjects_by_status",
     LIST_SUBJECTS("($2 = $2) AND kind = $3 AND status = $4", "ASC")},
    {Sql::newest_by_key, "newest_by_key",
     LIST_SUBJECTS("($2 = $2) AND ($3 = $3) AND ($4 = '' OR status = $4)", "DESC")},
    {Sql::newest_by_parent, "newest_by_parent",
     LIST_SUBJECTS("parent = $2 AND parent <> '' AND ($3 = $3) AND ($4 = '' OR status = $4)",
                   "DESC")},
    {Sql::newest_by_status, "newest_by_status",
     LIST_SUBJECTS("($2 = $2) AND kind = $3 AND status = $4", "DESC")},
    {Sql::due, "due",
     "SELECT " SUBJECT_COLUMNS " FROM tyer_subject"
     " WHERE space = $1 AND due_at IS NOT NULL AND due_at <= $2 ORDER BY due_at, key LIMIT $3"},
    {Sql::lease, "lease", "SELECT key, record FROM tyer_lease WHERE space = $1 AND key = $2"},
    {Sql::leases_of, "leases_of",
     "SELECT key, record FROM tyer_lease WHERE space = $1 AND key = ANY($2::text[])"},
    {Sql::leases, "leases",
     "SELECT key, record FROM tyer_lease WHERE space = $1 AND key > $2 ORDER BY key LIMIT $3"},
    {Sql::events, "events",
     "SELECT " EVENT_COLUMNS " FROM tyer_event WHERE space = $1 AND seq > $2"
     " ORDER BY seq LIMIT $3"},
    // Keys below "a/b" start with "a/b/" and so end before "a/b0": '0' follows '/'.
    {Sql::events_below, "events_below",
     "(SELECT " EVENT_COLUMNS " FROM tyer_event WHERE space = $1 AND seq > $2 AND key = $4"
     " ORDER BY seq LIMIT $3) UNION ALL"
     " (SELECT " EVENT_COLUMNS " FROM tyer_event WHERE space = $1 AND seq > $2"
     " AND key > $4 || '/' AND key < $4 || '0' ORDER BY seq LIMIT $3) ORDER BY seq LIMIT $3"},
    {Sql::cursor, "cursor", "SELECT reader, seq FROM tyer_cursor WHERE space = $1 AND reader = $2"},
    {Sql::cursors, "cursors",
     "SELECT reader, seq FROM tyer_cursor WHERE space = $1 ORDER BY reader"},
    {Sql::plan_search, "plan_search",
     "SELECT set_config('enable_bitmapscan', $1::text, true),"
     " set_config('enable_indexscan', $2::text, true)"},
    // Nothing but the grams may be looked up: the key would find every text there is.
    {Sql::search, "search",
     "SELECT key, text FROM (SELECT key FROM tyer_search WHERE grams @@ $2::text::tsquery"
     " AND space || '' = $1 AND key || '' > $3 AND key || '' < $4 ORDER BY key DESC LIMIT $5)"
     " AS found JOIN tyer_search USING (key) WHERE space = $1 ORDER BY key DESC"},
    // What most texts have is among the newest, and the index would go through all of them.
    {Sql::search_newest, "search_newest",
     "SELECT key, text FROM (SELECT key, text, grams FROM tyer_search WHERE space = $1"
     " AND key > $3 AND key < $4 ORDER BY key DESC LIMIT 500) AS newest"
     " WHERE grams @@ $2::text::tsquery ORDER BY key DESC"},
    {Sql::text, "text", "SELECT text FROM tyer_search WHERE space = $1 AND key = $2"},
    {Sql::fill_search, "fill_search",
     "SELECT space, key, state FROM tyer_subject WHERE (space, key) > ($1, $2)"
     " AND kind = ANY($3::text[]) AND status = 'active' ORDER BY space, key LIMIT $4"},
    {Sql::put_subjects, "put_subjects",
     "INSERT INTO tyer_subject (space, key, parent, kind, status, due_at, rev, state)"
     " SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[],"
     " $7::bigint[], $8::text[]) ON CONFLICT (space, key) DO UPDATE SET parent = excluded.parent,"
     " status = excluded.status, due_at = excluded.due_at, rev = excluded.rev,"
     " state = excluded.state"},
    {Sql::put_events, "put_events",
     "INSERT INTO tyer_event (space, seq, key, rev, type, at, actor, cause, body)"
     " SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[],"
     " $7::text[], $8::bigint[], $9::text[])"},
    {Sql::put_leases, "put_leases",
     "INSERT INTO tyer_lease (space, key, record)"
     " SELECT $1, * FROM unnest($2::text[], $3::text[])"
     " ON CONFLICT (space, key) DO UPDATE SET record = excluded.record"},
    {Sql::drop_leases, "drop_leases",
     "DELETE FROM tyer_lease WHERE space = $1 AND key = ANY ($2::text[])"},
    {Sql::put_cursors, "put_cursors",
     "INSERT INTO tyer_cursor (space, reader, seq)"
     " SELECT $1, * FROM unnest($2::text[], $3::bigint[])"
     " ON CONFLICT (space, reader) DO UPDATE SET seq = excluded.seq"},
    {Sql::put_texts, "put_texts",
     "INSERT INTO tyer_search (space, key, text, grams)"
     " SELECT $1, key, text, array_to_tsvector(string_to_array(grams, ' '))"
     " FROM unnest($2::text[], $3::text[], $4::text[]) AS row (key, text, grams)"
     " ON CONFLICT (space, key) DO UPDATE SET text = excluded.text, grams = excluded.grams"},
    {Sql::drop_texts, "drop_texts",
     "DELETE FROM tyer_search WHERE space = $1 AND key = ANY ($2::text[])"},
    {Sql::trim_events, "trim_events", "DELETE FROM tyer_event WHERE space = $1 AND seq < $2"},
    {Sql::put_upload, "put_upload",
     "INSERT INTO tyer_upload (space, id, piece, bytes)"
     " VALUES ($1, $2, $3::int, decode($4::text, 'hex'))"},
    {Sql::upload_piece, "upload_piece",
     "SELECT encode(bytes, 'hex') FROM tyer_upload"
     " WHERE space = $1 AND id = $2 AND piece = $3::int"},
    {Sql::drop_upload, "drop_upload", "DELETE FROM tyer_upload WHERE space = $1 AND id = $2"},
    {Sql::uploads, "uploads",
     "SELECT id, sum(octet_length(bytes))::bigint FROM tyer_upload WHERE space = $1"
     " GROUP BY id ORDER BY id LIMIT $2"},
    {Sql::check_gaps, "check_gaps",
     "SELECT seq, before FROM (SELECT seq, lag(seq) OVER (ORDER BY seq) AS before"
     " FROM tyer_event WHERE space = $1) AS pair WHERE seq <> before + 1 ORDER BY seq LIMIT $2"},
    {Sql::check_revs, "check_revs",
     "SELECT key, rev, count(*) FROM tyer_event WHERE space = $1 AND rev > 0"
     " GROUP BY key, rev HAVING count(*) > 1 ORDER BY key, rev LIMIT $2"},
    {Sql::schema_exists, "schema_exists", "SELECT to_regclass('tyer_schema') IS NOT NULL"},
    {Sql::schema_number, "schema_number", "SELECT coalesce(max(number), 0) FROM tyer_schema"},
    {Sql::schema_add, "schema_add",
     "INSERT INTO tyer_schema (number, applied_at) VALUES ($1, clock_timestamp())"},
}};

#undef SUBJECT_COLUMNS
#undef EVENT_COLUMNS

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].sql) != i) return false;
  }
  return true;
}
static_assert(is_in_order(), "the table follows the enumeration");

// FNV-1a.
constexpr std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

}  // namespace

const Statement& statement(Sql sql) {
  return table[static_cast<std::size_t>(sql)];
}

std::int64_t advisory_key(std::string_view name) {
  return static_cast<std::int64_t>(hash(fmt::format("tyer/{}", name)));
}

std::string channel(std::string_view space) {
  return fmt::format("tyer_{:016x}", hash(space));
}

}  // namespace tyer::store
