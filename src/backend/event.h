// Members of a JSON value whose shape is not known. These are templates because
// headers do not include JSON; whoever uses them does.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "backend/limits.h"

namespace tyer::backend {

// null if there is no such member, or `object` is none.
template <class Json>
const Json& member(const Json& object, const char* name) {
  static const Json nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

template <class Json>
std::string text_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.template get<std::string>() : std::string();
}

template <class Json>
bool is_true(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_boolean() && value.template get<bool>();
}

// A number from 0 to `most`; 0 if it is none.
template <class Json>
double number_of(const Json& object, const char* name, double most) {
  const Json& value = member(object, name);
  const double number = value.is_number() ? value.template get<double>() : 0.0;
  return number >= 0 && number <= most ? number : 0.0;
}

template <class Json>
std::int64_t count_of(const Json& object, const char* name) {
  return static_cast<std::int64_t>(
      number_of(object, name, static_cast<double>(limits::agent_count_max)));
}

// Sums stay within what a count may be.
inline void add_count(std::int64_t& sum, std::int64_t more) {
  sum = std::min(sum + more, limits::agent_count_max);
}

// US dollars as Usage has them.
template <class Json>
std::int64_t cost_of(const Json& object, const char* name) {
  return std::llround(number_of(object, name, limits::agent_cost_usd_max) * 1e6);
}

// A string as it is, null as nothing, the rest as JSON: for people to read.
template <class Json>
std::string shown(const Json& value) {
  if (value.is_string()) return value.template get<std::string>();
  return value.is_null() ? std::string()
                         : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tyer::backend
