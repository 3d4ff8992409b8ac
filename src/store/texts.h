// What the search indexes of SQLite and PostgreSQL have in common.

#pragma once

#include <string>
#include <string_view>

#include "core/search.h"
#include "core/view.h"

namespace tyer::store {

// A gram that no text has: it says what is searched, a kind or a kind in a space.
[[nodiscard]] std::string scope_gram(std::string_view scope);

// The grams of a text and that of its scope, with a space between them.
[[nodiscard]] std::string indexed_grams(std::string_view text, std::string_view scope);

// Goes through what an index shows, the newest first, and keeps what is really a match, until the
// query's limit or limits::search_rows_max.
class Sieve {
 public:
  explicit Sieve(const core::TextQuery& query) : query_(query) {}

  // True: the next one, please.
  [[nodiscard]] bool take(std::string key, std::string_view text);

  // There was nothing more.
  void end() { found_.next.clear(); }
  [[nodiscard]] core::TextFound found() { return std::move(found_); }

 private:
  const core::TextQuery& query_;
  core::TextFound found_;
  std::size_t looked_ = 0;
};

// What a post or comment said before there was an index, when its state is `state`: the step that
// makes the index fills it. It never changes: later texts come with their writes.
inline constexpr std::string_view first_kinds[] = {"comment", "post"};
[[nodiscard]] std::string first_text(const std::string& state);

}  // namespace tyer::store
