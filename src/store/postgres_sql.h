// Every statement that is sent to PostgreSQL, by name.
//
// A connection prepares a statement when it first uses it. All of them walk an
// index in its order and have a bound; the first parameter is the space unless
// the text says otherwise.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tyer::store {

enum class Sql : std::uint8_t {
  begin,
  begin_read,
  commit,
  rollback,
  lock,         // Key, milliseconds to wait.
  xid,          // Nothing.
  xact_status,  // Transaction id.
  notify,       // Channel, text.
  head,
  subject,
  subjects_of,
  subjects_by_key,
  subjects_by_parent,
  subjects_by_status,
  newest_by_key,
  newest_by_parent,
  newest_by_status,
  due,
  lease,
  leases_of,
  leases,
  events,
  events_below,
  cursor,
  cursors,
  plan_search,  // Bitmap scans, index scans: "on" or "off".
  search,
  search_newest,
  text,
  fill_search,  // Space and key to go on after, kinds, rows.
  put_subjects,
  put_events,
  put_leases,
  drop_leases,
  put_cursors,
  put_texts,
  drop_texts,
  trim_events,
  put_upload,    // And id, number of the piece, its bytes in hexadecimal digits.
  upload_piece,  // And id, number.
  drop_upload,   // And id.
  uploads,       // And how many.
  check_gaps,
  check_revs,
  schema_exists,  // Nothing.
  schema_number,  // Nothing.
  schema_add,     // Number.
};

inline constexpr std::size_t sql_count = static_cast<std::size_t>(Sql::schema_add) + 1;

struct Statement {
  Sql sql;
  const char* name;
  const char* text;
};

[[nodiscard]] const Statement& statement(Sql sql);

// The key of an advisory lock. Two names that share one only wait for each other.
[[nodiscard]] std::int64_t advisory_key(std::string_view name);

// Where the commits of `space` are told.
[[nodiscard]] std::string channel(std::string_view space);

}  // namespace tyer::store
