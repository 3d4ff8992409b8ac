// Texts that can be searched, in SQLite: each in `search`, its grams in an FTS5 table, which knows
// it by its rowid. FTS5 is told a text's old grams when it changes, so both change together. The
// newest few texts are looked through instead: the index gets some of them at a time.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/view.h"
#include "store/sqlite_conn.h"

namespace tyer::store {

// By key; an empty text is taken out. Inside a transaction.
[[nodiscard]] Result<> write_texts(SqliteConn& conn,
                                   const std::map<std::string, std::string>& texts);

[[nodiscard]] Result<core::TextFound> search_texts(SqliteConn& conn, const core::TextQuery& query);

// The text of `key`; empty: none.
[[nodiscard]] Result<std::string> find_text(SqliteConn& conn, const std::string& key);

// For the step that makes the tables: the texts that are there already.
[[nodiscard]] Result<> fill_search(SqliteConn& conn);

// Adds a sentence for each sort of damage.
[[nodiscard]] Result<> check_search(SqliteConn& conn, std::vector<std::string>& problems);

}  // namespace tyer::store
