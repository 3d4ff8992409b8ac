#include "store/postgres_search.h"

#include <algorithm>

#include "core/key.h"
#include "store/postgres_bulk.h"
#include "store/postgres_sql.h"
#include "store/texts.h"

namespace tyer::store {
namespace {

constexpr std::size_t candidates_at_once = 100;
constexpr std::size_t filled_at_once = 200;

// A space may have any name; a gram may not.
std::string scope_of(const std::string& space, std::string_view kind) {
  return channel(space) + "/" + std::string(kind);
}

// An operand of a tsquery: nothing in it but quotes and backslashes means anything.
std::string to_operand(std::string_view gram) {
  std::string text = "'";
  for (const char c : gram) {
    if (c == '\'' || c == '\\') text += c;
    text += c;
  }
  return text + "'";
}

std::string to_tsquery(const std::string& space, const core::TextQuery& query) {
  std::string text = to_operand(scope_gram(scope_of(space, query.kind)));
  for (const core::Gram& gram : core::grams_wanted(query.words)) {
    text += " & " + to_operand(gram.text) + (gram.is_prefix ? ":*" : "");
  }
  return text;
}

// One page of candidates. Only a bitmap scan can use the index of grams; else they are off.
Result<Rows> look_up(Connection& connection, std::vector<Value> values) {
  const std::vector<Step> steps{{Sql::plan_search, {"on", "off"}},
                                {Sql::search, std::move(values)},
                                {Sql::plan_search, {"off", "on"}}};
  Outcome outcome = connection.run(steps);
  if (outcome.error) return std::unexpected(*std::move(outcome.error));
  return std::move(outcome.rows[1]);
}

}  // namespace

void add_text_steps(const std::string& space, const std::map<std::string, std::string>& texts,
                    std::vector<Step>& steps) {
  if (texts.empty()) return;
  Bulk put(Sql::put_texts, space, 3, steps);
  Bulk drop(Sql::drop_texts, space, 1, steps);
  for (const auto& [key, text] : texts) {
    if (text.empty()) {
      drop.text(key);
    } else {
      const std::string grams = indexed_grams(text, scope_of(space, core::kind_of(key)));
      put.text(key).text(text).text(grams);
    }
  }
}

Result<core::TextFound> search_texts(Connection& connection, const std::string& space,
                                     const core::TextQuery& query) {
  if (query.limit == 0) return core::TextFound{};
  const std::string grams = to_tsquery(space, query);
  core::KeyRange range = core::range_of({.kind = query.kind, .before = query.before});
  Sieve sieve(query);
  // True: the query wants more.
  const auto sift = [&](const Rows& rows) {
    for (int row = 0; row < rows.size(); ++row) {
      range.until = rows.text(row, 0);
      if (!sieve.take(range.until, rows.text(row, 1))) return false;
    }
    return true;
  };
  TYER_TRY(const Rows newest,
           connection.query(Sql::search_newest, {space, grams, range.from, range.until}));
  if (!sift(newest)) return sieve.found();
  while (true) {
    TYER_TRY(const Rows rows, look_up(connection, {space, grams, range.from, range.until,
                                                   std::to_string(candidates_at_once)}));
    if (!sift(rows)) return sieve.found();
    if (static_cast<std::size_t>(rows.size()) < candidates_at_once) break;
  }
  sieve.end();
  return sieve.found();
}

Result<> fill_search(Connection& connection) {
  const std::vector<std::string> kinds(std::begin(first_kinds), std::end(first_kinds));
  std::string space;
  std::string after;
  while (true) {
    TYER_TRY(const Rows rows, connection.query(Sql::fill_search, {space, after, to_array(kinds),
                                                                  std::to_string(filled_at_once)}));
    for (int row = 0; row < rows.size();) {
      // As many as are in one space.
      space = rows.text(row, 0);
      std::map<std::string, std::string> texts;
      for (; row < rows.size() && rows.text(row, 0) == space; ++row) {
        after = rows.text(row, 1);
        texts[after] = first_text(std::string(rows.text(row, 2)));
      }
      std::vector<Step> steps;
      add_text_steps(space, texts, steps);
      if (const Outcome outcome = connection.run(steps); outcome.error) {
        return std::unexpected(*outcome.error);
      }
    }
    if (static_cast<std::size_t>(rows.size()) < filled_at_once) return {};
  }
}

}  // namespace tyer::store
