#include "store/texts.h"

#include "base/json.h"

namespace tyer::store {

std::string scope_gram(std::string_view scope) {
  // U+E000 belongs to nobody.
  return "\xEE\x80\x80" + std::string(scope);
}

std::string indexed_grams(std::string_view text, std::string_view scope) {
  const std::string grams = core::grams_of(text);
  return grams.empty() ? scope_gram(scope) : scope_gram(scope) + " " + grams;
}

bool Sieve::take(std::string key, std::string_view text) {
  found_.next = key;
  if (core::holds(text, query_.words)) found_.keys.push_back(std::move(key));
  return found_.keys.size() < query_.limit && ++looked_ < limits::search_rows_max;
}

std::string first_text(const std::string& state) {
  const auto object = parse_json_object(state);
  if (!object) return "";
  const std::string title = text_or(*object, "title");
  return core::clean_text(title.empty() ? text_or(*object, "content")
                                        : title + "\n" + text_or(*object, "content"));
}

}  // namespace tyer::store
