#include "store/sqlite_search.h"

#include <limits>

#include <fmt/format.h>

#include "core/key.h"
#include "core/limits.h"
#include "store/limits.h"
#include "store/texts.h"

namespace tyer::store {
namespace {

// A string of FTS5's query language: nothing in it but '"' means anything.
std::string quote_gram(std::string_view gram) {
  std::string text = "\"";
  for (const char c : gram) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string to_match(const core::TextQuery& query) {
  std::string match = quote_gram(scope_gram(query.kind));
  for (const core::Gram& gram : core::grams_wanted(query.words)) {
    match += " AND " + quote_gram(gram.text) + (gram.is_prefix ? " *" : "");
  }
  return match;
}

Result<> add_grams(SqliteConn& conn, std::int64_t id, const std::string& key,
                   const std::string& text) {
  const std::string grams = indexed_grams(text, core::kind_of(key));
  return conn.query("INSERT INTO search_index (rowid, grams) VALUES (?,?)")
      .bind(id)
      .bind(grams)
      .run();
}

Result<> drop_grams(SqliteConn& conn, std::int64_t id, const std::string& key,
                    const std::string& text) {
  const std::string grams = indexed_grams(text, core::kind_of(key));
  return conn.query("INSERT INTO search_index (search_index, rowid, grams) VALUES ('delete',?,?)")
      .bind(id)
      .bind(grams)
      .run();
}

// Its id.
Result<std::int64_t> add_text(SqliteConn& conn, const std::string& key, const std::string& text) {
  auto row = conn.query("INSERT INTO search (key, text) VALUES (?,?) RETURNING id");
  TYER_TRY_OK(row.bind(key).bind(text).next());
  const std::int64_t id = row.integer(0);
  TYER_TRY_OK(row.run());
  return id;
}

// Texts with greater ids are not in the index.
Result<std::int64_t> last_indexed(SqliteConn& conn) {
  return conn.ask("SELECT id FROM search_indexed");
}

Result<> write_text(SqliteConn& conn, const std::string& key, const std::string& text,
                    std::int64_t indexed) {
  std::int64_t id = 0;
  std::string before;
  {
    auto row = conn.query("SELECT id, text FROM search WHERE key = ?");
    TYER_TRY(const bool there, row.bind(key).next());
    if (there) {
      id = row.integer(0);
      before = row.text(1);
    }
  }
  if (before == text) return {};
  if (before.empty()) {
    TYER_TRY(id, add_text(conn, key, text));
  } else {
    if (id <= indexed) TYER_TRY_OK(drop_grams(conn, id, key, before));
    if (text.empty()) return conn.query("DELETE FROM search WHERE id = ?").bind(id).run();
    TYER_TRY_OK(conn.query("UPDATE search SET text = ? WHERE id = ?").bind(text).bind(id).run());
  }
  // A new one too may have the number of one that was taken out.
  return id <= indexed ? add_grams(conn, id, key, text) : Result<>();
}

// All that are not in the index yet.
Result<> index_tail(SqliteConn& conn, std::int64_t indexed) {
  auto rows = conn.query("SELECT id, key, text FROM search WHERE id > ? ORDER BY id");
  rows.bind(indexed);
  while (true) {
    TYER_TRY(const bool more, rows.next());
    if (!more) break;
    indexed = rows.integer(0);
    TYER_TRY_OK(add_grams(conn, indexed, rows.text(1), rows.text(2)));
  }
  return conn.query("UPDATE search_indexed SET id = ?").bind(indexed).run();
}

// What the query's page may have of these rows. False: it is full.
Result<bool> take_all(SqliteRows& rows, const core::TextQuery& query, Sieve& sieve) {
  while (true) {
    TYER_TRY(const bool more, rows.next());
    if (!more) return true;
    std::string key = rows.text(0);
    const bool is_its = core::kind_of(key) == query.kind;
    if (!is_its || (!query.before.empty() && key >= query.before)) continue;
    if (!sieve.take(std::move(key), rows.text(1))) return false;
  }
}

// No text with a greater id can be on the query's page.
Result<std::int64_t> greatest_id(SqliteConn& conn, const core::TextQuery& query) {
  if (query.before.empty()) return std::numeric_limits<std::int64_t>::max();
  const core::KeyRange range = core::range_of({.kind = query.kind, .before = query.before});
  auto row =
      conn.query("SELECT id FROM search WHERE key > ? AND key < ? ORDER BY key DESC LIMIT 1");
  TYER_TRY(const bool there, row.bind(range.from).bind(range.until).next());
  return there ? row.integer(0) : 0;
}

}  // namespace

Result<> write_texts(SqliteConn& conn, const std::map<std::string, std::string>& texts) {
  if (texts.empty()) return {};
  TYER_TRY(const std::int64_t indexed, last_indexed(conn));
  for (const auto& [key, text] : texts) TYER_TRY_OK(write_text(conn, key, text, indexed));
  TYER_TRY(const std::int64_t last, conn.ask("SELECT max(id) FROM search"));
  return last - indexed >= limits::search_tail_max ? index_tail(conn, indexed) : Result<>();
}

Result<core::TextFound> search_texts(SqliteConn& conn, const core::TextQuery& query) {
  if (query.limit == 0) return core::TextFound{};
  TYER_TRY(const std::int64_t greatest, greatest_id(conn, query));
  TYER_TRY(const std::int64_t indexed, last_indexed(conn));
  Sieve sieve(query);
  auto newest =
      conn.query("SELECT key, text FROM search WHERE id > ? AND id <= ? ORDER BY id DESC");
  newest.bind(indexed).bind(greatest);
  TYER_TRY(bool more, take_all(newest, query, sieve));
  if (!more) return sieve.found();
  const std::string match = to_match(query);
  auto rows = conn.query(
      "SELECT key, text FROM search_index AS i CROSS JOIN search ON id = i.rowid"
      " WHERE search_index MATCH ? AND i.rowid <= ? ORDER BY i.rowid DESC");
  rows.bind(match).bind(greatest);
  TYER_TRY(more, take_all(rows, query, sieve));
  if (!more) return sieve.found();
  sieve.end();
  return sieve.found();
}

Result<std::string> find_text(SqliteConn& conn, const std::string& key) {
  auto row = conn.query("SELECT text FROM search WHERE key = ?");
  TYER_TRY(const bool there, row.bind(key).next());
  return there ? row.text(0) : "";
}

Result<> fill_search(SqliteConn& conn) {
  for (const std::string_view kind : first_kinds) {
    auto rows = conn.query(
        "SELECT key, state FROM subject WHERE kind = ? AND status = 'active' ORDER BY key");
    rows.bind(kind);
    while (true) {
      TYER_TRY(const bool more, rows.next());
      if (!more) break;
      const std::string text = first_text(rows.text(1));
      if (text.empty()) continue;
      TYER_TRY(const std::int64_t id, add_text(conn, rows.text(0), text));
      TYER_TRY_OK(add_grams(conn, id, rows.text(0), text));
    }
  }
  return {};
}

Result<> check_search(SqliteConn& conn, std::vector<std::string>& problems) {
  const auto whole =
      conn.query("INSERT INTO search_index (search_index) VALUES ('integrity-check')").run();
  // A file that cannot be written now cannot be asked this.
  if (!whole && whole.error().fault == Fault::broken)
    problems.push_back("the index of the search is damaged: " + whole.error().what);
  auto lost = conn.query("SELECT count(*) FROM search WHERE key NOT IN (SELECT key FROM subject)");
  TYER_TRY_OK(lost.next());
  if (lost.integer(0) != 0) {
    problems.push_back(fmt::format("{} texts of the search belong to nothing", lost.integer(0)));
  }
  return {};
}

}  // namespace tyer::store
