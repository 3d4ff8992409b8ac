#include "base/json_fields.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"

namespace tyer {

Result<JsonFields> JsonFields::read(std::string_view text) {
  JsonFields fields;
  fields.members_ = split_any_object(text);
  if (fields.members_) return fields;
  TYER_TRY(Json json, parse_json_object(text));
  return of(std::make_shared<const Json>(std::move(json)));
}

JsonFields JsonFields::of(std::shared_ptr<const Json> json) {
  JsonFields fields;
  fields.members_.reset();
  fields.json_ = std::move(json);
  return fields;
}

JsonFields JsonFields::of(std::vector<JsonMember> members) {
  JsonFields fields;
  fields.members_ = std::move(members);
  return fields;
}

bool JsonFields::has(std::string_view name) const {
  return members_ ? !find(name).empty() : json_->contains(name);
}

JsonFields JsonFields::object(std::string_view name) const {
  if (members_) return read(find(name)).value_or(JsonFields());
  const auto found = json_->find(name);
  if (found == json_->end() || !found->is_object()) return {};
  return of(std::make_shared<const Json>(*found));
}

std::vector<JsonFields> JsonFields::objects(std::string_view name) const {
  std::vector<JsonFields> all;
  if (members_) {
    const auto values = split_array(find(name));
    if (!values) return all;
    for (const std::string_view value : *values) {
      if (auto one = read(value)) all.push_back(*std::move(one));
    }
  } else if (const auto found = json_->find(name); found != json_->end() && found->is_array()) {
    for (const Json& one : *found) {
      if (one.is_object()) all.push_back(of(std::make_shared<const Json>(one)));
    }
  }
  return all;
}

std::string JsonFields::text(std::string_view name) const {
  if (!members_) return text_or(*json_, std::string(name).c_str());
  const std::string_view value = find(name);
  if (!value.starts_with('"')) return {};
  if (value.contains('\\')) return parse_json(value).value_or("").get<std::string>();
  return std::string(value.substr(1, value.size() - 2));
}

std::int64_t JsonFields::number(std::string_view name, std::int64_t usual) const {
  if (!members_) return int_or(*json_, std::string(name).c_str(), usual);
  const std::string_view value = find(name);
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  return error == std::errc{} && rest == end ? number : usual;
}

bool JsonFields::flag(std::string_view name) const {
  if (members_) return find(name) == "true";
  const auto found = json_->find(name);
  return found != json_->end() && *found == Json(true);
}

std::vector<std::string> JsonFields::texts(std::string_view name) const {
  return list<std::string>(name);
}

std::vector<std::int64_t> JsonFields::numbers(std::string_view name) const {
  return list<std::int64_t>(name);
}

std::string_view JsonFields::find(std::string_view name) const {
  const auto found = std::ranges::find(*members_, name, &JsonMember::name);
  return found == members_->end() ? std::string_view() : found->value;
}

template <class Value>
std::vector<Value> JsonFields::list(std::string_view name) const {
  std::vector<Value> values;
  Json array;
  if (members_) {
    const std::string_view value = find(name);
    if (!value.starts_with('[') || value == "[]") return values;
    array = parse_json(value).value_or(Json());
  } else if (const auto found = json_->find(name); found != json_->end()) {
    array = *found;
  }
  if (!array.is_array()) return values;
  for (const Json& value : array) {
    if constexpr (std::is_same_v<Value, std::string>) {
      if (value.is_string()) values.push_back(value.template get<std::string>());
    } else {
      if (value.is_number_integer()) values.push_back(value.template get<Value>());
    }
  }
  return values;
}

}  // namespace tyer
