// Texts that can be searched, in PostgreSQL: a text search vector of their grams with a GIN index.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/view.h"
#include "store/postgres_conn.h"

namespace tyer::store {

// By key; an empty text is taken out.
void add_text_steps(const std::string& space, const std::map<std::string, std::string>& texts,
                    std::vector<Step>& steps);

[[nodiscard]] Result<core::TextFound> search_texts(Connection& connection, const std::string& space,
                                                   const core::TextQuery& query);

// For the step that makes the table: the texts that are there already, of all spaces.
[[nodiscard]] Result<> fill_search(Connection& connection);

}  // namespace tyer::store
