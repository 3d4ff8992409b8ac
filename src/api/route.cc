#include "api/route.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "api/limits.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/text.h"

namespace tyer::api {
namespace {

constexpr std::string_view type_name(Type type) {
  constexpr std::string_view names[] = {"a text", "a whole number", "true or false",
                                        "a list of texts"};
  return names[static_cast<std::size_t>(type)];
}

std::string names_of(std::span<const Field> fields) {
  std::string names;
  for (const Field& field : fields) {
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  }
  return names;
}

// What is not one of `fields`. `what`: "member" of a body, "parameter" of an address.
std::unexpected<Error> refuse_name(std::string_view what, std::string_view name,
                                   std::span<const Field> fields) {
  std::vector<std::string_view> known;
  for (const Field& field : fields) known.push_back(field.name);
  const std::string_view near = nearest(name, known);
  return fail(
      Fault::invalid,
      fmt::format("the {} '{}' is not understood here{}; there {}", what, printable(name, 40),
                  near.empty() ? "" : fmt::format("; did you mean '{}'?", near),
                  known.empty() ? "is none" : "are " + names_of(fields)));
}

Result<std::vector<std::string>> read_texts(const std::string& name, const Json& list) {
  if (list.size() > limits::api_list_items_max) {
    return fail(Fault::limit, fmt::format("{} has {} items, at most {} are possible", name,
                                          list.size(), limits::api_list_items_max));
  }
  std::vector<std::string> texts;
  for (const Json& one : list) {
    if (!one.is_string()) return fail(Fault::invalid, name + " must be a list of texts");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

// Segments of a path, without its first '/'.
std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  for (path.remove_prefix(1);; path.remove_prefix(parts.back().size() + 1)) {
    parts.push_back(path.substr(0, path.find('/')));
    if (parts.back().size() == path.size()) return parts;
  }
}

bool matches(const std::vector<std::string_view>& pattern,
             const std::vector<std::string_view>& parts,
             std::map<std::string, std::string, std::less<>>& path) {
  if (pattern.size() != parts.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!pattern[i].starts_with('{')) {
      if (pattern[i] != parts[i]) return false;
    } else {
      if (parts[i].empty()) return false;
      path[std::string(pattern[i].substr(1, pattern[i].size() - 2))] = parts[i];
    }
  }
  return true;
}

}  // namespace

Result<Input> Input::read(std::span<const Field> fields, const std::string& body) {
  Input input;
  Json object = Json::object();
  if (!body.empty()) {
    TYER_TRY(object, parse_json_object(body, body.size()));
  }
  for (const auto& [name, value] : object.items()) {
    const auto field = std::ranges::find(fields, name, &Field::name);
    if (field == fields.end()) return refuse_name("member", name, fields);
    const bool fits = value.is_null() || (field->type == Type::text && value.is_string()) ||
                      (field->type == Type::number && value.is_number_integer()) ||
                      (field->type == Type::flag && value.is_boolean()) ||
                      (field->type == Type::texts && value.is_array());
    if (!fits) {
      return fail(Fault::invalid, fmt::format("{} must be {}", name, type_name(field->type)));
    }
    if (value.is_string()) input.values_[name] = value.get<std::string>();
    if (value.is_number_integer()) input.values_[name] = value.get<std::int64_t>();
    if (value.is_boolean()) input.values_[name] = value.get<bool>();
    if (value.is_array()) {
      TYER_TRY(input.values_[name], read_texts(name, value));
    }
  }
  for (const Field& field : fields) {
    if (field.required && !input.has(field.name)) {
      return fail(Fault::invalid, fmt::format("{} is missing: {}", field.name, field.what));
    }
  }
  return input;
}

Result<> check_query(const Route& route, const http::Request& request) {
  if (route.takes_any) return {};
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : request.query) {
    const auto field = std::ranges::find(route.query, name, &Field::name);
    if (field == route.query.end()) return refuse_name("parameter", name, route.query);
    if (std::ranges::find(seen, name) != seen.end()) {
      return fail(Fault::invalid, fmt::format("the parameter '{}' is given twice", name));
    }
    seen.push_back(name);
    if (field->type == Type::flag && value != "true" && value != "false") {
      return fail(Fault::invalid, fmt::format("{} is true or false", name));
    }
  }
  return {};
}

Result<Input> read_body(const Route& route, const http::Request& request) {
  if (route.takes_file || request.method == "GET" || request.method == "HEAD") return Input();
  return Input::read(route.body, request.body);
}

bool Input::has(std::string_view name) const {
  return values_.contains(name);
}

template <class T>
std::optional<T> Input::get(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || !std::holds_alternative<T>(found->second)) return std::nullopt;
  return std::get<T>(found->second);
}

std::string Input::text(std::string_view name) const {
  return get<std::string>(name).value_or("");
}
std::optional<std::string> Input::maybe_text(std::string_view name) const {
  return get<std::string>(name);
}
std::optional<std::int64_t> Input::maybe_number(std::string_view name) const {
  return get<std::int64_t>(name);
}
std::optional<bool> Input::maybe_flag(std::string_view name) const {
  return get<bool>(name);
}
bool Input::flag(std::string_view name) const {
  return maybe_flag(name).value_or(false);
}
std::vector<std::string> Input::texts(std::string_view name) const {
  return maybe_texts(name).value_or(std::vector<std::string>());
}
std::optional<std::vector<std::string>> Input::maybe_texts(std::string_view name) const {
  return get<std::vector<std::string>>(name);
}

Result<std::optional<std::uint64_t>> Call::expected_rev() const {
  std::string_view text = request.header("if-match");
  if (text.empty() || text == "*") return std::nullopt;
  if (text.starts_with("W/")) text.remove_prefix(2);
  std::uint64_t rev = 0;
  if (text.size() >= 3 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rev);
    if (error == std::errc() && end == text.data() + text.size()) return rev;
  }
  return fail(Fault::invalid, "If-Match must be an ETag as we gave it, like \"3\"");
}

const std::vector<Route>& routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> rows;
    for (const auto part : {auth_routes, agent_routes, session_routes, shift_routes, run_routes,
                            feed_routes, post_routes, post_list_routes, lease_routes, search_routes,
                            upload_routes, event_routes, system_routes}) {
      std::ranges::move(part(), std::back_inserter(rows));
    }
    return rows;
  }();
  return all;
}

Match find_route(std::string_view method, std::string_view path) {
  Match match;
  if (!path.starts_with('/')) return match;
  // For every request, so they are split once.
  static const std::vector<std::vector<std::string_view>> patterns = [] {
    std::vector<std::vector<std::string_view>> all;
    for (const Route& route : routes()) all.push_back(split(route.path));
    return all;
  }();
  const std::vector<std::string_view> parts = split(path);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Route& route = routes()[i];
    std::map<std::string, std::string, std::less<>> found;
    if (!matches(patterns[i], parts, found)) continue;
    if (route.method == method || (method == "HEAD" && route.method == "GET")) {
      return {.route = &route, .path = std::move(found)};
    }
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  return match;
}

}  // namespace tyer::api
