#include "base/json.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace tyer {
namespace {

// Builds the value as nlohmann's own handler does, and refuses what that lets pass.
class StrictHandler {
 public:
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) { return put(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (stack_.back()->contains(name)) {
      return refuse(fmt::format("the key '{}' stands twice", printable(name, 80)));
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    return refuse(fmt::format("it is not JSON at byte {}", position));
  }

  Json whole;
  std::string problem;

 private:
  bool refuse(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }

  Json* place(Json item) {
    if (stack_.empty()) {
      whole = std::move(item);
      return &whole;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(item));
      return &parent.back();
    }
    return &(parent[std::move(key_)] = std::move(item));
  }

  bool put(Json item) {
    place(std::move(item));
    return true;
  }

  bool open(Json empty) {
    if (stack_.size() >= limits::json_depth_max) {
      return refuse(fmt::format("it is nested deeper than {}", limits::json_depth_max));
    }
    stack_.push_back(place(std::move(empty)));
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  std::vector<Json*> stack_;
  std::string key_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    return fail(Fault::limit,
                fmt::format("JSON of {} bytes is over the limit of {}", text.size(), bytes_max));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return fail(Fault::invalid, "it starts with a byte order mark, which JSON does not have");
  }
  // The parser takes a zero byte between tokens for the end and would skip what follows.
  if (text.contains('\0')) return fail(Fault::invalid, "it has a zero byte in it");
  StrictHandler handler;
  if (!Json::sax_parse(text, &handler)) {
    return fail(Fault::invalid, handler.problem.empty() ? "it is not JSON" : handler.problem);
  }
  return std::move(handler.whole);
}

Result<Json> parse_json_object(std::string_view text, std::size_t bytes_max) {
  TYER_TRY(Json value, parse_json(text, bytes_max));
  if (!value.is_object()) return fail(Fault::invalid, "it is JSON, but not an object");
  return value;
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void merge_patch(Json& target, const Json& patch) {
  target.merge_patch(patch);
}

std::string text_or(const Json& object, const char* name, std::string fallback) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : fallback;
}

std::int64_t int_or(const Json& object, const char* name, std::int64_t fallback) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return fallback;
  const bool too_big =
      found->is_number_unsigned() && !std::in_range<std::int64_t>(found->get<std::uint64_t>());
  return too_big ? fallback : found->get<std::int64_t>();
}

}  // namespace tyer
